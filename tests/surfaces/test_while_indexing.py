"""Indexing is another process's work: a server goes on answering, and Ctrl-C loses nothing."""

from __future__ import annotations

import random
import signal
import subprocess
from pathlib import Path

import httpx
import pytest

from salon.testing.model_server import SLOW, ModelServer
from tests.surfaces.conftest import StartServer
from tests.surfaces.running import PATIENCE, SALON, environment, heed_ctrl_c, salon
from tests.surfaces.test_models_failing import settings

pytestmark = [pytest.mark.models, pytest.mark.crash]

QUERY = {"persona": "maren", "question": "How long does bread made with salt water keep?"}


WORDS = ["tide", "lantern", "rope", "salt", "gull", "harbour", "oil", "wick", "storm", "rye"]


def long_text(paragraphs: int) -> str:
    """Paragraphs that all differ, so that none is taken for a copy of another."""
    draw = random.Random(7)
    return "\n\n".join(
        " ".join(f"In year {number} the {draw.choice(WORDS)} met the {draw.choice(WORDS)} again."
                 for _ in range(12))
        for number in range(paragraphs)
    )  # fmt: skip


def index(house: Path, home: Path, models: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [SALON, "--house", house, "index", "maren"],
        env=environment(home, SALON_MODELS=str(models)),
        preexec_fn=heed_ctrl_c,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_health_answers_and_tokens_flow_while_an_index_is_built(
    house: Path, tmp_path: Path, models_dir: Path, start_server: StartServer
) -> None:
    (house / "personas/maren/sources/tides.txt").write_text(long_text(1500))
    with ModelServer(SLOW) as model:
        server = start_server(house, **settings(model))
        address = f"{server.address}/api/query"
        with httpx.stream("POST", address, json={**QUERY, "stream": True}, timeout=60) as answer:
            lines = answer.iter_lines()
            building = index(house, tmp_path, models_dir)
            for _ in range(20):
                assert httpx.get(f"{server.address}/healthz", timeout=5).status_code == 200
                assert any(line.startswith("event: token") for line in lines)
            assert building.poll() is None, building.communicate()
            building.send_signal(signal.SIGINT)
            _, said = building.communicate(timeout=PATIENCE)
    assert building.returncode == 130, said
    assert "goes on from there" in said
    assert "Traceback" not in said
    after = salon(
        "--house", house, "ask", "maren", QUERY["question"], "--no-model",
        home=tmp_path, models=models_dir,
    )  # fmt: skip
    assert "nine days" in after.stdout


def test_a_running_server_answers_from_the_new_index(
    house: Path, tmp_path: Path, models_dir: Path, start_server: StartServer
) -> None:
    server = start_server(house, SALON_MODELS_CHAT="none")
    address = f"{server.address}/api/query"
    asked = {"persona": "maren", "question": "What is the name of the new dog on the rock?"}
    assert "dog.txt" not in httpx.post(address, json=asked, timeout=60).json()["sources"]
    (house / "personas/maren/sources/dog.txt").write_text(
        "The new dog on the rock came in May. The name of the dog is Bosun, and he fears the goat."
    )
    done = salon("--house", house, "index", "maren", home=tmp_path, models=models_dir)
    assert done.returncode == 0, done.stderr
    assert "dog.txt" in httpx.post(address, json=asked, timeout=60).json()["sources"]
