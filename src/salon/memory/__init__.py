"""What a persona remembers. Imports neither answer, retrieval, index nor corpus."""
