"""Sessions: saved, opened again, and refused where the file is not what it should be."""

import json
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QFileDialog, QMessageBox

from app.figures.figure import model_hash
from app.state.baseline import OtherText
from app.state.session_file import Session, SessionModel, as_json, is_session, load_session, read_session
from app.state.what_if import NOTHING_CHANGED, EditedRow, Swap, WhatIf
from bertcore.errors import BertcoreError
from bertcore.locations import TINY, shipped_checkpoint
from bertcore.tokenizer.text_spans import Place
from tests.app.conftest import TEXT_A, drop, settle, shown_room, wait_until
from tests.app.family_models import save_family

FILE = Path("mine.bertscope.json")


@pytest.fixture
def saved(window, tmp_path):
    """The session of a window with a masked word, another head, another view, and the room Attend."""
    state = window.state
    state.set_text("A dog ran home.", "It was happy.")
    state.set_masks([2])
    state.set_focus(3)
    state.set_head(1, 3)
    length = len(state.encoding or ())
    row = EditedRow(1, 0, 4, (0.5, 0.5, *[0.0] * (length - 2)))
    state.set_what_if(WhatIf(heads_off=frozenset({(1, 2)})).with_layer(0, True).swapped(2, 3).with_segment(1, 1))
    state.set_what_if(state.what_if.with_row(row).with_dropped("position", True))
    state.set_token_view(words=True, specials=False)
    shown_room(window, "attend")
    file = tmp_path / "mine.bertscope.json"
    window.sessions.save(file)
    assert not window.frame.banner.is_shown
    return file


@contextmanager
def edited(file):
    """What the file says, to be changed."""
    values = json.loads(file.read_text(encoding="utf-8"))
    yield values
    file.write_text(json.dumps(values), encoding="utf-8")


def bring_back(window, file):
    window.sessions.open(file)
    wait_for_model(window)


def wait_for_model(window):
    wait_until(lambda: not window.services.open_model.is_opening)
    settle(window)


LOOKED_AT = ("text_a", "text_b", "masked", "focus", "layer", "head", "what_if", "token_view")


def looked_at(window):
    return window.room_key, *(getattr(window.state, name) for name in LOOKED_AT)


def test_a_session_comes_back_in_another_window(saved, window, open_window, model_folder):
    other = open_window(saved)
    settle(other)
    assert looked_at(other) == looked_at(window) and other.state.model.folder == model_folder
    assert not other.frame.banner.is_shown


def test_a_session_comes_back_in_the_same_window(saved, window):
    wanted, model = looked_at(window), window.state.model
    window.state.set_text("bird", "")
    window.state.set_token_view(words=False, specials=True)
    window.state.set_head(0, 0)
    window.state.set_what_if(NOTHING_CHANGED)
    window.open_room("predict")
    drop(window, saved)
    assert looked_at(window) == wanted
    assert window.state.model is model  # it is open already
    settle(window)


def test_what_a_double_click_opens_is_taken_for_a_session(tmp_path):
    """The endings of packaging/bertscope-session.xml; a folder is a model, whatever its name."""
    assert all(is_session(tmp_path / f"class{end}") for end in (".bertscope.json", ".bertscope", ".BERTscope.JSON"))
    (tmp_path / "model.bertscope").mkdir()
    assert not is_session(tmp_path / "model.bertscope")


def test_a_mask_is_kept_by_its_place_and_undo_takes_the_session_back(saved, window):
    session = load_session(saved)
    assert session.masks == (Place("a", 2, 5),)  # "dog", whatever its position is
    window.state.set_text("bird", "")
    window.history.look()
    window.sessions.open(saved)
    window.history.undo()
    assert window.state.text_a == "bird"


def test_a_model_that_is_gone_is_said_and_the_rest_opens(saved, window):
    with edited(saved) as values:
        values["model"] |= {"reference": str(saved.parent / "gone"), "name": "the-lost-one", "hash": "0" * 64}
    window.state.set_text("bird", "")
    model = window.state.model
    window.sessions.open(saved)
    wait_until(lambda: window.frame.banner.is_shown)
    assert "the-lost-one could not be opened" in window.frame.banner.text
    assert "its texts are shown with tiny-model" in window.frame.banner.text
    settle(window)
    assert window.state.model is model
    assert window.state.text_a == "A dog ran home." and window.state.masked == {2}
    assert window.state.what_if == NOTHING_CHANGED


