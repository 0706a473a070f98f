"""Frozen values that cross folders. Nothing here imports anything else of Salon.

Offsets are character offsets, half-open, unless a docstring says otherwise.
Ids of sources and passages are content hashes: the same text has the same id in every house.
"""

from salon.types.answers import (
    Answer,
    Answered,
    AnswerEvent,
    Brief,
    Citation,
    Evidence,
    Found,
    Grounding,
    QuoteCheck,
    Signal,
    Token,
    Turn,
)
from salon.types.chat import (
    ChatDelta,
    ChatRequest,
    Message,
    ModelCard,
    Usage,
)
from salon.types.corpus import (
    Cut,
    CutterConfig,
    CutterName,
    OriginalSpan,
    Passage,
    Piece,
    Section,
    Source,
    SourceInfo,
    Span,
)
from salon.types.personas import (
    GroundingConfig,
    ModelsConfig,
    PersonaCard,
    RetrievalConfig,
    Worldview,
)
from salon.types.search import (
    Arms,
    Background,
    EmbedderId,
    Hit,
    PassageVectors,
    Retrieved,
    SparseVector,
    Vector,
)

__all__ = [
    "Answer",
    "AnswerEvent",
    "Answered",
    "Arms",
    "Background",
    "Brief",
    "ChatDelta",
    "ChatRequest",
    "Citation",
    "Cut",
    "CutterConfig",
    "CutterName",
    "EmbedderId",
    "Evidence",
    "Found",
    "Grounding",
    "GroundingConfig",
    "Hit",
    "Message",
    "ModelCard",
    "ModelsConfig",
    "OriginalSpan",
    "Passage",
    "PassageVectors",
    "PersonaCard",
    "Piece",
    "QuoteCheck",
    "RetrievalConfig",
    "Retrieved",
    "Section",
    "Signal",
    "Source",
    "SourceInfo",
    "Span",
    "SparseVector",
    "Token",
    "Turn",
    "Usage",
    "Vector",
    "Worldview",
]
