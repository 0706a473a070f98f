"""The page at `/`: what runs here, who answers, and how to ask from a terminal."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence

from salon import __version__
from salon.types import PersonaCard

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
    "Referrer-Policy": "no-referrer",
}

_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Salon</title>
<style>
body {{ font: 1.05rem/1.6 Georgia, serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem;
  color: #222; background: #fdfcf9 }}
code, pre {{ font: .9rem/1.5 ui-monospace, monospace }}
pre {{ background: #f1eee6; padding: 1rem; overflow-x: auto; border-radius: .3rem }}
li b {{ border-left: .35rem solid; padding-left: .5rem }}
@media (prefers-color-scheme: dark) {{
  body {{ color: #e8e4da; background: #1d1c1a }} pre {{ background: #2a2825 }}
  a {{ color: #9ec1e6 }}
}}
</style>
<h1>Salon</h1>
<p>Version {version}. Personas that answer only from a person's own writings.</p>
<h2>Who answers here</h2>
<ul>{personas}</ul>
<h2>Ask</h2>
<pre>{example}</pre>
<p>Add <code>"stream": true</code> for server-sent events. The whole interface is described at
<a href="openapi.json">openapi.json</a>; <a href="readyz">readyz</a> says whether search
can run.</p>
</html>
"""


def front_page(cards: Sequence[PersonaCard], address: str, secret: bool) -> str:
    """The page as HTML; every name in it is escaped. `address` is as the client wrote it."""
    return _PAGE.format(
        version=html.escape(__version__),
        personas="".join(_line(card) for card in cards),
        example=html.escape(_example(cards, address, secret)),
    )


def _line(card: PersonaCard) -> str:
    colour = html.escape(card.colour, quote=True)
    about = f", {html.escape(card.domain)}" if card.domain else ""
    name, identifier = html.escape(card.name), html.escape(card.id)
    return f'<li><b style="border-color:{colour}">{name}</b> <code>{identifier}</code>{about}</li>'


def _example(cards: Sequence[PersonaCard], address: str, secret: bool) -> str:
    body = {"question": "What matters most to you?"}
    if len(cards) > 1:
        body = {"persona": cards[0].id, **body}
    lines = [f"curl {address}/api/query"]
    if secret:
        lines.append("  -H 'Authorization: Bearer YOUR-SECRET'")
    lines.append("  -H 'Content-Type: application/json'")
    lines.append(f"  -d '{json.dumps(body, ensure_ascii=False)}'")
    return " \\\n".join(lines)
