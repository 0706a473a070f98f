"""The rooms of a house: its routes are read, checked, and read again."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from salon.errors import ConfigError
from salon.house import House
from salon.house.rooms import open_rooms
from salon.testing.fakes import HashEmbedder
from tests.keeper import keeper_files, keeper_house


@pytest.fixture
def house(tmp_path: Path):
    with keeper_house(tmp_path, keeper_files(tmp_path), HashEmbedder()) as opened:
        yield opened


def write(house: House, text: str) -> None:
    """Later each time, as another second's edit is."""
    file = house.path / "routes.yaml"
    later = file.stat().st_mtime + 1 if file.exists() else 1_000_000_000
    file.write_text(text, encoding="utf-8")
    os.utime(file, (later, later))


async def test_routes_are_read_again_and_kept_while_the_file_is_wrong(house: House) -> None:
    async with open_rooms(house) as rooms:
        assert rooms.routes().routes.orchestrator == ""
        write(house, "orchestrator: maren\n")
        assert rooms.routes().routes.orchestrator == "maren"
        for wrong in ("orchestrator: nobody\n", "orchestrator: [\n"):
            write(house, wrong)
            assert rooms.routes().routes.orchestrator == "maren"
        (house.path / "routes.yaml").unlink()
        assert rooms.routes().routes.orchestrator == ""


async def test_rooms_do_not_open_on_a_persona_that_the_house_does_not_have(house: House) -> None:
    write(house, "routes:\n  - {topic: sea, words: [sea], personas: [maren, marek]}\n")
    with pytest.raises(ConfigError, match="no persona marek"):
        async with open_rooms(house):
            pass


async def test_a_persona_that_does_not_load_is_still_known(house: House) -> None:
    write(house, "orchestrator: maren\n")
    (house.folder("maren") / "persona.yaml").write_text("name: [", encoding="utf-8")
    assert [problem.folder.name for problem in house.problems] == ["maren"]
    async with open_rooms(house) as rooms:
        assert rooms.routes().routes.orchestrator == "maren"
