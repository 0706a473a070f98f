from __future__ import annotations

import pytest

from tests.index.making import Place, essay


@pytest.fixture
def place(tmp_path):
    """Three essays, not indexed yet."""
    place = Place(tmp_path)
    place.write(one=essay(1), two=essay(2), three=essay(3))
    return place
