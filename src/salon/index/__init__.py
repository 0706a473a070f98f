"""Passages to vectors, kept in generations that are switched atomically."""