def test_a_session_of_a_model_that_ships_names_it(window):
    window.open_model(shipped_checkpoint(TINY))
    wait_for_model(window)
    assert window.sessions.current().model.reference == TINY
    assert TINY not in window.services.settings.recent_models


@pytest.mark.parametrize("written", ["a link", "its folder", "/elsewhere/assets/checkpoints/bertscope-tiny"])
def test_a_session_finds_its_model_here_and_keeps_what_is_changed(written, saved, window, tmp_path):
    """Earlier ones name the folder of a model that ships, perhaps on another machine, or a link as it was typed."""
    (tmp_path / "link").symlink_to(shipped_checkpoint(TINY), target_is_directory=True)
    with edited(saved) as values:
        folders = {"a link": tmp_path / "link", "its folder": shipped_checkpoint(TINY)}
        reference = str(folders.get(written, written))
        values["model"] = {"reference": reference, "name": TINY, "hash": model_hash(shipped_checkpoint(TINY))}
        values["changes"] = {"heads_off": [[0, 0]]}
    bring_back(window, saved)
    assert window.state.model.name == TINY
    assert not window.frame.banner.is_shown
    assert window.state.what_if == WhatIf(heads_off=frozenset({(0, 0)}))


def test_a_session_finds_a_model_that_was_open_lately(saved, window, model_folder, headless_folder):
    """Its folder has moved since the session was saved."""
    with edited(saved) as values:
        values["model"]["reference"] = "/moved/away/since"
    window.open_model(headless_folder)
    wait_for_model(window)
    bring_back(window, saved)
    assert window.state.model.folder == model_folder
    assert not window.frame.banner.is_shown


@pytest.mark.parametrize("may_replace", [False, True])
def test_a_session_that_is_there_is_not_replaced_unasked(may_replace, window, tmp_path, monkeypatch):
    """The dialog has asked about the name as it was typed, not about the ending that comes to it."""
    file, asked = tmp_path / "mine.bertscope.json", list[str]()
    file.write_text("somebody's")
    typed = iter([str(tmp_path / "mine"), ""])
    yes, no = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No

    def question(parent, title, text):
        asked.append(text)
        return yes if may_replace else no

    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (next(typed), ""))
    monkeypatch.setattr(QMessageBox, "question", question)
    window.commands["file.save_session"].trigger()
    assert asked == ["mine.bertscope.json already exists. Do you want to replace it?"]
    assert (file.read_text() != "somebody's") == may_replace


def test_a_session_waits_for_its_own_model(saved, window, open_window):
    """Another one was on its way when the file was dropped; and the same one is not opened twice."""
    wanted = looked_at(window)
    for first in (None, window.services.open_model.reference):
        other = open_window(saved)
        other.open_model(first)
        bring_back(other, saved)
        assert looked_at(other) == wanted
        assert other.services.open_model.reference == window.services.open_model.reference


def test_a_model_on_its_way_is_not_asked_for_again(saved, window):
    """Opened a second time, the same model would take what the session changes inside away again."""
    wanted, opener, requested = looked_at(window), window.services.open_model, []
    own = opener.reference
    window.open_model(None)
    bring_back(window, saved)
    assert opener.reference == own and looked_at(window) == wanted, "it wins over a model on its way"
    window.open_model(None)
    wait_for_model(window)
    opener.requested.connect(requested.append)
    window.sessions.open(saved)
    bring_back(window, saved)
    assert requested == [own] and looked_at(window) == wanted


def test_a_token_that_was_not_looked_at_and_a_model_that_has_changed(saved, window):
    with edited(saved) as values:
        values["focus"] = None
    window.state.set_focus(2)
    window.sessions.open(saved)
    assert window.state.focus is None
    with edited(saved) as values:
        values["model"]["hash"] = "00000000"
    window.sessions.open(saved)
    assert "not the same model" in window.frame.banner.text


