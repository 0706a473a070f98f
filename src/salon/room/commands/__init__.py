"""What can be typed in a room: the table, parsing, and carrying it out."""
