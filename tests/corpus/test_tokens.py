from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from salon.corpus.tokens import Cl100k
from salon.errors import ModelFileError


@pytest.fixture(scope="module")
def cl100k(models_dir: Path) -> Cl100k:
    return Cl100k(models_dir / "cl100k" / "cl100k_base.tiktoken")


@pytest.mark.models
def test_counts_are_those_of_cl100k_base(cl100k: Cl100k) -> None:
    """Reference counts are those of OpenAI's cookbook, "How to count tokens with tiktoken"."""
    assert cl100k.count("") == 0
    assert cl100k.count("tiktoken is great!") == 6
    assert cl100k.count("antidisestablishmentarianism") == 6
    assert cl100k.count("2 + 2 = 4") == 7
    assert cl100k.count("お誕生日おめでとう") == 9
    assert cl100k.count("<|endoftext|>") > 1
    assert cl100k.count_all(["hello world", "hello"]) == [2, 1]


@pytest.mark.models
@settings(deadline=None)
@given(st.lists(st.sampled_from(
    ["a", "the", "I'm", " ", "  ", "\n", ".", ",", "12", "3456", "é", "學", "—", "(", "\t", "\xa0"]
), max_size=14).map("".join))  # fmt: skip
def test_counting_word_by_word_is_exact(cl100k: Cl100k, text: str) -> None:
    assert cl100k.count(text) == len(cl100k._encoding.encode_ordinary(text))


@pytest.mark.models
def test_one_endless_word_is_counted(cl100k: Cl100k) -> None:
    assert 20_000 <= cl100k.count("学" * 20_000) <= 60_000
    assert cl100k.count("a" * 300_000) > 1_000


def test_a_vocabulary_that_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cl100k_base.tiktoken"
    for text, problem in (
        (None, "cannot be read"),
        ("IQ== 0\nIg== 1\n", "has 2 words"),
        ("no vocabulary at all\n", "damaged"),
    ):
        if text is not None:
            path.write_text(text)
        with pytest.raises(ModelFileError, match=problem) as raised:
            Cl100k(path)
        assert "`salon models get cl100k`" in raised.value.cure
