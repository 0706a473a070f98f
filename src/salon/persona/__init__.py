"""Persona folders: reading, checking and making them."""
