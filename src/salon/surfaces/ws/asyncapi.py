"""The protocol as AsyncAPI: `python -m salon.surfaces.ws.asyncapi FILE` writes it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from salon.surfaces.ws import frames


def document() -> dict[str, Any]:
    """Made from the same tables that frames are checked with."""
    both = {"receive": frames.INBOUND, "send": frames.OUTBOUND}
    kinds = {f"{way}.{name}": body for way, rows in both.items() for name, body in rows.items()}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Salon rooms",
            "version": str(frames.PROTOCOL),
            "description": "JSON text frames over /ws. Only `message` frames are numbered; a "
            "client that comes back joins with the last seq it has. Close codes: "
            + "; ".join(f"{code} {why}" for code, why in frames.CLOSE_CODES.items()),
        },
        "channels": {
            "rooms": {
                "address": "/ws",
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in kinds},
            }
        },
        "operations": {
            way: {
                "action": way,
                "channel": {"$ref": "#/channels/rooms"},
                "messages": [{"$ref": f"#/channels/rooms/messages/{way}.{name}"} for name in rows],
            }
            for way, rows in both.items()
        },
        "components": {
            "messages": {
                name: {"summary": body["description"], "payload": body}
                for name, body in kinds.items()
            }
        },
    }


def text() -> str:
    import yaml

    class Plain(yaml.SafeDumper):
        def ignore_aliases(self, data: Any) -> bool:
            return True

    return yaml.dump(document(), Dumper=Plain, sort_keys=False, allow_unicode=True, width=100)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(), encoding="utf-8")
