"""Who watches a room, each with a bounded queue of its own: nobody waits for the slowest."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from salon.types import RoomEvent, TurnToken


class Shared:
    """An event on its way to many. `wire` is its encoded form, made once by who needs it."""

    __slots__ = ("event", "wire")

    def __init__(self, event: RoomEvent) -> None:
        self.event = event
        self.wire: str | None = None


class Subscription:
    """Events for one watcher, in order. `dropped`: it fell behind, and misses what came after."""

    def __init__(self, most: int) -> None:
        self.dropped = False
        self.on_drop: Callable[[], None] | None = None
        self._most = most
        self._last = False
        self._waiting: deque[Shared] = deque()
        self._ready = asyncio.Event()

    def put(self, shared: Shared) -> None:
        """Never blocks. Tokens of one turn are joined while they wait."""
        if self.dropped:
            return
        event = shared.event
        if self._waiting and isinstance(event, TurnToken):
            last = self._waiting[-1].event
            if isinstance(last, TurnToken) and last.turn_id == event.turn_id:
                self._waiting[-1] = Shared(replace(last, text=last.text + event.text))
                return
        if len(self._waiting) >= self._most:
            self.dropped = True
            if self.on_drop is not None:
                self.on_drop()
        else:
            self._waiting.append(shared)
        self._ready.set()

    async def next(self) -> Shared | None:
        """The next event; None after the last one, and once the watcher was dropped."""
        while not self._waiting and not self.dropped and not self._last:
            self._ready.clear()
            await self._ready.wait()
        return self._waiting.popleft() if self._waiting and not self.dropped else None

    def finish(self) -> None:
        """What waits is still given, and nothing after it."""
        self._last = True
        self._ready.set()

    def close(self) -> None:
        self.dropped = True
        self._ready.set()
