"""Measurements of speed and quality, side by side with named peers in one run."""
