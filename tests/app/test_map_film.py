"""The map plays: its steps say what the engine says, for any text and model; and it ends in the head of the model."""

import io
import re

import numpy as np
import pytest
from PySide6.QtCore import Qt

from app.figures.animation import ANIMATIONS, durations_ms
from app.look import numbers
from app.rooms.map.plan import MapPart
from app.rooms.map.playing_map import FRAMES, STEP_MS
from app.rooms.map.sentences import head_that_looks, step_caption
from app.state.baseline import OtherText
from bertcore.analysis.passes import layer_lens
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from tests.app.conftest import TEXT_A, TEXT_B, answered, press, read_masked, read_text, settle, wait_until
from tests.app.family_models import SHAPES, save_family
from tests.app.test_apply_room import ENDINGS, KINDS, OTHER_A, PASSAGE, A, B, make_model, oracle_of

STEPS = [("cut", -1), ("add", -1), ("look", 0), ("think", 0), ("look", 1), ("think", 1), ("answer", -1)]


def shown_map(window):
    view = window.open_room("map").view
    answered(window)
    return view


def captions(view):
    return [step_caption(*step, view.map.content, view.map.answer) for step in view.map.steps]


def draw_all(shown):
    """Every step, at its beginning, in the middle and at its end."""
    for number in range(len(shown.steps)):
        for share in (0.0, 0.3, 0.999):
            shown.go_to(number + share)
            assert not shown.grab().toImage().isNull()


def test_each_step_says_what_the_model_does(window, model_folder):
    window.state.set_masks([2])
    settle(window)
    view, request = shown_map(window), window.state.reading.request
    checkpoint, tokens = load_checkpoint(model_folder), window.state.reading.shown_tokens
    assert view.map.steps == STEPS
    direct = trace(checkpoint.model, request.input_ids, request.segments)
    best = layer_lens(checkpoint.model, direct.hidden_states, [2])[:, 0].argmax(-1)  # (L+1)
    made, words = captions(view), [i for i, part in enumerate(request.encoding.parts) if part != "special" and i != 2]
    assert str(len(tokens)) in made[0].text and str(checkpoint.config.hidden_size) in made[1].text
    vectors = (direct.token_embeddings, direct.segment_embeddings, direct.position_embeddings, direct.embedding_sum)
    first = [numbers.decimal(float(vector[2, 0]), 3) for vector in vectors]
    assert " + ".join(first[:3]).replace("+ −", "− ") + f" ≈ {first[3]}" in made[1].text
    for layer, look, think in ((0, 2, 3), (1, 4, 5)):
        rows = direct.attentions[layer, :, 2]  # (N,S)
        head = int(rows[:, words].max(1).argmax())
        assert head_that_looks(window.state.reading, layer, 2) == (head, int(rows[head].argmax()))
        assert made[look].title == f"Layer {layer + 1} · Head {head + 1}"
        assert f"“{tokens[int(rows[head].argmax())]}”: {numbers.percent(float(rows[head].max()))}" in made[look].text
        assert f"“{checkpoint.tokenizer.label(int(best[layer + 1]))}”" in made[think].text
    word, share = view.map.answer.words[0]
    assert made[-1].text.startswith(f"{view.map.answer.title} {word} {numbers.percent(share)}")


def test_without_a_mask_it_says_so_and_draws_the_lines_it_speaks_of(window):
    window.state.set_masks(())
    settle(window)
    view = shown_map(window)
    shown, (word, _share) = view.map, view.map.answer.words[0]
    assert captions(view)[-1].text.startswith("Nothing is masked") and f"“{word}”" in captions(view)[-1].text
    shown.go_to(2.5)
    plan, reading, followed = shown.plan, window.state.reading, shown.answer.position
    head, other = head_that_looks(reading, 0, followed)
    widths = [one.pen.widthF() for one in shown._links(plan, shown.content, 0, 1.0)]
    share = float(reading.trace.attentions[0, head, followed, other])
    assert max(widths) == pytest.approx(plan.px(1 + 4.5 * share), rel=1e-3), "the thickest is the one in the caption"


