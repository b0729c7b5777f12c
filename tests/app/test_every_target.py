"""Every output of a fine-tuned model can be asked about in five analyses; each agrees with readings of the window."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from app.compute import head_questions
from app.compute.applying import apply_model, request_for
from app.compute.circuit import parts_alone
from app.compute.head_questions import HeadTarget, changed_targets, check_of_head, effects_of_heads, flow_of, targets_of
from app.compute.inference import Inference
from app.compute.open_model import OpenModel
from app.compute.patching import swap_map
from app.compute.reader import Reader
from app.compute.swap_targets import swap_targets
from app.compute.word_questions import attribution_of
from app.rooms.attend.sentences import changed_predictions
from app.state.baseline import OtherText
from app.state.explore_state import ExploreState
from app.state.readings import ModelInput
from app.state.what_if import NOTHING_CHANGED, Swap, WhatIf
from bertcore.analysis.effects import attention_gradient, link_effects
from bertcore.analysis.flow import attention_flow
from bertcore.analysis.head_check import check_head
from bertcore.analysis.interventions import ablate, put, set_attention_row
from bertcore.analysis.passes import as_text
from bertcore.analysis.targets import Target
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.errors import BertcoreError
from bertcore.locations import shipped_checkpoint
from tests.app.conftest import wait_until
from tests.app.family_models import save_family
from tests.app.test_apply_room import make_model
from tests.engine.models import VOCABULARY, tiny_checkpoint, tiny_model, word_tokenizer

SENTENCES = ("The cat sat on the mat.", ""), OtherText("The dog sat on the mat.", "")


@dataclass(frozen=True)
class Case:
    """A model, this text, the other one, and the heads that must be among the targets."""

    folder: Callable[[Path], Path]
    texts: tuple[tuple[str, str], OtherText]
    heads: frozenset[tuple[str, int]]  # name and, of the ends of an answer, the index
    is_contrasted: bool = False  # one of several answers is chosen: one gains, another loses
    position: int = 2  # the token asked about, where a head has an answer for each

    @property
    def other(self):
        return self.texts[1]


def random_model(kind):
    return lambda folder: make_model(folder / kind, kind)


def heads_of(name):
    return frozenset((name, index) for index in range(2 if name == "span" else 1))


def shipped(name, texts, head, b="", **more):
    both = (texts[0], b), OtherText(texts[1], b)
    return Case(lambda _: shipped_checkpoint(name), both, heads_of(head), is_contrasted=True, **more)


CASES = {
    "words": shipped("bertscope-tiny", ("The man put on [MASK] hat.", "The woman put on [MASK] hat."), "mlm"),
    "sentiment": shipped("bertscope-sentiment", ("The food was good.", "The food was bad."), "classify"),
    "names": shipped("bertscope-names", ("Anna lives in Berlin.", "She lives in Berlin."), "tag", position=1),
    "answers": shipped("bertscope-answers", ("Who flew?", "When flew?"), "span", "Anna flew on Monday."),
    "choice": Case(random_model("choice"), SENTENCES, heads_of("choice")),
    "regress": Case(random_model("regress"), SENTENCES, heads_of("classify")),
    "multilabel": Case(random_model("multilabel"), SENTENCES, heads_of("classify")),
    "summarise": Case(random_model("summarise"), SENTENCES, heads_of("summarise")),
    "similarity": Case(lambda folder: save_family("minilm", folder / "minilm"), SENTENCES, heads_of("similarity")),
    "replaced": Case(lambda folder: save_family("discriminator", folder / "model"), SENTENCES, heads_of("rtd")),
}


class Desk:
    """Reads with a model as the window does."""

    def __init__(self, case, folder, qtbot):
        self._qtbot, self.state, self._inference = qtbot, ExploreState(), Inference()
        self._reader = Reader(self.state, self._inference)
        opener = OpenModel(self.state, self._inference)
        self.folder = case.folder(folder)
        self.state.set_text(*case.texts[0])
        self.state.set_baseline(case.other)
        opener.open(self.folder)
        wait_until(lambda: self.state.reading is not None)

    def read(self, what_if):
        if what_if != self.state.what_if:
            with self._qtbot.waitSignal(self._reader.delivered):
                self.state.set_what_if(what_if)
        return self.state.reading

    def close(self):
        self._inference.stop()
        self._inference.join()


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


@pytest.fixture
def desk(case, tmp_path, qtbot):
    made = Desk(case, tmp_path, qtbot)
    yield made
    made.close()


def one_of_each(targets):
    """The first of each head: of the ends of an answer both."""
    found = {}
    for target in targets:
        key = target.target.head, target.target.index if target.target.head == "span" else 0
        found.setdefault(key, target)
    return found


def number(target, reading):
    """As the analyses have it: ln p, or the score itself."""
    value = target.value(reading)
    return value if target.is_score else float(np.log(value))


def nothing(share):
    """Nobody waits."""


def test_all_five(case, desk):
    ours = desk.read(NOTHING_CHANGED)
    theirs = ours.other_text
    targets = one_of_each(targets_of(ours, case.position, theirs))
    assert case.heads <= set(targets)
    checkpoint, text = load_checkpoint(desk.folder), ours.request.model_input
    off = desk.read(WhatIf(heads_off=frozenset({(1, 1)})))
    swapped = desk.read(WhatIf(swap=Swap("state", 1, 2, case.other)))
    first = next(iter(targets.values()))
    assert number(first, swapped.baseline) == pytest.approx(number(first, ours), abs=1e-6)
    for key in case.heads:
        target = targets[key]
        now = number(target, ours)
        for method in ("integrated_gradients", "gradient_x_input", "leave_one_out"):  # which words decided
            found = attribution_of(checkpoint, text, target, method)
            assert found.value == pytest.approx(now, abs=1e-4), (key, method)
            assert found.scores.shape == (len(ours.encoding),) and np.abs(found.scores).max() > 0, (key, method)
        effects = effects_of_heads(checkpoint, text, target, nothing)
        assert effects[1, 1] == pytest.approx(number(target, off) - now, abs=1e-4), key
        check = check_of_head(checkpoint, text, target, 1, 1, 2, nothing)
        assert (check.value, check.without_head) == pytest.approx((now, number(target, off) - now), abs=1e-4), key
        swap = next(one for one in swap_targets(ours, theirs, case.position) if one.target == target.target)
        places = swap_map(checkpoint, text, theirs.request.model_input, swap.target, "state", (), math.inf, nothing)
        assert (places.text, places.other) == pytest.approx((now, number(target, theirs)), abs=1e-4), key
        assert places.patched[1, 2] == pytest.approx(number(target, swapped), abs=1e-4), key
        heads = swap_map(checkpoint, text, theirs.request.model_input, swap.target, "head", (), math.inf, nothing)
        alone = parts_alone(checkpoint, text, theirs.request.model_input, swap.target, nothing)
        assert alone.lost[1 : 1 + heads.shares.size] == pytest.approx(heads.shares.ravel(), abs=2e-3), key


def test_the_first_to_be_swapped_for_is_what_the_texts_differ_in(case, desk):
    ours = desk.read(NOTHING_CHANGED)
    first = swap_targets(ours, ours.other_text, 0)[0].target
    asked = ours.request.model_input, ours.other_text.request.model_input
    found = swap_map(load_checkpoint(desk.folder), *asked, first, "state", (), math.inf, nothing)
    assert found.other > found.text or first.against is None
    assert (first.against is not None) == case.is_contrasted


def test_a_change_inside_is_seen_in_it(case, desk):
    """What a head that is switched off does, in the panel of Attend."""
    off = desk.read(WhatIf(heads_off=frozenset({(1, 1)})))
    assert off.unchanged is not None and changed_predictions(off)
    heads = one_of_each(changed_targets(off.unchanged, off))
    assert case.heads - {("mlm", 0)} <= set(heads)
    for target in heads.values():
        assert target.value(off) != target.value(off.unchanged), target.label


@pytest.mark.parametrize("case", [CASES["sentiment"]], ids=["sentiment"])
def test_apply_answers_from_the_swapped_pass(case, desk):
    """And from the original text beside it."""
    swapped = desk.read(WhatIf(swap=Swap("state", 3, 4, case.other)))
    applied = apply_model(load_checkpoint(desk.folder), request_for(swapped, {}), nothing)
    for prediction, reading in ((applied.prediction, swapped), (applied.unchanged, swapped.unchanged)):
        for target in targets_of(reading, 1):
            assert prediction.probabilities[target.label] == pytest.approx(target.value(reading), abs=1e-4)
    assert applied.prediction != applied.unchanged


TOKENIZER = word_tokenizer()
PAIR = TOKENIZER.encode("the [MASK] sat.", "it was very comfortable!")


def pair_text(model):
    return as_text(model, PAIR.ids, PAIR.segments)


MASKED, CAT = 2, VOCABULARY.index("cat")
TEXT = ModelInput(tuple(PAIR.ids), tuple(PAIR.segments))
WORD = HeadTarget("cat", Target("mlm", CAT, MASKED))


def log_p(model, changes=None):
    logits = trace(model, PAIR.ids, PAIR.segments, mlm_positions=[MASKED], changes=changes).mlm_logits
    return float(torch.tensor(logits[0]).double().log_softmax(0)[CAT])


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return load_checkpoint(tiny_checkpoint(tmp_path_factory.mktemp("model"), num_hidden_layers=3))


@pytest.mark.parametrize("family", ["bert", "pre-norm", "albert"])
@pytest.mark.parametrize("layer", [0, 2])
def test_the_gradient_is_the_slope(layer, family):
    shapes = {"bert": {}, "pre-norm": {"norm": "pre"}, "albert": {"model_type": "albert", "num_hidden_groups": 1}}
    tasks = ("mlm",) if family == "albert" else ("mlm", "nsp")
    model = tiny_model(tasks, num_hidden_layers=3, **shapes[family]).double()
    found = attention_gradient(model, pair_text(model), Target("mlm", CAT, MASKED), layer)
    assert found.value == pytest.approx(log_p(model), abs=1e-5)
    rng = np.random.default_rng(layer)
    for _ in range(3):
        head, column = int(rng.integers(4)), int(rng.integers(len(PAIR)))
        row = MASKED if layer == 2 else int(rng.integers(len(PAIR)))
        numbers = []
        for change in (-1e-3, 1e-3):
            pattern = found.attention[head].copy()
            pattern[row, column] += change
            numbers.append(log_p(model, {f"layer.{layer}.attention.probs": put((head,), pattern)}))
        slope = (numbers[1] - numbers[0]) / 2e-3
        assert found.gradient[head, row, column] == pytest.approx(slope, rel=0.02, abs=2e-3)
    assert np.abs(found.gradient).max() > 0.02


def test_in_the_last_layer_only_the_row_of_the_prediction_counts():
    found = attention_gradient(tiny_model(), pair_text(tiny_model()), Target("mlm", CAT, MASKED), 1)
    assert np.abs(found.gradient[:, MASKED]).min() > 0
    assert not np.delete(found.gradient, MASKED, axis=1).any()


def test_a_gradient_is_to_be_had_in_inference_mode_and_for_a_pair():
    model = tiny_model()
    with torch.inference_mode():
        inside = attention_gradient(model, pair_text(model), Target("nsp"), 0)
    outside = attention_gradient(model, pair_text(model), Target("nsp"), 0)
    assert np.array_equal(inside.gradient, outside.gradient) and np.abs(inside.gradient).max() > 0


@pytest.mark.parametrize("max_tokens", [1, 40, 4096])
def test_a_link_taken_away_is_a_row_put_in(max_tokens):
    model, shares, columns = tiny_model(), [], [0, 2, 5, 6]
    before = trace(model, PAIR.ids, PAIR.segments).attentions[0, 3, MASKED]
    asked = Target("mlm", CAT, MASKED), 0, 3, MASKED, columns
    found = link_effects(model, pair_text(model), *asked, max_tokens=max_tokens, progress=shares.append)
    for column, effect in zip(columns, found, strict=True):
        row = before.copy()
        row[column] = 0
        changed = log_p(model, set_attention_row(0, 3, MASKED, row / row.sum()))
        assert effect == pytest.approx(changed - log_p(model), abs=1e-5)
    assert shares[-1] == 1 and shares == sorted(shares)


def test_a_check_holds_all_three(checkpoint):
    shares = []
    model, text = checkpoint.model, pair_text(checkpoint.model)
    found = check_head(model, text, WORD.target, 1, 2, MASKED, most_links=4, progress=shares.append)
    plain = trace(model, PAIR.ids, PAIR.segments)
    assert found.attention == pytest.approx(plain.attentions[1, 2, MASKED], abs=1e-6)
    assert np.array_equal(found.gradient, attention_gradient(model, text, WORD.target, 1).gradient[2, MASKED])
    strongest = set(np.argsort(-found.attention)[:4].tolist())
    assert set(np.flatnonzero(~np.isnan(found.without)).tolist()) == strongest
    off = log_p(model, ablate([(1, 2)])) - log_p(model)
    assert found.without_head == pytest.approx(off, abs=1e-5)
    assert shares == sorted(shares)


def next_sentence(model, changes=None):
    logits = trace(model, PAIR.ids, PAIR.segments, changes=changes).next_sentence_logits
    return float(torch.tensor(logits).log_softmax(0)[0])


@pytest.mark.parametrize(
    ("target", "value"),
    [(WORD, log_p), (HeadTarget("B follows A", Target("nsp")), next_sentence)],
    ids=["word", "pair"],
)
def test_effects_of_all_heads(target, value, checkpoint):
    shares = []
    found = effects_of_heads(checkpoint, TEXT, target, shares.append)
    for head in ((0, 0), (2, 3)):
        off = value(checkpoint.model, ablate([head])) - value(checkpoint.model)
        assert found[head] == pytest.approx(off, abs=1e-5)
    assert found.shape == (3, 4) and shares[-1] == 1


@pytest.mark.parametrize(
    ("layer", "head", "row", "said"), [(3, 0, 0, "no layer 3"), (0, 4, 0, "no head 4"), (0, 0, 99, "no token 99")]
)
def test_what_is_not_there_is_said(checkpoint, layer, head, row, said):
    with pytest.raises(BertcoreError, match=said):
        check_of_head(checkpoint, TEXT, WORD, layer, head, row, nothing)


def test_a_model_without_word_head_says_so(tmp_path):
    bare = load_checkpoint(tiny_checkpoint(tmp_path, output_heads=(), pooler=False))
    with pytest.raises(BertcoreError, match="no masked-word"):
        check_of_head(bare, TEXT, WORD, 0, 0, 0, nothing)


def test_flow_of_all_tokens(monkeypatch):
    attentions = np.random.default_rng(0).dirichlet(np.ones(5), size=(3, 2, 5))
    trace, request = SimpleNamespace(attentions=attentions), SimpleNamespace(what_if=NOTHING_CHANGED)
    reading = SimpleNamespace(trace=trace, request=request, encoding=range(5))
    shares = []
    found = flow_of(reading, 1, shares.append)
    assert np.array_equal(found, attention_flow(attentions, list(range(5)), 2))
    assert shares == pytest.approx([0.2, 0.4, 0.6, 0.8, 1])
    monkeypatch.setattr(head_questions, "MOST_FLOW_TOKENS", 4)
    with pytest.raises(BertcoreError, match="up to 4 tokens; this one has 5"):
        flow_of(reading, 1, shares.append)
