"""A pool of 33 personas with their routes, for tests of routing."""

from __future__ import annotations

from salon.room.mentions import Directory
from salon.room.routes import RouteTable
from salon.types import Participant, Route, Routes

_OTHER_IDS = {"RoyalDeLuxe": "royaldlx", "Fratellini": "cirque"}
_NICKS = (
    *("Schaeffer", "Batty", "Radigue", "Oliveros", "SunRa", "Haraway", "Pharmacius", "Turing"),
    *("Swartz", "Merzbow", "Hypatia", "Decroux", "Mnouchkine", "RoyalDeLuxe", "Ikeda", "TeamLab"),
    *("Demoscene", "Pina", "Grotowski", "Fratellini", "Curie", "Foucault", "Deleuze", "Bookchin"),
    *("LeGuin", "Cage", "Bjork", "Fuller", "Tarkovski", "Oram", "Sherlock", "Picasso", "Eno"),
)

POOL = tuple(
    Participant(_OTHER_IDS.get(nick, nick.lower()), nick, language="fr") for nick in _NICKS
)
NICK_OF = {member.id: member.nick for member in POOL}
ID_OF = {member.nick: member.id for member in POOL}

ROUTES = Routes(
    orchestrator="pharmacius",
    routes=tuple(
        Route(topic, tuple(words.split(", ")), tuple(personas.split()))
        for topic, words, personas in (
            (
                "web",
                "cherche, search, recherche, google, web, trouve, find",
                "sherlock pharmacius",
            ),
            ("image", "image, dessine, draw, imagine, génère une image, picture", "picasso"),
            (
                "music",
                "musique, compose, music, son, sound, audio, noise",
                "schaeffer pharmacius",
            ),
            ("code", "code, programme, bug, api, hack, script", "turing"),
            (
                "philosophy",
                "philosophie, penser, sens, existence, conscience",
                "deleuze pharmacius",
            ),
        )
    ),
)
TABLE = RouteTable(ROUTES)
DIRECTORY = Directory(POOL)


def some(nicks: list[str]) -> tuple[Participant, ...]:
    """Those of the pool with these nicks, in this order."""
    return tuple(POOL[_NICKS.index(nick)] for nick in nicks)
