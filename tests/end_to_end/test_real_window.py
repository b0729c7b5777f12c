"""BERTscope as a person has it: a process with a window on a display, moved by key presses and the mouse alone.

Under Xvfb, which `make test` installs where it may. What is shown is read as values, from a file that it writes.
"""

import ctypes
import shutil
import sys

import numpy as np
import pytest

from bertcore.analysis.predict import top_words
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint

pytestmark = pytest.mark.skipif(
    not (sys.platform.startswith("linux") and shutil.which("Xvfb")),
    reason="needs Xvfb, which could not be installed; on Debian and Ubuntu: sudo apt install xvfb",
)
if shutil.which("Xvfb"):
    from tests.end_to_end.real_display import Hands, RealWindow, display

A, B = "A bird sang on the mat.", "The dog was very comfortable."  # no example says that
LIBRARY = "libxcb-cursor.so.0"  # the one of Qt's that other programs do not bring along
ROOMS = ("map", "embed", "attend", "predict", "layers", "train", "apply")


@pytest.fixture(scope="module")
def display_name():
    try:
        ctypes.CDLL(LIBRARY)
    except OSError:
        pytest.skip(f"Qt needs {LIBRARY} for a window on X11; on Debian and Ubuntu: sudo apt install libxcb-cursor0")
    with display() as name:
        yield name


@pytest.fixture
def hands(display_name):
    made = Hands(display_name)
    yield made
    made.close()


@pytest.fixture
def window(display_name, hands, model, tmp_path):
    """Open on the tiny model, with the keyboard in sentence A."""
    made = RealWindow(display_name, tmp_path, str(model), "--theme", "light")
    try:
        shown = made.until(lambda shown: shown["is_read"], "the first reading")
        hands.give_keyboard(shown["window"])
        made.until(lambda shown: shown["is_active"] and shown["keyboard"] == "Sentence A", "the keyboard")
        yield made
    finally:
        made.kill()


def type_the_pair(window, hands):
    """In place of the example that is there at first, in a room that shows the tokens: Map does not."""
    hands.press("ctrl+2")
    window.until(lambda shown: shown["room"] == "embed" and shown["keyboard"] == "Sentence A", "the room Embed")
    hands.press("ctrl+a")
    hands.type(A)
    window.until(lambda shown: shown["a"] == A and shown["undo"] == "Undo typing in A", "sentence A")
    hands.press("Tab")
    window.until(lambda shown: shown["keyboard"] == "Sentence B", "the keyboard in B")
    hands.press("ctrl+a")
    hands.type(B)
    window.until(lambda shown: shown["b"] == B and shown["is_read"], "the reading of the pair")
    return window.until(lambda shown: shown["undo"] == "Undo typing in B", "both typings as steps of their own")


def assert_ended_well(window):
    assert window.end() == 0 and window.errors.strip() == "", window.errors


def read_by_the_engine(checkpoint, shown):
    """Ids with the masks put in, and segments."""
    encoding = checkpoint.tokenizer.encode(A, B)
    mask = checkpoint.tokenizer.mask_id
    return [mask if i in shown["masked"] else token for i, token in enumerate(encoding.ids)], encoding.segments


