"""The published schemas."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from salon.persona.schema import PUBLISHED, main
from tests.places import ROOT


@pytest.mark.parametrize("name", PUBLISHED)
def test_the_published_schema_is_the_one_that_checks(name: str) -> None:
    published = json.loads((ROOT / "docs" / "schema" / name).read_text(encoding="utf-8"))
    assert published == PUBLISHED[name]
    Draft202012Validator.check_schema(published)


def test_printing_the_schemas(tmp_path) -> None:
    main([str(tmp_path)])
    for name in PUBLISHED:
        expected = (ROOT / "docs" / "schema" / name).read_text(encoding="utf-8")
        assert (tmp_path / name).read_text(encoding="utf-8") == expected
