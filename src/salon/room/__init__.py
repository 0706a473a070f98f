"""Who speaks in a room, and what happens while they do."""
