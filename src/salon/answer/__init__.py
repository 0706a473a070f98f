"""Hits to a grounded answer: prompt, model, citations, quotations, score."""
