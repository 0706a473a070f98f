"""The HTTP surface: JSON and server-sent events over the house, loopback by default."""
