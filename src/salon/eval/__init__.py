"""Measures a persona with evidence questions: retrieval, declining and grounding."""

from salon.eval.questions import Question, holds, read_questions
from salon.eval.report import EvalReport, Row, figures, parse_bars
from salon.eval.run import evaluate

__all__ = [
    "EvalReport",
    "Question",
    "Row",
    "evaluate",
    "figures",
    "holds",
    "parse_bars",
    "read_questions",
]
