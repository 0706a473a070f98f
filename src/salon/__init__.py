"""Salon: personas that answer only from their sources, cite them and score themselves."""

__version__ = "0.1.0"
