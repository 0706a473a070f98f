"""A lighthouse keeper's few papers, and a house in which she answers without any model file."""

from __future__ import annotations

import re
from pathlib import Path

from salon.house import House
from salon.ports import Embedder
from salon.settings import ModelsSettings, Settings

LOG = """\
The lamp was lit at dusk on the second of March and burned until the morning bell. Oil was low, and
I wrote to the harbour board for two casks more.

Every four hours the weight must be wound up again, summer and winter, by hand. My daughter counts
the turns aloud so that neither of us falls asleep on the stair.

On the ninth a schooner struck the Widow's Tooth. We took off six men and a goat. The goat has
stayed with us and has opinions about the vegetable garden.
"""
LETTER = """\
Dear brother, you ask whether the sea is company. It is not company. It is a clock that has lost
its hands and goes on ticking, and one learns to be grateful for the goat.

I have read your pamphlet on the price of herring with attention, and I agree with none of it.
"""


def keeper_files(place: Path) -> Path:
    folder = place / "files"
    folder.mkdir()
    (folder / "log.txt").write_text(LOG, encoding="utf-8")
    (folder / "letter.txt").write_text(LETTER, encoding="utf-8")
    return folder


def keeper_house(place: Path, files: Path, embedder: Embedder) -> House:
    """A house with the persona `maren`, not indexed yet; close it."""
    settings = Settings(
        models_dir=place / "no-models", embedder="hash", models=ModelsSettings("none"), fetch=False
    )
    house = House.open(place / "house", settings)
    house.backends.plugins.embedder("hash", lambda model, context: embedder, "words hashed")
    house.create("Maren", [files])
    rewrite(house, "cutter: prose", "cutter: {strategy: prose, tokens: embedder}")
    return house


def rewrite(house: House, old: str, new: str) -> None:
    """Edits the keeper's persona.yaml."""
    file = house.folder("maren") / "persona.yaml"
    text = file.read_text(encoding="utf-8")
    assert re.search(old, text)
    file.write_text(re.sub(old, new, text, count=1), encoding="utf-8")
