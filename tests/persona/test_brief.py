"""What answering is told of a persona."""

from __future__ import annotations

from dataclasses import replace

from salon.persona.brief import brief, worldview_text
from salon.types import (
    CutterConfig,
    GroundingConfig,
    ModelsConfig,
    PersonaCard,
    RetrievalConfig,
    Worldview,
)

CARD = PersonaCard(
    id="quill",
    name="Ada Quill",
    nick="Quill",
    language="fr",
    colour="#123456",
    prefix="quil",
    prompt="Speak plainly.",
    models=ModelsConfig(max_tokens=99),
    cutter=CutterConfig(),
    retrieval=RetrievalConfig(),
    grounding=GroundingConfig(below=0.7),
)


def test_brief() -> None:
    told = brief(CARD)
    assert (told.persona_id, told.name, told.language, told.prompt) == (
        "quill",
        "Ada Quill",
        "fr",
        "Speak plainly.",
    )
    assert (told.worldview, told.max_tokens, told.verbatim) == ("", 99, False)
    assert told.grounding.below == 0.7


def test_a_verbatim_persona() -> None:
    assert brief(replace(CARD, retrieval=RetrievalConfig(pattern="verbatim"))).verbatim


def test_worldview() -> None:
    view = Worldview("Ada Quill", "dry", ("Count first",), {"the sea": ("wary", "It forgets.")})
    assert worldview_text(view) == (
        "Manner: dry\nPrinciples:\n- Count first\nBeliefs:\n- the sea (wary): It forgets."
    )
    assert worldview_text(Worldview("Ada Quill")) == ""
