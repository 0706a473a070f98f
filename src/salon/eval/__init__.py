"""Measures a persona with evidence questions: retrieval, declining and grounding."""

from salon.eval.compare import Variant, compare, parse_variants
from salon.eval.questions import Question, holds, read_questions
from salon.eval.report import EvalReport, Row, figures, parse_bars
from salon.eval.run import evaluate

__all__ = [
    "EvalReport",
    "Question",
    "Row",
    "Variant",
    "compare",
    "evaluate",
    "figures",
    "holds",
    "parse_bars",
    "parse_variants",
    "read_questions",
]
