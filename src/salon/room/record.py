"""An answer as a message keeps it: what it rests on, in the words of the HTTP API."""

from __future__ import annotations

from typing import Any

from salon.types import Answer, Citation


def record(answer: Answer) -> dict[str, Any]:
    """Citations, score and reasons; the passages themselves are found by their ids."""
    return {
        "sources": list(answer.sources),
        "rag_grounded": answer.grounding.grounded,
        "rag_confidence": round(answer.grounding.score, 4),
        "correlation_id": answer.id,
        "elapsed_ms": answer.elapsed_ms,
        "question": answer.question,
        "citations": [_citation(citation) for citation in answer.citations],
        "signals": [
            {"name": s.name, "value": s.value, "penalty": s.penalty, "reason": s.reason}
            for s in answer.grounding.signals
        ],
        "declined": answer.declined,
        "model": answer.model,
        "via": list(answer.via),
        "warnings": list(answer.warnings),
    }


def _citation(citation: Citation) -> dict[str, Any]:
    return {
        "number": citation.number,
        "passage": citation.passage_id,
        "source": citation.source,
        "source_id": citation.source_id,
        "title": citation.title,
        "section": citation.section,
        "span": {"start": citation.start, "end": citation.end},
        "quote": citation.quote,
        "answer_span": {"start": citation.answer_start, "end": citation.answer_end},
        "verbatim": citation.verbatim,
        "page": citation.page,
    }
