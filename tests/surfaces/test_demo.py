"""`salon demo`: two answers where there is a model, and an honest word where there is none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from salon.model_files import path_of
from salon.plugins import load_plugins
from tests.surfaces.running import salon

pytestmark = pytest.mark.models

EMBEDDING = ("minilm-int8", "minilm-tokenizer", "cl100k")


@pytest.fixture(scope="module")
def only_embedding(models_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of model files with what searching needs, and no chat model."""
    cache = tmp_path_factory.mktemp("models")
    for name in EMBEDDING:
        (cache / name).symlink_to(path_of(models_dir, name).parent)
    return cache


@pytest.fixture(scope="module")
def shown(
    only_embedding: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """Where the demonstration ran without a chat model, and what it printed."""
    home = tmp_path_factory.mktemp("demo")
    return home, salon("demo", home=home, models=only_embedding)


def test_without_a_chat_model_it_names_every_other_kind(
    shown: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    home, first = shown
    assert first.returncode == 0, first.stderr
    assert first.stdout.count(" Score ") == 1
    assert "salon models get qwen2.5-coder-1.5b" in first.stdout + first.stderr
    for found in load_plugins().summaries():
        if found.port == "chat":
            assert found.summary in first.stdout
    assert "--house demo serve" in first.stdout
    assert "http://127.0.0.1:5050" in first.stdout
    assert (home / "demo" / "personas" / "host" / "persona.yaml").is_file()


def test_again_nothing_is_built_and_with_a_chat_model_it_answers_twice(
    shown: tuple[Path, subprocess.CompletedProcess[str]], models_dir: Path
) -> None:
    home, _ = shown
    small = "local:smollm2-135m"
    done = salon("demo", home=home, models=models_dir, SALON_MODELS_CHAT=small)
    assert done.returncode == 0, done.stderr
    assert "Nothing changed" in done.stdout
    assert done.stdout.count(" Score ") == 2
    assert "smollm2-135m" in done.stdout
