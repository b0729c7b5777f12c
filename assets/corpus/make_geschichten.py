"""Writes German text for a small model: stories and facts, made from the plots and words in the folder geschichten.

    python assets/corpus/make_geschichten.py OUT    writes geschichten.txt and geschichten-held-out.txt into OUT

Plots are written as those of `make_stories.py`, with the forms that German nouns have:

    {tier.der} {tier.den} {tier.dem}     der Hund, den Hund, dem Hund; and ein, kein, mein, dein, sein, unser, dieser
    {tier.ein alt} {tier.den @farbe}     ein alter Hund, den braunen Hund: with an adjective, or a column or role
    {tier.er} {tier.ihn} {tier.ihm}      er, ihn, ihm; of names, too
    {tier.seinen:kind}                   ihren Hund, of Anna; without ":kind" the first role is the owner
    {kind.p} {kind.pe} {kind.pen} ...    ihr, ihre, ihren: before a noun that is written out
    {x.eins.der}                         of a column that holds a noun
    @ x = a b c                          as first line of a beat: the beat once for each of these roles

A question of `evaluation/cloze-de.jsonl` or `cloze-de-second.jsonl` with its answer is in no document.
"""

from __future__ import annotations

import argparse
import random
import re
from pathlib import Path
from typing import NamedTuple

from make_stories import Plot, Row, Table, answered, distinct_documents, read_plots, read_tables

HERE = Path(__file__).parent
QUESTIONS = [HERE.parent / "evaluation" / name for name in ("cloze-de.jsonl", "cloze-de-second.jsonl")]
NAMES = ("geschichten.txt", "geschichten-held-out.txt")
SEED = 20
PER_PLOT, PER_STORY = (
    1200,
    300,
)  # documents; of the long stories, in geschichten.txt, fewer: facts are learned from the others
HELD_OUT_EVERY = 40  # one document in this many
GENDERS = {"der": "m", "die": "f", "das": "n"}
WHO = {"m": ("er", "ihn", "ihm"), "f": ("sie", "sie", "ihr"), "n": ("es", "es", "ihm")}
OF = {"m": "sein", "n": "sein", "f": "ihr"}
CASES = {"der": 0, "den": 1, "dem": 2, "": 0, "en": 1, "em": 2}
THE = {"m": ("der", "den", "dem"), "f": ("die", "die", "der"), "n": ("das", "das", "dem")}
ENDING_OF_A = {"m": ("", "en", "em"), "f": ("e", "e", "er"), "n": ("", "", "em")}
ENDING_AFTER_THE = {"m": ("e", "en", "en"), "f": ("e", "e", "en"), "n": ("e", "e", "en")}
ENDING_AFTER_A = {"m": ("er", "en", "en"), "f": ("e", "e", "en"), "n": ("es", "es", "en")}
A = re.compile(r"(ein|kein|mein|dein|sein|unser)(|en|em)")
THIS = {"dieser": ("dieser", "diese", "dieses"), "diesen": ("diesen", "diese", "dieses")}
BEGINNING = re.compile(r"((?:^|[.!?]“? |(?<!zählen): )„?)([a-zäöü])")
UNCHANGED = ("rosa", "lila", "orange")
STEMS = {"hoch": "hoh", "teuer": "teur", "dunkel": "dunkl", "sauer": "saur"}
JOINED = {
    "in dem": "im",
    "in das": "ins",
    "an dem": "am",
    "an das": "ans",
    "zu dem": "zum",
    "zu der": "zur",
    "bei dem": "beim",
    "von dem": "vom",
}


class Noun(NamedTuple):
    gender: str
    word: str
    oblique: str  # in the accusative and dative

    @classmethod
    def of(cls, text: str) -> Noun:
        """From "der Bär,Bären"."""
        article, _, word = text.partition(" ")
        word, _, oblique = word.partition(",")
        return cls(GENDERS[article], word, oblique or word)

    def form(self, form: str, adjective: str, owner: str) -> str:
        """With its article, and an adjective between; `owner`: whose it is, m, f or n."""
        found = A.fullmatch(form)
        if found is None:
            case = {"dieser": 0, "diesen": 1}.get(form, CASES.get(form))
            article = THIS[form]["mfn".index(self.gender)] if form in THIS else THE[self.gender][case]
            endings = ENDING_AFTER_THE
        else:
            case = CASES[found[2]]
            stem = OF[owner] if found[1] == "sein" else found[1]
            article, endings = stem + ENDING_OF_A[self.gender][case], ENDING_AFTER_A
        words = [article, with_ending(adjective, endings[self.gender][case]), self.oblique if case else self.word]
        return " ".join(filter(None, words))


def with_ending(adjective: str, ending: str) -> str:
    if not adjective or adjective in UNCHANGED:
        return adjective
    return STEMS.get(adjective, adjective).removesuffix("e") + ending