def test_a_pair_is_typed_masked_predicted_and_taken_back(window, hands, model):
    shown = type_the_pair(window, hands)
    checkpoint = load_checkpoint(model)
    assert shown["chips"] == checkpoint.tokenizer.encode(A, B).labels
    bird, mat = shown["chips"].index("bird"), shown["chips"].index("mat")

    hands.click(shown["places"]["chips"][bird], times=2)
    shown = window.until(lambda shown: shown["undo"] == "Undo masking", "the mask of a double click")
    assert shown["masked"] == [bird]
    hands.click(shown["places"]["chips"][mat])
    window.until(lambda shown: shown["focus"] == mat, "the token that was clicked")
    hands.press("m")
    shown = window.until(lambda shown: shown["masked"] == [bird, mat] and shown["is_read"], "the mask of the key M")
    assert shown["chips"][bird] == shown["chips"][mat] == "[MASK]"
    hands.press("Escape")
    window.until(lambda shown: shown["focus"] is None, "the token deselected")

    hands.press("ctrl+4")
    shown = window.until(lambda shown: len(shown.get("guesses", ())) == 2, "the guesses in Predict")
    ids, segments = read_by_the_engine(checkpoint, shown)
    logits = trace(checkpoint.model, ids, segments, mlm_positions=[bird, mat]).mlm_logits
    for position, row in zip((bird, mat), logits, strict=True):
        best = top_words(row, checkpoint.tokenizer, 3)
        seen = shown["guesses"][str(position)][:3]
        assert [word for word, _ in seen] == [checkpoint.tokenizer.label(guess.id) for guess in best]
        assert [share for _, share in seen] == pytest.approx([guess.probability for guess in best], abs=1e-6)

    hands.press("ctrl+z")
    window.until(lambda shown: shown["masked"] == [bird], "the last mask taken back")
    hands.press("ctrl+z")
    window.until(lambda shown: shown["masked"] == [] and shown["b"] == B, "the first mask taken back")
    hands.press("ctrl+shift+z")
    window.until(lambda shown: shown["masked"] == [bird], "the first mask again")
    hands.press("ctrl+q")
    assert_ended_well(window)


def test_rooms_matrix_palette_and_theme(window, hands, model):
    shown = type_the_pair(window, hands)
    for number, room in enumerate(ROOMS, start=1):
        hands.press(f"ctrl+{number}")
        window.until(lambda shown, room=room: shown["room"] == room, f"the room {room} by its keys")
    for room in ("layers", "attend"):
        hands.click(shown["places"]["rooms"][room])
        window.until(lambda shown, room=room: shown["room"] == room, f"the room {room} by a click")

    shown = window.until(lambda shown: shown.get("cell") and shown["is_read"], "the matrix")
    checkpoint = load_checkpoint(model)
    attention = trace(checkpoint.model, *read_by_the_engine(checkpoint, shown)).attentions[tuple(shown["head"])]
    np.testing.assert_allclose(shown["matrix"], attention, atol=1e-4)

    hands.move(shown["cell"])
    shown = window.until(lambda shown: shown["hover"] == 3, "the row under the mouse")
    assert shown["focus"] is None
    words, weight = shown["readout"].rsplit(" ", 1)
    assert words == f"{shown['chips'][3]} (3) looks at {shown['chips'][5]} (5) with weight"
    assert float(weight) == pytest.approx(attention[3, 5], abs=2e-4)
    hands.click(shown["cell"])
    window.until(lambda shown: shown["focus"] == 3, "the row that was clicked")
    hands.turn_wheel(shown["cell"], 3)
    size = len(shown["chips"])
    shown = window.until(
        lambda shown: shown["seen_cells"] == pytest.approx(size / 1.25**3), "the zoom of three notches"
    )
    hands.turn_wheel(shown["cell"], -3)
    window.until(lambda shown: shown["seen_cells"] == size, "the whole matrix")
    hands.move(shown["places"]["chips"][2])
    shown = window.until(lambda shown: shown["tip"], "the tool tip of a token")
    assert shown["tip"].startswith(f"{shown['chips'][2]} · position 2 · number ")
    assert (shown["hover"], shown["focus"]) == (2, 3)
    hands.press("Escape")
    window.until(lambda shown: shown["focus"] is None, "the token deselected")

    hands.press("ctrl+k")
    window.until(lambda shown: shown["palette"] and shown["keyboard"] == "Find a command", "the list of commands")
    hands.type("embed")
    window.until(lambda shown: shown["palette"] and shown["palette"][0] == "Embed", "the room in the list")
    hands.press("Return")
    window.until(lambda shown: shown["room"] == "embed" and shown["palette"] is None, "the room from the list")
    hands.press("ctrl+t")
    shown = window.until(lambda shown: shown["theme"] == "dark", "the dark theme")
    assert shown["banner"] == ""
    hands.ask_to_close(shown["window"])
    assert_ended_well(window)