def test_changes_that_the_model_has_no_place_for_are_left_out(saved, window):
    for changes in (
        {"heads_off": [[9, 0]]},
        {"layers_off": [2]},
        {"positions": [[1, 500]]},
        {"segments": [[500, 1]]},
        {"rows": [{"layer": 0, "head": 0, "position": 1, "weights": [1]}]},
        {"swap": {"part": "head", "row": 0, "place": 9, "text_a": "A dog.", "text_b": "", "token": ""}},
    ):
        with edited(saved) as values:
            values["changes"] = changes
        window.state.set_what_if(WhatIf().with_head(0, 0, True))
        window.sessions.open(saved)
        assert window.state.what_if == NOTHING_CHANGED and window.state.text_a == values["text_a"], changes


NEURON = {"part": "neuron", "row": 0, "place": 0, "text_a": "a", "text_b": "", "token": "a"}
WRONG_ENTRIES = {
    "text_a": [3, "\ud800"],
    "layer": [-1, True],
    "words": [1],
    "masks": [[["c", 0, 1]], [["a", 3, 1]]],
    "focus": [["a", 0]],
    "model": [{"reference": None}, [1], {"reference": "a" * 5000, "name": "", "hash": ""}],
    "applied_texts": [{"span": 1}],
    "baseline": ["a", 3, {"model": [1]}, {"text_a": "a", "text_b": 1}, {"text_a": "a" * 1_000_000, "text_b": ""}],
    "changes": [
        *([], {"heads_off": [[0]]}, {"layers_off": [-1]}, {"dropped": ["bias"]}, {"segments": [[1, 2]]}, {"more": []}),
        *({"positions": [[1, 2], [1, 3]]}, {"swap": {"part": "state"}}, {"swap": NEURON}),
        *({"direction": "up"}, {"direction": ["left"]}),
    ],
}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is not JSON"),
        (b"\xff\xfe\x00", "is not text"),
        (b"[" * 100_000, "session: it is nested too deeply."),
        (b"[1, 2]", "not a BERTscope session"),
        (b'{"a": 1}', "not a BERTscope session"),
        (b'{"format_version": 2}', "newer version of BERTscope"),
        (b'{"format_version": "1"}', "format_version is '1'"),
        (b'{"format_version": true}', "format_version is True"),
        (b'{"format_version": 1, "head": 1e400}', "session: 1e400 is not a finite number."),
        (b'{"format_version": 1, "masks": ' + b"[" * 900 + b"]" * 900 + b"}", "session: it is nested too deeply."),
        (b'{"format_version": 1, "changes": {"rows": [{"weights": [NaN]}]}}', "session: NaN is not a finite number."),
        (b'{"format_version": 1, "__class__": "os"}', "unknown entry, '__class__'"),
        *(
            (json.dumps({"format_version": 1, name: value}).encode(), f"its entry '{name}' is wrong")
            for name, values in WRONG_ENTRIES.items()
            for value in values
        ),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence(content, said, tmp_path):
    file = tmp_path / "bad.bertscope.json"
    file.write_bytes(content)
    with pytest.raises(BertcoreError) as caught:
        load_session(file)
    assert said in str(caught.value) and "bad.bertscope.json" in str(caught.value) and "\n" not in str(caught.value)


def test_nothing_that_is_open_is_lost_for_a_bad_file(window, tmp_path):
    file = tmp_path / "bad.bertscope.json"
    before, reading = looked_at(window), window.state.reading
    for content in ("{", '{"format_version": 9}', '{"format_version": 1, "masks": 1}'):
        file.write_text(content)
        window.frame.banner.dismiss()
        drop(window, file)
        assert window.frame.banner.is_shown and "bad.bertscope.json" in window.frame.banner.text
        assert looked_at(window) == before and window.state.reading is reading and window.state.text_a == TEXT_A


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
NAMES = sorted(json.loads(as_json(Session())))


@given(st.dictionaries(st.sampled_from(NAMES), json_values))
def test_no_file_can_do_more_than_be_refused(values):
    try:
        read_session(json.dumps({"format_version": 1} | values), FILE)
    except BertcoreError as error:
        assert str(FILE) in str(error)


