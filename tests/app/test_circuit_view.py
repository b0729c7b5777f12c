"""The views of the map on what its parts do: the numbers are the engine's, and lead to all rooms."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

import bertcore
from app.compute import circuit
from app.look import numbers
from app.rooms.map import circuit_sentences as sentences
from app.rooms.map.arrows import LitParts, share_text
from app.rooms.map.circuit_view import LEAST_DRAWN
from app.rooms.map.plan import MapPart
from app.state.baseline import OtherText
from app.state.selection import Contrast
from bertcore.analysis.circuit import Link, Outcome, Part
from tests.app.conftest import compare_texts, read_masked, settle, shown_view, wait_until

OURS, THEIRS = "The cat sat on the [MASK].", "The dog sat on the [MASK]."
TEMPLATE = "The [cat/dog] sat on the [{}/{}]."


@pytest.fixture
def empty(window):
    return shown_view(window, "map", "circuit")


@pytest.fixture
def view(empty, window):
    compare_texts(window, empty, OURS, THEIRS)
    return empty


def circuit_of(view, **options):
    """The engine's, of the parts on show: which ones come first may hang on the last bit."""
    model, (wanted, against) = view.reading.request.model, view.targets.target.answers
    asked = {"other_a": THEIRS, "wanted": wanted, "against": against}
    shown = [view.map.lit.parts[number] for number in sorted(view.map.lit.chosen)]
    return bertcore.load(model.folder).circuit(OURS, **asked, parts=shown, **options)


def test_the_picture_has_the_numbers_of_the_engine(view):
    found, lit, of_set = circuit_of(view), view.map.lit, view.asked["set"].answer
    np.testing.assert_allclose(lit.lost, found.lost, atol=1e-3)
    assert of_set.chosen == found.chosen and len(found.chosen) == view.slider.value()
    only, outcomes = found.outcomes["only"], view.shown["outcomes"].array
    np.testing.assert_allclose(outcomes[1], [*only.probabilities, only.kept], atol=1e-3)
    assert view.shown["curve"].array[0, len(found.chosen) - 1] == pytest.approx(only.kept, abs=1e-3)
    np.testing.assert_allclose(of_set.random, found.random, atol=1e-3)
    kept, random = (numbers.percent(one) for one in (of_set.outcomes["only"].kept, of_set.random.max()))
    assert f"keep {kept} of the difference" in view.summary.text() and f"keeps {random}." in view.summary.text()
    measured = {(link.sender, link.receiver): link.lost for link in found.links}
    assert lit.links and all(abs(measured[link[:2]] - link.lost) < 1e-3 for link in lit.links)
    first, _second = view.targets.target.answers
    ours, theirs = (view.targets.target.value(one) for one in (view.reading, view.reading.other_text))
    assert ours > theirs and f"“{first}”" in view.map_card.title  # the word of this text comes first
    figure = view._figure()
    assert list(figure.numbers["lost"].axes[0].labels)[1] == "head 1·1" and figure.caption


def test_fewer_parts_are_another_set(view):
    view.slider.setValue(4)
    wait_until(lambda: not view.is_running)
    found = circuit_of(view)
    assert view.shown["outcomes"].array[1, -1] == pytest.approx(found.outcomes["only"].kept, abs=1e-3)
    assert view.count.text() == f"Parts shown: 4 of {len(found.parts)}" and len(view.map.lit.chosen) == 4
    assert np.isfinite(view.shown["curve"].array[1]).sum() == 2  # random sets of both sizes


def test_scripts_make_the_numbers_again(view):
    """Where the order of the parts is that of the last bit, a curve and a set may be others."""
    made = []
    for figure in (view._figure(), view.figure_of("curve"), view.figure_of("outcomes")):
        exec(figure.script, space := {})
        made.append((space["numbers"], next(iter(figure.numbers.values())).values))
    (lost, saved), (curve, saved_curve), (outcomes, saved_outcomes) = made
    np.testing.assert_allclose(lost, saved, atol=1e-3)
    np.testing.assert_allclose(curve[[0, -1]], saved_curve[0, [0, -1]], atol=1e-3)
    np.testing.assert_allclose(outcomes[[0, -1]], saved_outcomes[[0, -1]], atol=1e-3)
    assert curve.shape == saved_curve[0].shape and outcomes.shape == saved_outcomes.shape


