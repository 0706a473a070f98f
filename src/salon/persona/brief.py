"""What answering is told of a persona."""

from __future__ import annotations

from salon.types import Brief, PersonaCard, Worldview


def brief(card: PersonaCard, memory: str = "") -> Brief:
    """The card without what answering need not know, and what the persona remembers."""
    return Brief(
        persona_id=card.id,
        name=card.name,
        language=card.language,
        prompt=card.prompt,
        worldview=worldview_text(card.worldview) if card.worldview else "",
        memory=memory,
        max_tokens=card.models.max_tokens,
        verbatim=card.retrieval.pattern == "verbatim",
        retrieval=card.retrieval,
        grounding=card.grounding,
    )


def worldview_text(worldview: Worldview) -> str:
    """The worldview as lines for a prompt; what is absent leaves no line."""
    lines = []
    if worldview.rhetorical_style:
        lines.append(f"Manner: {worldview.rhetorical_style}")
    if worldview.core_principles:
        lines.append("Principles:")
        lines += [f"- {principle}" for principle in worldview.core_principles]
    if worldview.beliefs:
        lines.append("Beliefs:")
        lines += [
            f"- {topic} ({stance}): {view}" for topic, (stance, view) in worldview.beliefs.items()
        ]
    return "\n".join(lines)
