"""Fixtures that find the test data and the model files, or skip with what brings them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.places import MODELS, TEST_DATA


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of test corpora and cases (SALON_TEST_DATA)."""
    if not (TEST_DATA / "corpora").is_dir():
        pytest.skip(
            f"no test data at {TEST_DATA}: set SALON_TEST_DATA to the folder that has corpora/"
        )
    return TEST_DATA


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """The shared cache of model files (SALON_MODELS), filled before the run by `make test`."""
    return MODELS
