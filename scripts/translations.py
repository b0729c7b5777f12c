"""What the window says, for translators: gathers the texts and says what is not translated. `make strings` runs it.

    python -m scripts.translations [--translated NAME ...]

For each folder of assets/languages: bertscope.ts gets the texts that the sources give to `say` and `mark`, and keeps
its translations, and each lesson gets the commands of the English one. sources.json has a hash of the English behind
each lesson, help page and glossary card: where it differs, the translation is stale.
--translated: these, as they are listed, are up to date again; "all" for every one.
"""

import argparse
import ast
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from jinja2 import Environment, nodes

from app.look.language import read_ts
from app.look.say import Texts
from app.look.translated import folder_of
from app.state.examples import load_examples
from app.state.glossary import read_glossary
from app.state.literature import before_bert, family
from bertcore.exercises import EXERCISES, SAYS, sentences, ways_of
from bertcore.files import read_json
from bertcore.locations import assets
from bertcore.runs.diagnosis_words import ALL_SENTENCES
from bertcore.tasks.readers.reading import TASKS

ROOT = Path(__file__).parents[1]
WORDS = ("title", "ask", "option", "correct", "option-if", "explain", "task", "hint", "note", "summary")
SOURCES = "sources.json"  # beside the translations
TEXTS_OF_ASSETS = ("differs", "why", "claim")  # keys of what is shown of family.json and published.json
FORMS = 2  # of a plural; both languages so far have two


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--translated", nargs="+", default=[], metavar="NAME")
    names = parser.parse_args().translated
    found = strings_of_sources()
    for folder in sorted(path for path in (assets() / "languages").iterdir() if path.is_dir()):
        code, file = folder.name, folder / "bertscope.ts"
        file.write_text(as_ts(code, found, read_ts(file)), encoding="utf-8")
        for lesson in sorted((folder / "lessons").glob("*.md")):
            english = (assets() / "lessons" / lesson.name).read_text(encoding="utf-8")
            lesson.write_text(with_commands(lesson.read_text(encoding="utf-8"), english), encoding="utf-8")
        keep_hashes(code, names)
        missing = [*untranslated(code, found), *(f"stale, its English has changed: {name}" for name in stale(code))]
        print("\n".join(missing) or "nothing is missing")
        print(f"{code}: {share(code, found):.1%} of {len(found)} strings; {len(missing)} texts are missing")
    return 0


def strings_of_sources() -> Texts:
    """All of them, without translations: those of app/ and its pages, and what the window shows of the engine's."""
    found = {
        ("", text): list[str]()
        for text in (*ALL_SENTENCES, *exercise_sentences(), *(task.title for task in TASKS.values()))
    }
    for file in sorted((ROOT / "app").rglob("*.py")):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("say", "mark"):
                meaning = next(
                    (
                        ast.literal_eval(each.value)
                        for each in call.keywords
                        if each.arg == "meaning" and isinstance(each.value, ast.Constant)
                    ),
                    "",
                )
                found |= {(meaning, text): [] for text in _literals(call.args[0])}
    for page in sorted(assets().glob("*.html")):
        for said in Environment().parse(page.read_text(encoding="utf-8")).find_all(nodes.Call):
            if isinstance(said.node, nodes.Name) and said.node.name == "say" and isinstance(said.args[0], nodes.Const):
                found["", said.args[0].value] = []
    for text in texts_in(read_json(assets() / "names.json")):
        found["", text] = []
    for one in (*family(), *before_bert()):
        found |= {("", text): [] for key in TEXTS_OF_ASSETS if (text := getattr(one, key))}
    return found


def texts_in(table: Any) -> Iterator[str]:
    """All that a table of names holds but its keys."""
    if isinstance(table, str):
        yield table
    else:
        for each in table.values() if isinstance(table, dict) else table:
            yield from texts_in(each)


def exercise_sentences() -> Iterator[str]:
    """What is said of a student's functions."""
    yield from SAYS.values()
    for exercise in EXERCISES:
        yield from (text for name, way in ways_of(exercise).items() if "__" in name for text in sentences(way))


def _literals(argument: ast.expr) -> list[str]:
    """The texts written in it; none where a text is shown that is marked elsewhere."""
    if isinstance(argument, ast.IfExp):
        return _literals(argument.body) + _literals(argument.orelse)
    return [argument.value] if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else []


