"""Words that deny, words that are opposites, and numbers written out: small tables of ours."""

from __future__ import annotations

from salon.answer.words import stem

DENIALS = {
    "en": "not no never none nothing nobody neither nor cannot without hardly barely nowhere",
    "fr": "pas jamais aucun aucune rien personne ni sans nullement guère",
    "de": "nicht kein keine keinen keiner keinem keines nie niemals nichts niemand weder ohne kaum",
    "es": "no nunca jamás ningún ninguno ninguna nada nadie ni sin apenas",
}

_PAIRS = {
    "en": """increase/decrease increase/reduce rise/fall raise/lower grow/shrink more/less
    most/least many/few high/low higher/lower large/small big/small bigger/smaller
    long/short longer/shorter
    early/late earlier/later before/after first/last old/new old/young older/younger good/bad
    better/worse best/worst strong/weak fast/slow faster/slower quick/slow hot/cold warm/cool
    rich/poor easy/difficult easy/hard simple/complex simple/complicated cheap/expensive light/heavy
    light/dark open/closed open/close begin/end start/end start/stop begin/finish buy/sell give/take
    win/lose love/hate like/dislike accept/reject accept/refuse agree/disagree agree/refuse
    allow/forbid allow/prevent permit/forbid support/oppose approve/reject help/hinder
    improve/worsen success/failure succeed/fail advantage/disadvantage benefit/harm
    positive/negative active/passive public/private male/female man/woman
    boy/girl father/mother son/daughter
    brother/sister husband/wife north/south east/west northern/southern eastern/western left/right
    up/down above/below inside/outside internal/external major/minor maximum/minimum
    common/rare often/rarely always/never frequent/infrequent everyone/nobody all/none
    alive/dead life/death birth/death born/died true/false right/wrong correct/incorrect
    possible/impossible necessary/unnecessary important/unimportant able/unable
    likely/unlikely known/unknown similar/different same/different include/exclude
    encourage/discourage connect/disconnect appear/disappear arrive/leave enter/leave
    attack/defend friend/enemy war/peace ally/enemy victory/defeat happy/sad happy/unhappy
    satisfied/dissatisfied optimistic/pessimistic confident/doubtful clear/unclear
    effective/ineffective efficient/inefficient sufficient/insufficient adequate/inadequate
    complete/incomplete formal/informal direct/indirect dependent/independent
    safe/dangerous safe/unsafe full/empty wide/narrow thick/thin deep/shallow wet/dry
    modern/ancient modern/traditional temporary/permanent expand/contract gain/lose profit/loss
    outperform/underperform supervised/unsupervised linear/nonlinear discrete/continuous
    global/local upper/lower forward/backward majority/minority optional/mandatory
    voluntary/compulsory praise/criticize praise/blame accelerate/slow strengthen/weaken""",
    "fr": """augmenter/diminuer plus/moins grand/petit long/court haut/bas premier/dernier
    vieux/jeune ancien/nouveau bon/mauvais fort/faible rapide/lent chaud/froid riche/pauvre
    facile/difficile vrai/faux toujours/jamais avant/après nord/sud est/ouest naissance/mort
    aimer/haïr accepter/refuser permettre/interdire gagner/perdre début/fin guerre/paix
    possible/impossible succès/échec victoire/défaite commencer/finir homme/femme père/mère""",
    "de": """steigen/fallen mehr/weniger groß/klein lang/kurz hoch/niedrig erste/letzte alt/jung
    alt/neu gut/schlecht stark/schwach schnell/langsam heiß/kalt reich/arm leicht/schwer
    wahr/falsch immer/nie vor/nach Norden/Süden Osten/Westen Geburt/Tod lieben/hassen
    annehmen/ablehnen erlauben/verbieten gewinnen/verlieren Anfang/Ende Krieg/Frieden
    möglich/unmöglich Erfolg/Misserfolg Sieg/Niederlage Mann/Frau Vater/Mutter""",
    "es": """aumentar/disminuir más/menos grande/pequeño largo/corto alto/bajo primero/último
    viejo/joven viejo/nuevo bueno/malo fuerte/débil rápido/lento caliente/frío rico/pobre
    fácil/difícil verdadero/falso siempre/nunca antes/después norte/sur este/oeste
    nacimiento/muerte amar/odiar aceptar/rechazar permitir/prohibir ganar/perder principio/fin
    guerra/paz posible/imposible éxito/fracaso victoria/derrota hombre/mujer padre/madre""",
}

NUMBERS = {
    word: str(value)
    for row in (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen twenty",
        "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze",
        "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn",
        "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince",
    )
    for value, word in enumerate(row.split())
}
"""Words for small numbers; "one" and its like are read as articles, never as missing."""


def opposites(code: str) -> dict[str, frozenset[str]]:
    """For each stem those of its opposites; empty for a language without a table."""
    code = code[:2]
    if code not in _tables:
        found: dict[str, set[str]] = {}
        for pair in _PAIRS.get(code, "").split():
            one, _, other = pair.partition("/")
            a, b = (stem(w.casefold(), code) or w.casefold() for w in (one, other))
            found.setdefault(a, set()).add(b)
            found.setdefault(b, set()).add(a)
        _tables[code] = {word: frozenset(others) for word, others in found.items()}
    return _tables[code]


_tables: dict[str, dict[str, frozenset[str]]] = {}
