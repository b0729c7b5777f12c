"""Help, glossary, About: their texts, that the help follows the rooms, and that all that is inside has its licence."""

import re
import tomllib
from importlib.metadata import version

import pytest
from PySide6.QtCore import QUrl

from app.__main__ import main
from app.look import language
from app.shell import installed_packages as installed
from app.shell.about import AboutDialog
from app.shell.rooms import ROOMS
from app.state.glossary import find_words, load_glossary
from app.widgets.help_panel import help_text
from app.widgets.linked_text import LinkedText, WordCard, open_link
from bertcore import locations
from bertcore.runs.environment import version_of
from tests.app.conftest import placed, press, wait_until
from tests.end_to_end.shell import in_own_process
from tests.test_rules import ROOT

KEYS = [room.key for room in ROOMS]


@pytest.mark.parametrize("room", KEYS)
def test_each_room_has_a_help_with_formula_and_sources(room):
    text = help_text(room)
    assert text.startswith(f"# {room.capitalize()}\n")
    assert 150 <= len(re.findall(r"\w+", text)) <= 350
    assert re.search(r"^> .*=", text, re.MULTILINE), "no formula"
    assert re.search(r"\*Sources\*:.* \d{4}", text), "no source with its year"


def test_f1_opens_it_and_it_follows_the_room(window):
    window.open_room("attend")
    assert not window.frame.help.is_open
    press(window, "F1")
    panel = window.frame.help
    assert panel.isVisible()
    assert panel.text.toPlainText().startswith("Attend") and "score(i, j)" in panel.text.toPlainText()
    window.open_room("embed")
    assert panel.text.toPlainText().startswith("Embed")
    press(window, "F1")
    assert not panel.isVisible()


def test_it_stays_open_in_another_size_and_its_colours_follow_the_theme(window):
    window.open_room("embed")
    window.toggle_help()
    window.appearance.set_look(projector=True)
    assert window.frame.help.is_open and window.frame.help.text.toPlainText().startswith("Embed")
    before = window.frame.help.text.toHtml()
    window.appearance.set_look("dark")
    assert window.frame.help.text.toHtml() != before


CARDS = load_glossary()


def sentences():
    """What views, cards and help pages say, by place."""
    specs = [view for room in ROOMS for view in room.views]
    found = {f"view {spec.key}": spec.hint for spec in specs}
    found |= {f"help {room.key}": help_text(room.key) for room in ROOMS}
    for file in (ROOT / "app" / "rooms").rglob("*.py"):
        found[file.name] = file.read_text(encoding="utf-8")
    return found


@pytest.mark.parametrize("code", language.LANGUAGES)
def test_a_card_is_short_and_its_links_resolve(code, qapp):
    language.install(qapp, code)
    cards = load_glossary()
    titles = {card.title for card in cards.values()}
    for card in cards.values():
        assert card.see_also and set(card.see_also) <= titles - {card.title}, card.title
        assert 5 <= len(re.findall(r"\w+", card.text.partition("\n\n")[0])) <= 70, card.title
        assert all(find_words(form) for form in card.forms), f"{card.title} has a form that is not found"


def test_every_card_is_linked_from_somewhere():
    linked = {word.key for text in sentences().values() for word in find_words(text)}
    linked |= {word.key for card in CARDS.values() for word in find_words(card.text, besides=card.key)}
    assert set(CARDS) - linked == set()
    assert {word.key for text in sentences().values() for word in find_words(text)} <= set(CARDS)


def test_words_are_found_once_whole_and_the_longest():
    text = "Attention weights of [MASK]: weights, a headline, ##ahead, hidden states; attention weights"
    assert [(text[word.start : word.end], word.key) for word in find_words(text)] == [
        ("Attention weights", "attention-weight"),
        ("[MASK]", "mask"),
        ("weights", "weight"),
        ("hidden states", "hidden-state"),
    ]


def test_enter_on_a_word_opens_its_card_and_escape_closes_it(qtbot):
    text = placed(LinkedText("A head of a layer."), qtbot, 300, 40)
    assert text.words == ["head", "layer"]
    open_link(QUrl("word:head"), text)
    card = text.findChild(WordCard)
    assert card.isVisible() and card.text.toPlainText().startswith("head")
    card.text.anchorClicked.emit(QUrl("word:query"))
    assert card.key == "query"
    press(card, "Esc")
    wait_until(lambda: text.findChild(WordCard) is None)


def test_the_command_list_and_the_help_have_all_words(window):
    window.open_room("embed")
    window.toggle_help()
    assert all(card.title in window.frame.help.text.toPlainText() for card in CARDS.values())
    palette = window.open_palette()
    palette.line.setText("entropy")
    assert any(entry.kind == "Word" and entry.title == "entropy" for entry in palette.shown)


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_dependency_and_model_is_listed_and_has_a_licence(window):
    window.open_about()
    dialog = next(child for child in window.children() if isinstance(child, AboutDialog))
    assert str(version_of("bertscope")) in dialog.title.text()
    rows = [dialog.inside.item(row).text() for row in range(dialog.inside.count())]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked_for = {normal(re.split(r"[<>=]", requirement)[0]) for requirement in project["dependencies"]}
    assert asked_for <= {normal(row.split(" ")[0]) for row in rows}
    assert {row.split(" ")[0] for row in rows} >= set(locations.NAMED)
    assert [row for row in rows if "·" not in row] == []
    assert "bertscope-mini · CC-BY-SA-4.0" in rows
    assert "bertscope-names · see its card" in rows  # learned from text that is published for research alone
    dialog.close()


def test_what_is_chosen_shows_its_licence(window, qtbot):
    dialog = AboutDialog(window)
    qtbot.addWidget(dialog)
    texts = {}
    for row in range(dialog.inside.count()):
        dialog.inside.setCurrentRow(row)
        texts[dialog.inside.item(row).text().split(" ")[0]] = dialog.text.toPlainText()
    assert "MIT License" in texts["bertscope"]
    assert "PYTHON SOFTWARE FOUNDATION LICENSE" in texts["Python"] or "no licence text" in texts["Python"]
    assert "cc-by-sa-4.0" in texts[locations.BUILT_IN]
    assert "NumPy Developers" in texts["numpy"] and "LGPL" in texts["PySide6_Essentials"]


def test_extras_and_the_tools_of_tests_are_not_inside():
    names = {normal(package.name) for package in installed.packages()}
    assert "torch" in names
    assert names.isdisjoint({"pytest", "transformers", "mypy"})


def test_what_a_build_left_in_a_checkout_is_not_what_is_installed(tmp_path, monkeypatch):
    left = tmp_path / "bertscope.egg-info"
    left.mkdir()
    (left / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: bertscope\nVersion: 0.0.1\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert version("bertscope") == "0.0.1"
    assert version_of("bertscope") not in (None, "0.0.1")
    assert "torch" in {package.name for package in installed.packages()}


def test_both_programs_say_their_version(capsys):
    assert in_own_process("--version").out == f"bertcore {version_of('bertscope')}\n"
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"bertscope {version_of('bertscope')}\n"


def test_the_version_is_the_same_wherever_it_is_written():
    version_here = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"\nversion: {version_here}\n" in (ROOT / "CITATION.cff").read_text()
    assert version_here in (ROOT / "CHANGELOG.md").read_text()
