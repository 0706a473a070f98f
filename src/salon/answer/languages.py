"""What answering must know of a language: its small words, its hedges, its ways of pointing back.

Rows of a table, one a language; a language that has no row is read with the empty row and answered
in English. Adding a language is adding a row.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """`stop` carries no content; `back` points at an earlier turn; `open` begins a half question.

    `back` and `expletive` are patterns; the second blanks pronouns that point nowhere ("what was it
    like to") before the first is tried. `elisions` begin with an apostrophe. `declines` is
    said when the sources do not cover a question, `down` when they could not be searched,
    `admits` are phrases by which a model says the first in its own words.
    """

    code: str
    stop: frozenset[str] = frozenset()
    back: str = ""
    open: tuple[str, ...] = ()
    expletive: str = ""
    hedges: tuple[str, ...] = ()
    declines: str = "My sources do not cover that, so I cannot answer it from my own words."
    down: str = "My sources cannot be searched at the moment; what follows does not rest on them."
    down_alone: str = "My sources cannot be searched at the moment, so I cannot answer."
    no_poem: str = "I have no poem that answers that."
    admits: tuple[str, ...] = ()
    elisions: frozenset[str] = frozenset()


ENGLISH = Language(
    code="en",
    stop=frozenset(
        """a about above after again against all also am an and any are aren as at be because been
        before being below between both but by can cannot could couldn did didn do does doesn doing
        don done down during each else ever few for from further get gets getting give gives go goes
        got had hadn has hasn have haven having he her here hers herself him himself his how i if in
        into is isn it its itself just know let like ll made make makes many may me mean might more
        most much must my myself never no nor not now of off often on once one only or other our ours
        ourselves out over own perhaps please quite rather re really said same say saying says shall
        she should so some such take tell than that the their theirs them themselves then there these
        they thing things think this those though through thus till to too under until up upon us ve
        very want was wasn we were weren what whatever when where whether which while who whom whose
        why will with within without won would wouldn yes yet you your yours yourself yourselves
        anything something someone anyone everything nothing believe thought explain describe
        opinion""".split()
    ),
    back=(
        r"\b(?:it|its|they|them|their|theirs|this|these|those|he|him|his|she|her|hers|there|ones?"
        r"|former|latter|thereof)\b"
        r"|^that\b|\bthat\W*$|\b(?:about|of|after|before|by|for|from|in|on|to|with|do|did|does|doing|was"
        r"|is|why|without|like)\s+that\b"
    ),
    open=("and", "but", "or", "so", "then", "also", "what about", "how about", "why not", "how so"),
    expletive=(
        r"\b(?:is|was|were|be|would|does|did|has)\s+it\s+(?:\w+\s+){0,2}(?:to|that|like|for)\b"
        r"|\bit\s+(?:is|was|takes|took|seems|rains?)\b|\b(?:is|are|was|were)\s+there\b"
        r"|\bthere\s+(?:is|are|was|were)\b|\b(?:no|any|some|every)\s+one\b|\bone\s+of\b"
        r"|\b(?:do|did|does)\s+that\s+\w+|\b(?:say|said|think|believe|know|mean|is)\s+that\s+\w+\s+\w+"
        r"|\bone(?:'s|’s|\s+\w+)"
    ),
    hedges=(
        "in general",
        "generally speaking",
        "broadly speaking",
        "from my understanding",
        "to my understanding",
        "as far as i know",
        "as far as i am aware",
        "it is commonly",
        "it is widely",
        "it is generally",
        "it is often said",
        "many people believe",
        "some would say",
        "typically",
        "it could be argued",
        "as an ai",
        "as a language model",
        "based on general knowledge",
        "more or less",
        "in a sense",
        "i would imagine",
        "presumably",
    ),
    admits=(
        "sources do not",
        "sources don't",
        "sources don’t",
        "passages do not",
        "passages don't",
        "passages don’t",
        "writings do not",
        "writings don't",
        "not covered by",
        "not in my sources",
        "nothing in my sources",
        "nothing in my writings",
        "nothing in the passages",
        "not know from my sources",
        "don't know from my sources",
        "cannot answer that from",
        "cannot answer it from",
        "have not written",
        "never wrote about",
        "did not write about",
    ),
    elisions=frozenset("tis twas twere twill em cause til bout neath gainst mongst tween".split()),
)

FRENCH = Language(
    code="fr",
    stop=frozenset(
        """a à ai ainsi alors après as au aucun aussi autre aux avait avant avec avez avons car ce
        ceci cela celle celles celui ces cet cette ceux chaque chez ci comme comment dans de depuis
        des deux dit dont du elle elles en encore entre est et étaient était été être eu eux faire
        fait fut il ils je jamais jusque la là le les leur leurs lui ma mais me même mes moi moins mon
        ne ni nos notre nous on ont ou où par parce pas peu peut plus pour pourquoi pouvez qu quand
        que quel quelle quelles quels qui quoi sa sans se selon ses si son sont sous sur ta te tes toi
        ton toujours tous tout toute toutes très tu un une vos votre vous y avez vôtre êtes croyez
        pensez dites parlez expliquez chose choses""".split()
    ),
    back=(
        r"\b(?:il|elle|ils|elles|ceci|cela|ça|celui|celle|ceux|celles|cet|cette|ces|ce|y|en)\b"
        r"|\b(?:le|la|les|lui|leur)\s+\w+ez\b|\bl['’](?:a|ai|as|av\w+|aur\w+|écri\w+)\b"
    ),
    open=("et", "mais", "ou", "alors", "puis", "aussi", "pourquoi pas", "qu'en est-il"),
    expletive=(
        r"\b(?:est|était|fut)-(?:il|ce)\b|\bil\s+(?:y\s+a|faut|est|était|s['’]agit)\b|\by\s+a\b"
        r"|\bce\s+qu\w*|\bc['’]|\ben\s+(?!a|ê|é)\w{2,}|\w+-t-(?:il|elle)\b"
    ),
    hedges=(
        "en général",
        "généralement",
        "de manière générale",
        "à ma connaissance",
        "grosso modo",
        "on dit souvent",
        "il est communément",
        "en un sens",
        "typiquement",
    ),
    declines="Mes sources ne traitent pas de cela ; je ne peux donc pas y répondre par mes propres mots.",
    down="Mes sources ne peuvent pas être consultées en ce moment ; ce qui suit ne s'appuie pas sur elles.",
    down_alone="Mes sources ne peuvent pas être consultées en ce moment ; je ne peux pas répondre.",
    no_poem="Je n'ai aucun poème qui réponde à cela.",
    admits=("mes sources ne", "mes écrits ne", "les passages ne", "rien dans mes"),
)

GERMAN = Language(
    code="de",
    stop=frozenset(
        """ab aber alle allem allen aller alles als also am an andere anderen auch auf aus bei bin bis
        bist da dabei damit dann das dass dein deine dem den denn der des dessen die dies diese diesem
        diesen dieser dieses doch dort du durch ein eine einem einen einer eines einige er es etwas
        euch euer für gegen gewesen hab habe haben habt hat hatte hatten hier hin hinter ich ihm ihn
        ihnen ihr ihre ihrem ihren ihrer im in indem ins ist jede jedem jeden jeder jedes jene jener
        jetzt kann kein keine keinem keinen keiner können könnte machen man manche mehr mein meine
        meinem meinen meiner mich mir mit muss musste nach nicht nichts noch nun nur ob oder ohne sehr
        sein seine seinem seinen seiner selbst sich sie sind so solche soll sollte sondern sonst über
        um und uns unser unter viel vom von vor während war waren warst was weg weil weiter welche
        welchem welchen welcher welches wenn werde werden wie wieder will wir wird wirst wo wollen
        warum wurde würde zu zum zur zwar zwischen sagen sagten glauben denken meinen erklären ding
        dinge""".split()
    ),
    back=(
        r"\b(?:es|er|ihn|ihm|ihr|ihnen|sie|dies|diese[mnrs]?|jene[mnrs]?|davon|darüber|dafür|damit|dazu"
        r"|daran|darin|dort)\b|\bdas\b(?!\s+(?:\w+\s+)?[A-ZÄÖÜ])"
    ),
    open=("und", "aber", "oder", "dann", "also", "auch", "was ist mit", "wie steht es mit", "warum nicht"),
    expletive=(
        r"\b(?:ist|war|gibt|gab|wäre)\s+es\b|\bes\s+(?:ist|war|gibt|gab)\b|\b(?:Ihr\w*|Sie|Ihnen)\b"
    ),
    hedges=(
        "im allgemeinen",
        "im großen und ganzen",
        "soweit ich weiß",
        "meines wissens",
        "üblicherweise",
        "typischerweise",
        "man sagt oft",
        "gewissermaßen",
    ),
    declines="Meine Quellen behandeln das nicht; aus meinen eigenen Worten kann ich es nicht beantworten.",
    down="Meine Quellen lassen sich gerade nicht durchsuchen; das Folgende stützt sich nicht auf sie.",
    down_alone="Meine Quellen lassen sich gerade nicht durchsuchen; ich kann nicht antworten.",
    no_poem="Ich habe kein Gedicht, das darauf antwortet.",
    admits=("meine quellen", "quellen behandeln", "in meinen schriften nicht", "die passagen enthalten"),
)

SPANISH = Language(
    code="es",
    stop=frozenset(
        """a al algo algunas algunos ante antes así aun aunque cada casi como cómo con contra cosa cosas
        cual cuál cuales cuando cuándo cuanto de del desde donde dónde dos durante e el él ella ellas
        ellos en entonces entre era eran eres es esa esas ese eso esos esta está estaba están estas este
        esto estos fue fueron ha había habían han hasta hay he hizo la las le les lo los más me mi mí
        mientras mis mismo mucho muy nada ni no nos nosotros nunca o os otra otro para pero poco por
        porque pues qué que quien quién se sea según ser si sí siempre sin sobre son soy su sus también
        tan tanto te tener tiene toda todas todo todos tu tú tus un una uno unos usted ustedes vosotros
        y ya yo vuestra vuestro cree piensa dice explique hable""".split()
    ),
    back=(
        r"\b(?:él|ella|ellos|ellas|eso|esto|ello|aquello|allí|suy[ao]s?|es[aeo]s?|est[ae]s?|estos)\b"
        r"|\b(?:la|los|las)\s+\w+(?:ó|aste|iste|aron|ieron|aba|ía)\b|\blo\s+(?!que\b)\w+"
    ),
    open=("y", "pero", "o", "entonces", "también", "qué hay de", "por qué no"),
    expletive=r"\best[áa]s?\s+\w+ndo\b|\bes\b",
    hedges=(
        "en general",
        "por lo general",
        "generalmente",
        "hasta donde sé",
        "a mi entender",
        "se suele decir",
        "en cierto sentido",
        "típicamente",
    ),
    declines="Mis fuentes no tratan de eso, así que no puedo responder con mis propias palabras.",
    down="Mis fuentes no se pueden consultar en este momento; lo que sigue no se apoya en ellas.",
    down_alone="Mis fuentes no se pueden consultar en este momento; no puedo responder.",
    no_poem="No tengo ningún poema que responda a eso.",
    admits=("mis fuentes no", "mis escritos no", "los pasajes no", "nada en mis"),
)

_ROWS = {row.code: row for row in (ENGLISH, FRENCH, GERMAN, SPANISH)}


def language(code: str) -> Language:
    """The row of a language tag ("de-AT" is German), or a row with English phrases and no words."""
    short = code.replace("_", "-").split("-")[0].lower()
    return _ROWS.get(short) or Language(code=short)