def as_ts(code: str, strings: Texts, translations: Texts) -> str:
    """A file of Qt Linguist. Strings that are not in the sources any more are left out."""
    root = ElementTree.Element("TS", version="2.1", language=code, sourcelanguage="en")
    context = ElementTree.SubElement(root, "context")
    ElementTree.SubElement(context, "name").text = "BERTscope"
    for meaning, source in sorted(strings, key=lambda key: key[::-1]):
        is_plural, forms = is_counted(source), translations.get((meaning, source), [])
        message = ElementTree.SubElement(context, "message", {"numerus": "yes"} if is_plural else {})
        ElementTree.SubElement(message, "source").text = source
        if meaning:
            ElementTree.SubElement(message, "comment").text = meaning
        written = ElementTree.SubElement(message, "translation", {} if forms else {"type": "unfinished"})
        if is_plural:
            for form in (forms + [""] * FORMS)[:FORMS]:
                ElementTree.SubElement(written, "numerusform").text = form
        else:
            written.text = forms[0] if forms else ""
    ElementTree.indent(root, "")
    return f'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE TS>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def is_counted(source: str) -> bool:
    return "%n" in source or "%Ln" in source


def share(code: str, strings: Texts) -> float:
    """Of the strings that are translated."""
    translations = read_ts(folder_of(code) / "bertscope.ts")
    return sum(bool(translations.get(key)) for key in strings) / len(strings)


def untranslated(code: str, strings: Texts) -> Iterator[str]:
    """A line for each text that is missing or does not fit the English one."""
    folder = folder_of(code)
    translations = read_ts(folder / "bertscope.ts")
    yield from (repr(source) for meaning, source in strings if not translations.get((meaning, source)))
    said = json.loads((folder / "examples.json").read_text(encoding="utf-8"))
    for example in load_examples():
        texts = (example.title, example.look_for, example.happens)
        yield from (f"example: {text!r}" for text in texts if text not in said)
    for name in ("help", "lessons"):
        there = {file.name for file in (folder / name).glob("*.md")}
        yield from (f"{name}/{file.name}" for file in sorted((assets() / name).glob("*.md")) if file.name not in there)
    more = len(read_glossary(assets() / "glossary.md")) - len(read_glossary(folder / "glossary.md"))
    if more > 0:
        yield f"glossary.md: {more} cards"


def english_texts() -> dict[str, str]:
    """Translated as a whole: words of lessons (their commands are copied), help pages, cards of the glossary."""
    texts = {f"help/{file.name}": file.read_text(encoding="utf-8") for file in (assets() / "help").glob("*.md")}
    for file in (assets() / "lessons").glob("*.md"):
        lesson = file.read_text(encoding="utf-8")
        left_out = {number for number, name, _ in commands(lesson) if name not in WORDS}
        lines = enumerate(lesson.splitlines())
        texts[f"lessons/{file.name}"] = "\n".join(line for number, line in lines if number not in left_out)
    for key, card in read_glossary(assets() / "glossary.md").items():
        texts[f"glossary/{key}"] = card.text
    return texts


def hashes() -> dict[str, str]:
    return {name: hashlib.sha256(text.encode()).hexdigest()[:16] for name, text in sorted(english_texts().items())}


def stale(code: str) -> list[str]:
    """Texts whose English is not the one that was translated."""
    kept = json.loads((folder_of(code) / SOURCES).read_text(encoding="utf-8"))
    return [name for name, value in hashes().items() if kept.get(name) != value]


def keep_hashes(code: str, names: list[str]) -> None:
    file = folder_of(code) / SOURCES
    kept = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    now = hashes()
    made = {name: value if name in names or "all" in names else kept.get(name, "") for name, value in now.items()}
    file.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


def with_commands(lesson: str, english: str) -> str:
    """The lesson with the commands of the English one, and its own words; as it is where their order differs."""
    own, other = commands(lesson), commands(english)
    if [name for _, name, _ in own] != [name for _, name, _ in other]:
        return lesson
    lines = lesson.splitlines()
    for (at, name, said), (_, _, line) in zip(own, other, strict=True):
        if name == "option-if":
            lines[at] = f"{line.partition(' : ')[0]} : {said.partition(' : ')[2]}"
        elif name not in WORDS:
            lines[at] = line
    return "\n".join(lines) + "\n"


def commands(lesson: str) -> list[tuple[int, str, str]]:
    """(number of the line, name, line) of each command outside of code."""
    found, is_code = [], False
    for number, line in enumerate(lesson.splitlines()):
        is_code ^= line.startswith("```")
        match = re.match(r":: *([\w-]+)", line)
        if match and not is_code:
            found.append((number, match[1], line))
    return found


if __name__ == "__main__":
    sys.exit(main())
