"""Words that carry no content, a language a row: grammar everywhere, conversation in questions.

All words are folded as `lexical` folds them: lower case, no accents, elisions split off ("l'eau"
is "l" and "eau"). A language without a row has no stop words, and IDF alone weighs its terms.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StopWords:
    """`grammar` is dropped from passages and questions, `talk` from questions only.

    `talk` are the words by which people ask and which sources use with a meaning ("think").
    """

    grammar: frozenset[str] = frozenset()
    talk: frozenset[str] = frozenset()


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ENGLISH = StopWords(
    grammar=_set(
        """a about above after again against all also am among an and any are aren as at be
        because been before being below between both but by can cannot could couldn d
        did didn do does doesn doing don done down during each either else few for from
        further had hadn has hasn have haven having he hence her here hers herself him
        himself his how i if in into is isn it its itself just let ll m may me might
        mine more most much must my myself neither no nor not now o of off on once only
        onto or other our ours ourselves out over own per quite rather re s same shall
        shan she should shouldn since so some such t than that the thee their theirs
        them themselves then there therefore these they this those thou though through
        thus thy till to too under until unto up upon us ve very was wasn we were weren
        what whatever when where whereas whether which while who whom whose why will
        with within without won would wouldn ye yet you your yours yourself yourselves"""
    ),
    talk=_set(
        """actually answer anybody anyone anything ask asked believe briefly call called
        chapter come consider describe described discuss discussed ever everything
        example explain explained explaining feel felt find first get gets give given
        gives go goes happen happened hello hi idea instance kind know last let like
        likely list look lot made make makes making many matter mean means mention
        mentioned name never nothing often old one ones opinion passage people person
        please point possible prefer put question really reason recall recommend regard
        remember said say saying says see seem seems show someone something sort speak
        specific specifically suggest sure take talk talked tell thing things think
        thinking thought thoughts time times told topic try two type use used usually
        view views want wanted way ways well went word words work works write writes
        writing written wrote yes"""
    ),
)

_FRENCH = StopWords(
    grammar=_set(
        """a ai aie aient ainsi alors apres as au aucun aucune aussi autre autres aux
        avaient avais avait avant avec avez aviez avions avons ayant c car ce ceci cela
        celle celles celui ces cet cette ceux chaque chez ci comme comment contre d dans
        de deja depuis des donc dont du durant elle elles en encore entre es est et
        etaient etais etait etant etes etiez etions etre eu eue eut eux faire fait faut
        fut furent ici il ils j je jusqu jusque l la laquelle le lequel les lesquelles
        lesquels leur leurs lors lorsque lui m ma mais me meme memes mes mien mienne moi
        moins mon n ne ni non nos notre nous on ont ou par parce pas pendant peu peut
        plus plutot pour pourquoi puis puisque qu quand que quel quelle quelles quelque
        quelques quels qui quoi quoique s sa sans se selon sera serait ses si sien
        sienne soi soit sommes son sont sous suis sur t ta tandis tant te tel telle tels
        tes toi ton tous tout toute toutes tres trop tu un une vers voici voila vos
        votre vous y"""
    ),
    talk=_set(
        """aime aimez aimiez appelle bonjour chapitre chose choses conseille conseillez
        croire croyez crois decris decrire decrivez demander dire dis disais dise disent
        disiez dit dites donc donne donner donnez ecrire ecrit ecrits ecrivez exemple
        explique expliquer expliquez facon genre idee liste manier maniere mentionne mot
        mots nomme opinion parle parler parlez passage pense pensee pensees penser
        pensez pensiez pensait peux pourrais pourriez pouvez question quelqu racontez
        raconte rappelez rappelle rien sais savez sujet sens sorte svp texte trouve
        trouvez vas veux voulez voulu vrai vraiment"""
    ),
)

_GERMAN = StopWords(
    grammar=_set(
        """aber alle allem allen aller alles als also am an ander andere anderem anderen
        anderer anders auch auf aus bei beim bin bis bist da dabei dadurch dafur dagegen
        daher damals damit danach dann daran darauf daraus darin daruber darum das dass
        davon dazu dein deine deinem deinen deiner dem den denen denn der deren des
        dessen die dies diese diesem diesen dieser dieses doch dort du durch ein eine
        einem einen einer eines einige einigen einmal er es etwa etwas euch euer eure
        eurem euren eurer fur gegen gewesen hab habe haben habt hast hat hatte hatten
        hattest hattet hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im
        in indem ins ist ja je jede jedem jeden jeder jedes jedoch jene jenem jenen
        jener jenes kann kein keine keinem keinen keiner konnen konnte konnten man
        manche mein meine meinem meinen meiner mich mir mit muss mussen musste nach
        nachdem nicht nichts noch nun nur ob obwohl oder ohne schon sehr sei seid sein
        seine seinem seinen seiner seit selbst sich sie sind so sogar solche solchen
        soll sollen sollte sondern sonst um und uns unser unsere unserem unseren unserer
        unter viel vom von vor wahrend wann war waren warst warum was weder weg weil
        weiter welche welchem welchen welcher welches wem wen wenn wer werde werden
        weshalb wessen wie wieder wieso will wir wird wirst wo wobei wodurch wofur wohin
        wollen wollte womit woran woruber worden wurde wurden zu zum zur zwar zwischen
        uber"""
    ),
    talk=_set(
        """antwort antworte beispiel beschreib beschreibe beschreiben beschreibst bitte
        denke denken denkst ding dinge dir dich empfiehl empfiehlst erinnerst erklar
        erklare erklaren erklarst erzahl erzahle erzahlen erzahlst findest finden frage
        gab geben gebt gedacht gedanke gedanken genau genannt gesagt geschrieben gib
        gibst gibt glaube glauben glaubst grund gut hallo halten haltst heisst idee
        jemand kannst kapitel konntest liste mag magst machen machst macht mal meinen
        meinst meinung mochtest nenne nennen nennst sache sachen sag sage sagen sagst
        sagt sagte schreib schreibe schreiben schreibst schrieb schriebst sprechen
        sprichst stelle text thema tun tust weise weisst wort worte wirklich zeig zeige"""
    ),
)

_SPANISH = StopWords(
    grammar=_set(
        """a al algo algun alguna algunas alguno algunos ante antes aquel aquella aquellas
        aquello aquellos aqui asi aun aunque bajo cada casi como con contra cual cuales
        cuando cuanto de del desde despues donde dos durante e el ella ellas ello ellos
        en entonces entre era eramos eran eras eres es esa esas ese eso esos esta estaba
        estaban estado estamos estan estar estas este esto estos estoy fue fueron fui ha
        habia habian han has hasta hay haber he hemos hizo la las le les lo los mas me
        mi mia mientras mio mis misma mismas mismo mismos mucha muchas mucho muchos muy
        nada ni no nos nosotros nuestra nuestras nuestro nuestros o os otra otras otro
        otros para pero poca pocas poco pocos por porque pues que quien quienes se sea
        segun ser si sido siempre siendo sin sino sobre sois solo somos son soy su sus
        suya suyas suyo suyos tal tales tambien tampoco tan tanto te tener tenia tiene
        tienen ti toda todas todo todos tu tus tuya tuyo un una unas uno unos usted
        ustedes va vosotros vuestra vuestro y ya yo"""
    ),
    talk=_set(
        """acuerda acuerdas capitulo cosa cosas cree creer crees creia cuenta contar
        cuentame cuentas da dar decir decia describa describe describir di dice dices
        dicho dijiste dijo dime ejemplo escribe escribes escribio escribir escribiste
        escrito explica explicame explicar explicas favor gusta gustaba gustan habla
        hablame hablar hablas haces hacer hola idea lista llama llamaba manera mencionas
        menciona modo nombra nombre opina opinas opinion palabra palabras pensaba
        pensabas pensar piensa piensas pregunta puede puedes podria podrias queria
        quiere quieres razon recomienda recomiendas recuerda recuerdas responde sabe
        sabes sentido significa tema texto tipo verdad"""
    ),
)

_LANGUAGES = {"en": _ENGLISH, "fr": _FRENCH, "de": _GERMAN, "es": _SPANISH}
_NONE = StopWords()


def stop_words(language: str) -> StopWords:
    """The row of a language ("en", "en-GB"); an empty row when there is none."""
    return _LANGUAGES.get(language[:2].lower(), _NONE)