def test_a_part_and_an_arrow_lead_to_their_rooms(view, window):
    opened = []
    view.room_requested.connect(lambda *where: opened.append(where))
    view.map.clicked.emit(MapPart("head", 1, 2), Qt.KeyboardModifier.NoModifier)
    assert opened == [("attend", "matrix")] and (window.state.layer, window.state.head) == (1, 2)
    assert window.state.focus == view.map.lit.places[view.map.number_of(MapPart("head", 1, 2))]
    view.map.clicked.emit(MapPart("feed_forward", 0), Qt.KeyboardModifier.NoModifier)
    assert opened[-1] == ("layers", "neurons") and window.state.selection.stage == 1
    for number, link in enumerate(view.map.lit.links):
        view.map.clicked.emit(MapPart("link", stage=number), Qt.KeyboardModifier.NoModifier)
        to = {"head": ("attend", "matrix"), "feed-forward": ("layers", "neurons"), "answer": ("predict", "words")}
        assert opened[-1] == to[link.receiver.kind]


def test_what_is_under_the_mouse_is_said(view):
    arrow, said = view.map.arrows[0], []
    view.hover_text_changed.connect(said.append)
    part = view.map.cell_at(arrow.label.center())
    assert part == MapPart("link", stage=0)
    view.map.set_hovered(part)
    assert " → " in said[-1] and f"{abs(view.map.lit.links[0].lost):.0%}" in said[-1] and arrow.text
    view.map.set_hovered(MapPart("head", 0, 0))
    assert "Head 1·1" in said[-1] and "this part alone" in said[-1]
    view.map.repaint()


def test_a_part_is_swapped_in_from_its_menu(view, window):
    menus = []
    view.token_menu_requested.disconnect()
    view.token_menu_requested.connect(lambda *given: menus.append(given))
    for part in (MapPart("head", 1, 2), MapPart("feed_forward", 1)):
        view.map.context_menu_requested.emit(part, QPoint())
        (words, swap), *_ = menus[-1][2]
        swap()
        settle(window)
        assert "output on the other text" in words and window.state.what_if.swap.row == 1
    assert window.state.what_if.swap.part == "feed-forward"
    wait_until(lambda: not view.is_running)
    assert view.map.lit.parts  # the model as it is


def test_the_same_parts_in_other_sentences(view, window, tmp_path):
    wanted, against = view.targets.target.answers
    assert view.box.toPlainText() == TEMPLATE.format(wanted, against)
    view.box.setPlainText(f"{TEMPLATE.format(wanted, against)}\nA [cat|bird/dog] ran to the [{wanted}/{against}].")
    view._on_use_clicked()
    wait_until(lambda: not view.is_running)
    tried = view.asked["others"].answer
    assert len(tried) == 3 and tried[0].kept == pytest.approx(view.shown["outcomes"].array[1, -1], abs=1e-3)
    shares = [one.kept for one in tried if not one.problem]
    assert len(shares) == 2 and numbers.percent(shares[1]) in view.others.text()
    (tmp_path / "pairs.txt").write_text("no brackets at all\n")
    for source in (circuit.Source("pairs", lines=("",)), circuit.Source("pairs", tmp_path / "pairs.txt")):
        view._try_on(source)
        wait_until(lambda: not view.is_running)
        assert view.asked["others"].sentence.count(".") <= 2 and view.asked["others"].sentence
    view._try_on(circuit.Source("pairs", lines=(TEMPLATE.format(wanted, against),)))
    wait_until(lambda: not view.is_running)
    assert not view.tried and not view.others.text()  # the text itself is no other sentence
    view._try_on(circuit.Source("pairs", lines=(f"A [cat/dog] ran to the [{wanted}/{against}].",)))
    wait_until(lambda: not view.is_running)
    view.clicked("others", 0, None)
    settle(window)
    texts = "A cat ran to the [MASK].", "A dog ran to the [MASK]."
    assert window.state.text_a == texts[0] and window.state.baseline == OtherText(texts[1], "")


def test_where_there_is_nothing_to_explain(empty, window):
    assert "differ in one word" in empty.nothing_title.text() and empty.try_it.isVisible()
    compare_texts(window, empty, OURS, "The dog sat on the big [MASK].")
    assert "differ in length" in empty.nothing_title.text()
    compare_texts(window, empty, OURS, OURS)
    assert empty.shows_nothing and "no part makes a difference" in empty.nothing_text.text()


def test_two_typed_words_do_not_hide_that_the_texts_differ_in_length(view, window):
    first, second = view.targets.target.answers
    window.state.set_contrast(Contrast(second, first))
    settle(window)
    window.state.set_text("The old cat sat down on the [MASK].", "")
    settle(window)
    assert view.shows_nothing and "differ in length" in view.nothing_title.text()