class Cast:
    """The rows that the roles of a plot have in one story."""

    def __init__(self, plot: Plot, rng: random.Random) -> None:
        self.first = plot.roles[0].name
        self.rows: dict[str, Row] = {}
        for role in plot.roles:
            free = [row for row in role.table if row["name"] not in {taken["name"] for taken in self.rows.values()}]
            if role.unlike:
                free = [row for row in free if row["sex"] != self.rows[role.unlike]["sex"]]
            row = rng.choice(free)
            self.rows[role.name] = {name: rng.choice(cell.split("/")) for name, cell in row.items()}

    def gender(self, role: str) -> str:
        row = self.rows[role]
        return row["sex"] if "sex" in row else Noun.of(row["name"]).gender

    def said(self, slot: str) -> str:
        """What stands for the text between two braces."""
        path, _, adjective = slot.partition(" ")
        path, _, owner = path.partition(":")
        role, *columns = (path[0].lower() + path[1:]).split(".")
        text = self._said(role, columns, self._adjective(role, adjective), self.gender_of_owner(owner or self.first))
        return text[0].upper() + text[1:] if path[0].isupper() else text

    def gender_of_owner(self, role: str) -> str:
        row = self.rows[role]
        return row.get("sex") or GENDERS.get(row["name"].split(" ")[0], "m")

    def _adjective(self, role: str, adjective: str) -> str:
        if not adjective.startswith("@"):
            return adjective
        name = adjective[1:]
        return self.rows[role][name] if name in self.rows[role] else self.rows[name]["name"]

    def _said(self, role: str, columns: list[str], adjective: str, owner: str) -> str:
        row = self.rows[role]
        if columns and columns[0] in row:
            text = row[columns[0]]
            if len(columns) == 1:
                return text
            columns = columns[1:]
        else:
            text = row["name"]
        if not columns:
            return Noun.of(text).word if text.split(" ")[0] in GENDERS else text
        form = columns[0]
        if form in ("er", "ihn", "ihm"):
            gender = self.gender(role) if text == row["name"] else Noun.of(text).gender
            return WHO[gender][("er", "ihn", "ihm").index(form)]
        if re.fullmatch(r"p(|e|en|em|er|es)", form):
            return OF[self.gender(role)] + form[1:]
        if form == "geschwister":
            return "der Bruder" if row["sex"] == "m" else "die Schwester"
        if form == "geschwist":
            return "einen Bruder" if row["sex"] == "m" else "eine Schwester"
        return Noun.of(text).form(form, adjective, owner)


def german_tables(path: Path) -> dict[str, Table]:
    """The word tables; a row "der Bäcker / die Bäckerin" is two."""
    tables = read_tables(path)
    return {
        name: [{**row, "name": word} for row in rows for word in row["name"].split(" / ")]
        for name, rows in tables.items()
    }


def beats_of(plot: Plot) -> list[list[str]]:
    """Those that are said of several roles are repeated, once for each."""
    found = []
    for beat in plot.beats:
        if not beat[0].startswith("@ "):
            found.append(beat)
            continue
        name, _, roles = beat[0][2:].partition(" = ")
        found += [[re.sub(rf"\{{{name}(?=[.}} :])", "{" + role, line) for line in beat[1:]] for role in roles.split()]
    return found


def render(phrasing: str, cast: Cast, rng: random.Random) -> str:
    text = re.sub(r"\[([^\[\]]*)\]", lambda match: rng.choice(match.group(1).split("|")), phrasing)
    text = re.sub(r"\{([^{}]+)\}", lambda match: cast.said(match.group(1)), text)
    for apart, joined in JOINED.items():
        text = re.sub(rf"\b({apart[0]}|{apart[0].upper()}){apart[1:]}\b", rf"\1{joined[1:]}", text)
    return BEGINNING.sub(lambda match: match[1] + match[2].upper(), text)


def tell(plot: Plot, rng: random.Random) -> str:
    """One story or some facts: a paragraph."""
    cast = Cast(plot, rng)
    sentences = []
    for beat in beats_of(plot):
        lines = beat[1:] if beat[0] == "?" else beat
        if beat[0] != "?" or rng.random() < 0.5:
            sentences.append(render(rng.choice(lines), cast, rng))
    return " ".join(sentences)


def held_back() -> list[str]:
    """The questions with their answers: no document contains one."""
    return answered(QUESTIONS)


def make_documents(folder: Path = HERE / "geschichten", seed: int = SEED, share: float = 1.0) -> list[str]:
    """All documents, or a share of them, in random order; none twice."""
    tables, never = german_tables(folder / "woerter.txt"), held_back()
    files = (path for path in sorted(folder.glob("*.txt")) if path.stem != "woerter")
    counts = (
        (plot, round(share * (PER_STORY if path.stem == folder.name else PER_PLOT)))
        for path in files
        for plot in read_plots(path, tables)
    )

    def tell_unless_asked(plot: Plot, rng: random.Random) -> str:
        text = tell(plot, rng)
        return "" if any(sentence in text for sentence in never) else text

    return distinct_documents(counts, tell_unless_asked, seed)


def make_corpus(share: float = 1.0) -> dict[str, str]:
    """Both files by name."""
    documents = make_documents(share=share)
    held_out = documents[::HELD_OUT_EVERY]
    kept = set(held_out)
    parts = [text for text in documents if text not in kept], held_out
    return {name: "\n\n".join(part) + "\n" for name, part in zip(NAMES, parts, strict=True)}


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the German text.")
    parser.add_argument("out", type=Path)
    out = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for name, text in make_corpus().items():
        (out / name).write_text(text, encoding="utf-8")
        print(f"{name}: {len(text.encode()):,} bytes")


if __name__ == "__main__":
    main()
