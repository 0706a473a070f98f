"""Files of a person's writings to cleaned sources, and sources to passages."""