def test_what_takes_long_is_offered(empty, window, monkeypatch):
    monkeypatch.setattr(circuit, "GFLOP_PER_S", 1e-6)
    compare_texts(window, empty, OURS, THEIRS)
    assert empty.asked["paths"].can_restart and "about" in empty.asked["paths"].sentence
    assert empty.map.lit.parts and not empty.map.lit.links and not empty.slider.isEnabled()
    empty.asked["paths"].start()
    wait_until(lambda: not empty.is_running)
    assert empty.map.lit.links and empty.slider.isEnabled()


PARTS = [Part("words"), Part("head", 0, 0), Part("feed-forward", 0)]


def paths_with(curve):
    return circuit.Paths([], [], np.array(curve), [], np.empty((0, 0)))


def test_sentences(monkeypatch):
    outcomes = {name: Outcome(0, kept, ()) for name, kept in (("only", 0.85), ("without", 0.01))}
    of_set = circuit.PartSet(PARTS[:2], outcomes, 0.95, np.array([0.02, 0.06]))
    few = paths_with([0.1, 0.9, *[1.0] * 10])
    text = (
        "These 2 of 12 parts keep 85% of the difference; the best of 2 random sets of that size keeps 6%. Without "
        "them, 1% is left."
    )
    monkeypatch.setattr(sentences.numbers, "is_technical", lambda: False)
    assert sentences.summary(few, of_set) == text
    monkeypatch.undo()
    reverse = "The other way round (these parts on the other text, all others on this one) they keep 95%."
    assert sentences.summary(few, of_set) == f"{text} {reverse}"
    many = paths_with([0.1, 0.2, 0.9, 1.0])
    assert "together: 3 of 4 are needed to keep 80%" in sentences.summary(many, None)
    others = [circuit.OtherSentence("a", "b", 0.34), circuit.OtherSentence("a", "b", 0.88)]
    text = "In 2 other sentences the same parts keep 34% to 88% of the difference."
    assert sentences.others_sentence(others, others) == text
    assert sentences.others_sentence(others[:1], ()) == "In 1 other sentence the same parts keep 34% of the difference."
    broken = circuit.OtherSentence("a", "", float("nan"), "line 1: no other text.")
    assert sentences.others_sentence([], [broken]) == "1 sentence could not be tried. line 1: no other text."
    assert "could not be tried" in sentences.others_sentence(others, [*others, broken])
    title, text = sentences.link_caption(Link(PARTS[0], PARTS[2], 0.69))
    assert "grows by 3%" in sentences.link_caption(Link(PARTS[0], PARTS[2], -0.03))[1]
    assert title == "embeddings → feed-forward 1" and text.startswith("69% of the difference is lost")
    assert [share_text(share) for share in (0.85, -0.123, 1.0, 0.0)] == [".85", "−.12", "1.0", ""]
    assert LitParts().target == 0 and 0 < LEAST_DRAWN < 1


def test_a_line_of_a_collection_from_two_texts():
    texts = "The woman put on [MASK] hat.", "The man put on [MASK] hat."
    assert circuit.template_of(*texts, ("her", "his")) == "The [woman/man] put on [her/his] hat."
    assert circuit.template_of(texts[0], texts[0], ("her", "his")) == ""
    assert circuit.template_of(*texts, ("", "")) == ""
    assert circuit.template_of("[MASK] saw the cat", "[MASK] saw the dog", ("she", "he")) == ""  # asked about last
    assert circuit.template_of("The cat.", "The big dog.", ("a", "b")) == ""


def test_what_each_part_says(window):
    view = shown_view(window, "map", "speaks")
    assert "No word" in view.nothing_title.text()
    read_masked(window, [2])
    wait_until(lambda: not view.is_running)
    target, m = view.targets.target, bertcore.load(window.state.model.folder)
    parts = m.logit_parts(
        window.state.text_a.replace("cat", "[MASK]"), window.state.text_b or None, wanted=target.label.split()[0]
    )
    values = np.array([sum(parts.embeddings.values()), *parts.heads.flat, *parts.feed_forward, parts.biases])
    bars = view.figure_of("direct").numbers["added_logit"].values
    np.testing.assert_allclose(bars, values[np.argsort(-np.abs(values), kind="stable")][: len(bars)], atol=1e-4)
    assert f"For {target.label}: the parts add up to its score" in view.about.text()
    row = next(row for row, name in enumerate(view.shown["direct"].rows.labels) if name == "head 2·3")
    view.charts["direct"].clicked.emit(row, Qt.KeyboardModifier.NoModifier)
    assert (window.state.layer, window.state.head) == (1, 2)
    up, down = (view.figure_of(key).numbers[key].values for key in ("up", "down"))
    assert "head 2·3" in view.cards["up"].hint and up[0] == up.max() > down.min() == down[0]