def test_every_session_reads_as_it_was_written():
    model = SessionModel("me/model", "model", "12345678")
    session = Session("Der Bär 🐻", "", (Place("a", 4, 7),), Place("a", 0, 3), model, 2, 3)
    changes = WhatIf(frozenset({(0, 1)}), frozenset({2}), (EditedRow(0, 1, 2, (0.25, 0.75)),), ((1, 0),), ((2, 3),))
    swap = Swap("state", 1, 2, OtherText("Der Hund", ""), "hund")
    session = replace(session, changes=changes.with_dropped("token", True).with_swap(swap).with_direction("left", True))
    read = read_session(as_json(session), FILE)
    assert read == session and read.changes.swap is not None and read.changes.swap.token == "hund"


def test_what_is_swapped_in_comes_back(window, tmp_path):
    state, file = window.state, tmp_path / "swapped.bertscope.json"
    state.set_text("A dog ran home.", "")
    state.set_masks([3])
    state.set_what_if(WhatIf(swap=Swap("head", 1, 2, OtherText("A cat ran home.", ""))))
    settle(window)
    before = state.reading.trace.hidden_states
    window.sessions.save(file)
    state.set_text("Another text.", "")
    settle(window)
    window.sessions.open(file)
    settle(window)
    assert "head 2·3 of the other text" in window.frame.what_if.swap.text()
    assert np.array_equal(state.reading.trace.hidden_states, before)
    assert not np.array_equal(state.reading.baseline.trace.hidden_states, before)


def test_a_weight_a_little_above_1_is_1():
    """As a float32 row sums to: earlier files have it."""
    changes = WhatIf(rows=(EditedRow(0, 1, 2, (0.0, 1.0)),))
    text = as_json(Session(changes=changes))
    assert read_session(text.replace("1.0\n", "1.0000001192092896\n"), FILE).changes == changes
    with pytest.raises(BertcoreError, match="its entry 'changes' is wrong"):
        read_session(text.replace("1.0\n", "1.001\n"), FILE)


def test_tokens_without_characters_of_their_own_spoil_no_session(open_window, tmp_path):
    """In a byte-level vocabulary, the second of two spaces."""
    window = open_window(save_family("roberta", tmp_path / "roberta"), "The cat  sat.")
    assert window.state.encoding.offsets[3] == (8, 8)
    window.state.set_masks((2,))
    window.history.look()
    window.state.set_masks((2, 3))
    window.state.set_focus(3)
    settle(window)
    file = tmp_path / "spaces.bertscope.json"
    window.sessions.save(file)
    session = load_session(file)
    assert session.masks == (Place("a", 4, 7), Place("a", 8, 8)) and session.focus == Place("a", 8, 8)
    window.history.undo()
    assert window.state.masked == {2}
    window.sessions.open(file)
    settle(window)
    assert (window.state.masked, window.state.focus) == ({2, 3}, 3)


def test_a_bad_file_to_begin_with_leaves_no_room_waiting(open_window, model_folder, tmp_path, monkeypatch):
    monkeypatch.setattr("bertcore.resolve_model.built_in_checkpoint", lambda: model_folder)
    file = tmp_path / "misspelt.bertscope.json"
    window = open_window(file)
    settle(window)
    assert window.services.open_model.reference is None and window.frame.room.is_drawn
    assert window.frame.banner.is_shown and "misspelt.bertscope.json could not be opened" in window.frame.banner.text


def test_a_file_is_asked_for_and_one_that_cannot_be_written_is_one_sentence(saved, window, monkeypatch, tmp_path):
    wanted = looked_at(window)
    window.state.set_text("bird", "")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    window.commands["file.open_session"].trigger()
    assert window.state.text_a == "bird"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(saved), ""))
    window.commands["file.open_session"].trigger()
    assert looked_at(window) == wanted
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "no" / "mine"), ""))
    window.commands["file.save_session"].trigger()
    assert "mine.bertscope.json could not be written" in window.frame.banner.text