def test_play_is_steered_by_its_keys(window):
    view = shown_map(window)
    shown, frame = view.map, window.frame
    window.state.set_focus(3)
    view.play.click()
    assert view.play.text() == "Pause" and shown.at == 0 and shown.hasFocus()
    wait_until(lambda: shown.at > 0.02)
    press(shown, "Space")
    assert view.play.text() == "Play" and not shown.timer.isActive()
    at = shown.at
    press(shown, "Right", "Right", "Left")
    assert int(shown.at) == int(at) + 1 and shown.at % 1 > 0.9  # all of the step is to be seen
    press(shown, "Space")
    press(shown, "Right")
    assert 2 <= shown.at < 2.9 and shown.timer.isActive()  # from the beginning of a step
    assert shown.cell_at(shown.plan.parts[MapPart("head", 0, 0)].center()) is None
    press(shown, "Escape")
    assert shown.at is None and not shown.timer.isActive() and window.state.focus == 3  # no key of the window
    assert frame.room.view is view and shown.selected_cell() is not None
    shown.play_or_pause()
    shown.go_to(len(STEPS) - 0.01)
    wait_until(lambda: shown.at is None)  # at its end it is the map again
    shown.play_or_pause()
    read_text(window, "A dog ran home.", "")
    assert shown.at is None


@pytest.mark.parametrize("family", SHAPES)
def test_it_plays_for_any_family(family, open_window, tmp_path):
    window = open_window(save_family(family, tmp_path / family), TEXT_A, TEXT_B)
    read_masked(window, ())
    view = shown_map(window)
    assert len(view.map.steps) == 3 + 2 * window.state.model.layers
    draw_all(view.map)
    assert all(caption.text for caption in captions(view)[:-1])
    if view.map.plan.is_folded:
        view.map.go_to(2 + 2 * 17)
        assert view.map.plan.layers[17].is_open


@pytest.mark.parametrize("a", ["", "a", "the cat sat on the mat " * 9])
def test_it_plays_for_any_length(a, open_window, model_folder):
    window = open_window(model_folder, a)
    window.resize(900, 560)
    view = shown_map(window)
    draw_all(view.map)


def test_it_plays_beside_a_baseline_and_on_a_projector(window):
    window.appearance.set_look("dark", projector=True)
    window.state.set_masks([3])
    window.state.set_baseline(OtherText("The dog sat.", TEXT_B))
    settle(window)
    view = shown_map(window)
    draw_all(view.map)
    view.map.go_to(None)
    assert view.play.isVisible() and view.map.rect().contains(view.play.parentWidget().geometry())


def test_it_is_saved_as_other_films(window):
    from PIL import Image

    window.resize(900, 600)
    view = shown_map(window)
    figure, before = view._figure(), view.map.grab().toImage()
    count = len(STEPS) * FRAMES
    assert len(figure.frames) == count
    assert sum(durations_ms(figure)) == STEP_MS * len(STEPS)
    for ending in (".gif", ".webp"):
        film = Image.open(io.BytesIO(ANIMATIONS[ending](figure)))
        assert film.n_frames > count * 0.8 and film.size[0] > 700  # frames that are alike are one
    page = ANIMATIONS[".html"](figure).decode()
    assert len(re.findall(r"data:image/webp;base64,", page)) == count and "http" not in page.replace("http-equiv", "")
    assert view.map.at is None and view.map.grab().toImage() == before


# The end of the lines.


@pytest.fixture
def map_of(open_window, tmp_path):
    """A random model with a head for a task: window, map, and what the engine says."""

    def make(kind, a=A, b="", texts=()):
        window = open_window(make_model(tmp_path / kind, kind), a, b)
        window.state.set_applied_texts(dict(texts))
        window.open_room("embed")
        view = shown_map(window)
        view.map.grab()
        return window, view, lambda *of, text=b or None: oracle_of(tmp_path / kind, kind, *of, text=text or "")

    return make


@pytest.mark.parametrize("kind", ["classify", "multilabel", "regress"])
def test_classes_and_numbers_stand_at_the_first_line(kind, map_of):
    window, view, oracle = map_of(kind, A, B)
    said, answer, plan = oracle(A, B, text=""), view.map.answer, view.map.plan
    assert answer.position == 0 and not answer.reason and MapPart("verdict") not in plan.parts
    if kind == "regress":
        assert answer.title == f"Predicted number: {numbers.decimal(said.number)}"
    else:
        assert dict(answer.words) == pytest.approx(said.probabilities)
    assert plan.answer_box.top() < plan.row_y(0) < plan.answer_box.bottom()
    window.state.set_baseline(OtherText(OTHER_A, B))
    settle(window)
    answered(window)
    other, answer = oracle(OTHER_A, B, text=""), view.map.answer
    if kind == "regress":
        assert f"(vs {numbers.decimal(other.number)})" in answer.title
    else:
        assert dict(zip(dict(answer.words), answer.baseline_shares, strict=True)) == pytest.approx(other.probabilities)
    view.map.clicked.emit(MapPart("answer", position=0), Qt.KeyboardModifier.NoModifier)
    assert window.room_key == "apply"


