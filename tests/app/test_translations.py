"""German: what is not translated, whether translations fit, and that the window changes its language at once."""

import re

import pytest
import translations
from PySide6.QtCore import QCoreApplication

from app.lessons.parser import load_lesson
from app.lessons.shipped import shipped_files, shipped_lessons
from app.look import language, numbers
from app.look.say import say
from app.look.translated import folder_of
from app.shell.rooms import ROOMS, room_views
from app.shell.settings import load_settings
from app.state.examples import load_examples
from app.widgets.help_panel import help_text
from bertcore.locations import assets
from tests.app.conftest import settle, wait_until

CODES = [code for code in language.LANGUAGES if code != "en"]
LEAST = 0.97  # of the strings: others may be added while a translator sleeps; `make strings` lists them
LESSONS = [(code, file) for code in CODES for file in sorted((folder_of(code) / "lessons").glob("*.md"))]
pytestmark = pytest.mark.parametrize("code", CODES)


@pytest.fixture
def german(qapp):
    language.install(qapp, "de")


def test_nearly_everything_is_translated(code):
    found = translations.strings_of_sources()
    missing = "\n".join(translations.untranslated(code, found))
    print(missing or "nothing is missing")
    assert translations.share(code, found) >= LEAST, missing


def test_what_was_translated_is_what_the_english_says_now(code):
    stale = translations.stale(code)
    assert stale == [], "translate these anew, then `python -m scripts.translations --translated NAME ...`"


def test_apostrophes_are_curly(code):
    texts = [text for _, text in translations.read_ts(folder_of(code) / "bertscope.ts")]
    straight = re.compile(r"\w'\w")
    assert [text for text in (*texts, *translations.english_texts().values()) if straight.search(text)] == []


def test_a_changed_english_text_is_named(code, monkeypatch):
    texts = translations.english_texts()
    changed, gone, new = sorted(texts)[0], sorted(texts)[1], "help/new.md"
    other = {name: text for name, text in texts.items() if name != gone} | {changed: texts[changed] + ".", new: ""}
    monkeypatch.setattr(translations, "english_texts", lambda: other)
    assert {changed, new} <= set(translations.stale(code)) and gone not in translations.stale(code)


def test_the_file_is_what_the_tool_writes(code):
    file = folder_of(code) / "bertscope.ts"
    written = translations.as_ts(code, translations.strings_of_sources(), translations.read_ts(file))
    assert file.read_text(encoding="utf-8") == written, "run `make strings`"


def test_translations_keep_what_is_filled_in(code):
    parts = re.compile(r"\{[^}]*\}|%L?n|</?[a-z][^>]*>")  # tags, and not what stands between “<” and “>”
    wrong = [
        (source, form)
        for (_, source), forms in translations.read_ts(folder_of(code) / "bertscope.ts").items()
        for form in forms
        if sorted(parts.findall(form)) not in (sorted(parts.findall(source)), _without_count(parts.findall(source)))
    ]
    assert wrong == []


def _without_count(parts):
    """A singular may say its number in words."""
    return sorted(part for part in parts if part not in ("%n", "%Ln"))


@pytest.mark.parametrize("file", [file for _, file in LESSONS], ids=lambda file: file.stem)
def test_a_lesson_does_what_the_english_one_does(code, file):
    english = assets() / "lessons" / file.name
    assert english.is_file(), "there is no such lesson in English any more"
    one, other = load_lesson(file, room_views()), load_lesson(english, room_views())
    assert (one.minutes, one.model) == (other.minutes, other.model)
    assert [_deeds(page) for page in one.pages] == [_deeds(page) for page in other.pages], "run `make strings`"
    assert _words(one).isdisjoint(_words(other)), "a sentence is not translated"


def _deeds(page):
    """What a page does, without its words."""
    question, task = page.question, page.task
    return (
        page.setup,
        page.highlights,
        page.covers,
        page.cut,
        [(one.measure, one.operator, one.value) for one in page.claims],
        question and (question.kind, question.answer, question.within, len(question.options)),
        question and [_right(option.is_right) for option in question.options],
        task and (task.done.measure, task.done.operator, task.done.value, task.solution, bool(task.hint)),
        sorted(str(measure) for _, measure in page.placeholders),
        bool(page.notes),
    )


def _right(rule):
    return rule if isinstance(rule, bool) else (rule.measure, rule.operator, rule.value)


def _words(lesson):
    return {lesson.title, lesson.summary, *(page.text for page in lesson.pages if page.text)}


def test_the_help_has_the_title_of_its_room_and_its_formulas(code, german):
    for room in ROOMS:
        text, english = help_text(room.key), (assets() / "help" / f"{room.key}.md").read_text(encoding="utf-8")
        assert text.startswith(f"# {room.shown_title}\n")
        assert (text.count("\n> "), text.count("\n\n")) == (english.count("\n> "), english.count("\n\n"))


def test_examples_keep_their_english_sentences(code, german):
    shown = load_examples()
    language.install(QCoreApplication.instance(), "en")
    assert [(one.a, one.b, one.mask) for one in shown] == [(one.a, one.b, one.mask) for one in load_examples()]
    assert shown != load_examples()


def test_numbers_are_written_as_the_language_does(code, german):
    assert [numbers.decimal(-0.5), numbers.count(12_204), numbers.percent(0.0523)] == ["−0,50", "12.204", "5\u202f%"]
    assert [numbers.signed(0.004), numbers.signed(0.4)] == ["0,00", "+0,40"]
    assert [numbers.read(text) for text in ("0,5", "0.5", "12.204", "46 %", "-3")] == [0.5, 0.5, 12204.0, 0.46, -3.0]
    assert say("%n token(s)", n=1) == "1 Token"
    assert say("%n thing(s)", n=2) == "2 things"


def test_the_window_changes_its_language_at_once(code, window):
    example = load_examples()[0]
    window.lessons.open(shipped_files()[1])
    settle(window)
    window.examples.use(example)
    settle(window)
    window.services.runs.refresh()
    in_english = [run.about for run in window.services.runs.runs]
    window.appearance.set_language(code)
    wait_until(lambda: window.commands["file.quit"].text() == "Beenden")
    in_german = [run.about for run in window.services.runs.runs]
    assert in_english and in_german != in_english
    assert window.frame.question.question == load_examples()[0].look_for != example.look_for
    assert window.lessons.player.lesson.title == shipped_lessons()[1].title
    assert window.commands[f"view.language_{code}"].isChecked()
    assert load_settings(window.services.settings_file).language == code
    settle(window)
    window.appearance.set_language("en")
    wait_until(lambda: window.commands["file.quit"].text() == "Quit")
    assert window.frame.question.question == example.look_for


def test_the_language_of_the_system_is_one_of_ours(code):
    assert language.chosen(code) == code
    assert language.chosen("system") in language.LANGUAGES
