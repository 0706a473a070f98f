"""Every command of a room: its arguments, who may use it, what it does in each language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum


class Role(IntEnum):
    """What somebody may do; each may do what those below may. A guest has no nick of its own."""

    GUEST = 0
    MEMBER = 1
    ADMIN = 2


@dataclass(frozen=True, slots=True)
class Command:
    """`arguments` as help shows them; `needed`: how many words must follow."""

    name: str
    arguments: Mapping[str, str]
    summary: Mapping[str, str]
    role: Role = Role.MEMBER
    needed: int = 0
    aliases: tuple[str, ...] = ()

    def usage(self, language: str) -> str:
        arguments = said(self.arguments, language)
        return f"/{self.name} {arguments}".rstrip()


def said(texts: Mapping[str, str], language: str) -> str:
    """The text in a language, else in English."""
    return texts.get(language.partition("-")[0], texts.get("en", ""))


def _row(
    name: str,
    english: str,
    french: str,
    arguments: tuple[str, str] = ("", ""),
    role: Role = Role.MEMBER,
    needed: int = 0,
    aliases: tuple[str, ...] = (),
) -> Command:
    return Command(
        name,
        {"en": arguments[0], "fr": arguments[1]},
        {"en": english, "fr": french},
        role,
        needed,
        aliases,
    )


_ALL = (
    _row("help", "what can be typed here", "ce que l'on peut taper ici", role=Role.GUEST),
    _row(
        "nick",
        "take a name of 2-24 characters",
        "prendre un nom de 2 à 24 caractères",
        ("NAME", "NOM"),
        Role.GUEST,
        1,
    ),
    _row("who", "who is here", "qui est ici", role=Role.GUEST),
    _row("personas", "who answers, and with which model", "qui répond, et avec quel modèle"),
    _row("channels", "the rooms of this house", "les salons de cette maison", role=Role.GUEST),
    _row(
        "join",
        "go to a room, which is made if need be",
        "entrer dans un salon, créé au besoin",
        ("#ROOM", "#SALON"),
        needed=1,
    ),
    _row("clear", "empty my screen; nothing is deleted", "vider mon écran ; rien n'est supprimé"),
    _row("stop", "stop the replies under way", "arrêter les réponses en cours"),
    _row(
        "history",
        "the last messages",
        "les derniers messages",
        ("[1-100]", "[1-100]"),
    ),
    _row("export", "the whole room as a text", "tout le salon en texte"),
    _row("context", "how much this room remembers", "ce que ce salon garde en mémoire"),
    _row("status", "what runs, and how", "ce qui tourne, et comment", aliases=("stats",)),
    _row("models", "the models of the personas", "les modèles des personas"),
    _row(
        "memory",
        "what a persona remembers of me",
        "ce qu'un persona retient de moi",
        ("PERSONA", "PERSONA"),
        needed=1,
    ),
    _row(
        "persona",
        "a persona's sheet, or the list",
        "la fiche d'un persona, ou la liste",
        ("[PERSONA]", "[PERSONA]"),
    ),
    _row("web", "search the web", "chercher sur le web", ("WORDS", "MOTS"), needed=1),
    _row("imagine", "make a picture", "faire une image", ("WORDS", "MOTS"), needed=1),
    _row("compose", "make music", "faire de la musique", ("WORDS", "MOTS"), needed=1),
    _row("topic", "show or set the topic", "voir ou fixer le sujet", ("[TEXT]", "[TEXTE]")),
    _row(
        "invite",
        "bring a persona in; it hears what is said from now on",
        "faire entrer un persona ; il entend à partir de maintenant",
        ("PERSONA", "PERSONA"),
        needed=1,
    ),
    _row(
        "roundtable",
        "let personas talk about a topic in turn",
        "faire débattre des personas sur un sujet",
        ("TOPIC | PERSONA PERSONA ... [| TURNS]", "SUJET | PERSONA PERSONA ... [| TOURS]"),
        needed=1,
    ),
    _row(
        "responders",
        "how many personas answer a message (1-5)",
        "combien de personas répondent à un message (1-5)",
        ("[1-5]", "[1-5]"),
        Role.ADMIN,
    ),
    _row(
        "strategy",
        "how it is decided who speaks",
        "comment on décide qui parle",
        ("[NAME]", "[NOM]"),
        Role.ADMIN,
    ),
    _row(
        "model",
        "show or set the model that a persona answers with here",
        "voir ou choisir le modèle d'un persona ici",
        ("PERSONA [MODEL]", "PERSONA [MODÈLE]"),
        Role.ADMIN,
        1,
    ),
    _row("reload", "read the personas' folders again", "relire les personas", role=Role.ADMIN),
    _row(
        "dismiss",
        "send a persona out",
        "faire sortir un persona",
        ("PERSONA", "PERSONA"),
        Role.ADMIN,
        1,
    ),
    _row(
        "persona-disable",
        "a persona neither answers nor is called here",
        "un persona ne répond plus et n'est plus appelé ici",
        ("PERSONA", "PERSONA"),
        Role.ADMIN,
        1,
    ),
    _row(
        "persona-enable",
        "let it answer again",
        "le laisser répondre de nouveau",
        ("PERSONA", "PERSONA"),
        Role.ADMIN,
        1,
    ),
    _row("pause", "nobody answers for now", "plus personne ne répond", role=Role.ADMIN),
    _row("unpause", "answer again", "répondre de nouveau", role=Role.ADMIN),
    _row("ban", "keep a name out", "exclure un nom", ("NICK", "NOM"), Role.ADMIN, 1),
    _row("unban", "let it in again", "le réadmettre", ("NICK", "NOM"), Role.ADMIN, 1),
)

COMMANDS: Mapping[str, Command] = {
    name: command for command in _ALL for name in (command.name, *command.aliases)
}