def test_tags_stand_at_their_lines(map_of):
    window, view, oracle = map_of("tag")
    said, answer = oracle(A), view.map.answer
    firsts = [members[0] for members in view.map.content.words]
    assert list(answer.ends) == firsts
    written = [f"{tag} {numbers.percent(p)}" for tag, p in zip(said.tags, said.probabilities, strict=True)]
    assert [answer.ends[at] for at in firsts] == written
    part = MapPart("end", position=firsts[2])
    assert view.map.cell_at(view.map.plan.parts[part].center()) == part
    assert written[2] in view.map.describe(part).title
    view.map.clicked.emit(part, Qt.KeyboardModifier.NoModifier)
    assert window.room_key == "map" and window.state.focus == firsts[2]
    window.state.set_baseline(OtherText(OTHER_A, ""))
    settle(window)
    answered(window)
    other = oracle(OTHER_A)
    for at, ours, theirs in zip(firsts, said.tags, other.tags, strict=True):
        assert ("vs" in view.map.answer.ends[at]) == (ours != theirs)
    draw_all(view.map)


def test_an_answer_is_marked_in_b(map_of, monkeypatch):
    monkeypatch.setitem(KINDS, "span", (("span",), {}))  # it always gives one
    window, view, oracle = map_of("span", "Who ran home?", "A dog ran home. It was very happy.")
    said, encoding = oracle("Who ran home?"), window.state.encoding
    answer = view.map.answer
    assert said.text and answer.title == f"Predicted answer: {said.text}"
    marked = encoding.text_b[encoding.offsets[min(answer.ends)][0] : encoding.offsets[max(answer.ends)][1]]
    assert marked.strip() == said.text and all(encoding.parts[at] == "b" for at in answer.ends)
    window.resize(900, 560)
    read_text(window, "Who ran home?", f"{'It was very happy. ' * 4}A dog ran home. {'It was very happy. ' * 2}")
    answered(window)
    assert min(view.map.answer.ends) in view.map.positions and len(view.map.positions) < len(window.state.encoding)
    window.state.set_baseline(OtherText("Who was happy?", B))
    read_text(window, "Who?", B)  # the last answer stays until there is another one
    read_text(window, "Who ran home?", "")
    answered(window)
    assert not view.map.answer.ends and "Apply" in view.map.answer.reason


def test_endings_and_sentences_come_from_apply(map_of):
    _, view, oracle = map_of("choice", texts=[("choice", ENDINGS)])
    shares = sorted(oracle(A, text=ENDINGS).probabilities, reverse=True)
    assert [share for _, share in view.map.answer.words] == pytest.approx(shares)
    _, view, oracle = map_of("summarise", texts=[("summarise", PASSAGE)])
    said = oracle(A, text=PASSAGE)
    assert max(said.probabilities) == pytest.approx(view.map.answer.words[0][1])


@pytest.mark.parametrize("kind", KINDS)
def test_every_head_plays_to_its_end(kind, map_of):
    _, view, _ = map_of(kind, A, B if kind in ("classify", "span") else "")
    assert "no next-sentence" not in view.map.content.pair.text
    draw_all(view.map)


def test_sentence_encoders_and_discriminators_have_an_end(open_window, tmp_path):
    window = open_window(save_family("minilm", tmp_path / "m"), TEXT_A, TEXT_B)
    answer = shown_map(window).map.answer
    assert re.fullmatch(r"Similarity of A and B: -?[\d.]+", answer.title.replace("−", "-"))
    window = open_window(save_family("discriminator", tmp_path / "d"), TEXT_A, TEXT_B)
    reading, answer = window.state.reading, shown_map(window).map.answer
    assert len(answer.ends) == len(reading.encoding)
    assert list(map(numbers.percent, np.asarray(reading.replaced).tolist())) == list(answer.ends.values())
