"""The house: opens settings, backends, personas and indexes; the only wiring."""

from salon.house.house import House

__all__ = ["House"]
