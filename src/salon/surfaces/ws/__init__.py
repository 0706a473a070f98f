"""The web socket: typed JSON frames, numbered messages, resume."""
