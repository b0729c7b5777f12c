"""Where else: the index and its answers, against brute force over states of single passes."""

import numpy as np
import pytest
import torch
from scipy.cluster.vq import kmeans2
from sklearn.decomposition import PCA

from bertcore.analysis.passes import Batch, as_text, hidden_states, layer_states
from bertcore.checkpoint.checkpoint import checkpoint_in_memory
from bertcore.errors import BertcoreError
from bertcore.evidence import nearest
from bertcore.evidence.collection import Collection, Sentence
from bertcore.evidence.nearest import TokenIndex, Tokens, index_bytes, open_index
from tests.engine.models import SHAPES, WORDS, family_model, tiny_model, word_tokenizer

CHECKPOINT = checkpoint_in_memory(tiny_model(), word_tokenizer(), "tiny")
COUNT = 60


def sentences(seed=0, count=COUNT):
    draw = np.random.default_rng(seed)
    words = [each for each in WORDS if each.isalpha()]
    texts = [" ".join(draw.choice(words, draw.integers(2, 12))) + "." for _ in range(count)]
    return Collection(
        f"texts {seed}", tuple(Sentence(text, f"line {at + 1}") for at, text in enumerate(texts)), f"{seed}"
    )


def brute(collection):
    """States (L+1,T,H) of length 1, ids (T) and rows (T), sentence by sentence."""
    states, ids, rows = [], [], []
    for row, sentence in enumerate(collection.rows):
        encoding = CHECKPOINT.tokenizer.encode(sentence.text, max_length=CHECKPOINT.config.max_length)
        at = list(range(1, len(encoding) - 1))
        batch = Batch.of([as_text(CHECKPOINT.model, encoding.ids, encoding.segments)])
        states += hidden_states(CHECKPOINT.model, batch, [at])
        ids += [encoding.ids[each] for each in at]
        rows += [row] * len(at)
    found = np.concatenate(states, axis=1)
    return found / np.linalg.norm(found, axis=-1, keepdims=True), np.array(ids), np.array(rows)


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("BERTSCOPE_HOME", str(tmp_path))
    monkeypatch.setattr(nearest, "_ROWS", 16)  # several blocks
    return tmp_path / "cache" / "evidence"


@pytest.mark.parametrize("family", SHAPES)
def test_states_of_layers_are_those_of_a_pass_with_hooks(family):
    model = family_model(family)
    batch = Batch.of([as_text(model, list(range(5, 5 + length))) for length in (7, 4)])
    expected = hidden_states(model, batch, [range(7), range(4)])
    with torch.inference_mode():
        for layer, x in enumerate(layer_states(model, batch)):
            for row, each in enumerate(expected):
                np.testing.assert_allclose(x[row, : each.shape[1]].numpy(), each[layer], atol=2e-5)


@pytest.mark.parametrize("count", [1, 2])
def test_nearest_uses_are_those_of_brute_force(count):
    collection = sentences()
    index = open_index(CHECKPOINT, collection)
    states, ids, rows = brute(collection)
    encoding = CHECKPOINT.tokenizer.encode("the cat sat on the mat.")
    asked = index.ask(encoding, list(range(2, 2 + count)))
    vectors, starts = states, np.arange(len(ids))
    if count == 2:
        starts = np.flatnonzero(rows[:-1] == rows[1:])
        vectors = states[:, starts] + states[:, starts + 1]
        vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
    same = np.all([ids[starts + at] == each for at, each in enumerate(asked.ids)], axis=0)
    for layer in range(3):
        cosines = vectors[layer] @ (asked.vectors[layer] / np.linalg.norm(asked.vectors[layer]))
        found = index.nearest(asked, layer, 20)
        order = starts[np.argsort(-cosines)]
        distinct = list(index.tokens.distinct(order.tolist(), count, asked.around))[:20]
        assert len({use.token for use in found} & set(distinct)) >= 18  # bytes keep three digits
        for use in found:
            assert use.value == pytest.approx(cosines[np.flatnonzero(starts == use.token)[0]], abs=0.02)
            assert use.before + use.word + use.after == collection.rows[use.row].text
            assert use.row == rows[use.token] and use.place == f"line {use.row + 1}"
        least = index.same_word(asked, layer)
        assert all(same[starts == use.token].all() for use in least)
        assert least[-1].value == pytest.approx(cosines[same].min(), abs=0.02)
        assert index.same_by_layer(asked, 20)[layer] == sum(same[starts == use.token].sum() for use in found)


def test_all_tokens_have_a_mean_cosine_and_uses_have_groups():
    index = open_index(CHECKPOINT, sentences())
    states, ids, _ = brute(sentences())
    every = (states[2] @ states[2].T).mean()
    assert index.any_two(2, seed=1).mean() == pytest.approx(every, abs=0.02)
    asked = index.ask(CHECKPOINT.tokenizer.encode("the cat sat."), [2])
    found = index.groups(asked, 2, seed=3)
    uses = np.concatenate([asked.vectors[2][None], states[2][ids == asked.ids[0]]])
    assert found.count == len(found.uses) == len(uses) - 1
    plane = PCA(2).fit(uses)
    assert found.shown == pytest.approx(plane.explained_variance_ratio_.sum(), abs=0.01)
    np.testing.assert_allclose(np.abs(found.points), np.abs(plane.transform(uses)), atol=0.02)
    centres = np.stack([uses[found.groups == group].mean(0) for group in range(3)])
    within, whole = ((uses - centres[found.groups]) ** 2).sum(), ((uses - uses.mean(0)) ** 2).sum()
    assert found.apart == pytest.approx(1 - within / whole, abs=0.01)
    tries = [kmeans2(uses, 3, minit="++", seed=each)[1] for each in range(5)]
    best = min(sum(((uses[at == g] - uses[at == g].mean(0)) ** 2).sum() for g in set(at)) for at in tries)
    assert within < 1.1 * best and found.apart > found.apart_by_chance - 0.1
    assert (index.groups(asked, 2, seed=3).groups == found.groups).all()


def test_an_index_is_used_for_the_same_model_text_and_layers_alone(home):
    open_index(CHECKPOINT, sentences(), [2])
    stamp = {file: file.stat().st_mtime_ns for file in home.rglob("layer-*")}
    index = open_index(CHECKPOINT, sentences(), [2])
    assert {file: file.stat().st_mtime_ns for file in home.rglob("layer-*")} == stamp and set(index.states) == {2}
    other = checkpoint_in_memory(tiny_model(seed=1), word_tokenizer(), "tiny")
    for asked in ((other, sentences(), [2]), (CHECKPOINT, sentences(1), [2]), (CHECKPOINT, sentences(), [1])):
        before = len(list(home.rglob("about.json")))
        open_index(*asked)
        assert len(list(home.rglob("about.json"))) == before + 1
    file = next(iter(stamp))
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])  # torn
    open_index(CHECKPOINT, sentences(), [2])
    assert file.read_bytes() == whole and index_bytes(len(index.tokens.ids), 1, 32) == len(whole) + 4 * len(
        index.tokens.ids
    )


def test_what_was_stopped_goes_on_and_is_not_whole_before(home, monkeypatch):
    expected = {layer: np.array(x) for layer, x in open_index(CHECKPOINT, sentences()).states.items()}

    def stop(fraction):
        if fraction > 0.6:
            raise KeyboardInterrupt

    nearest.shutil.rmtree(home)
    with pytest.raises(KeyboardInterrupt):
        open_index(CHECKPOINT, sentences(), progress=stop)
    assert not list(home.rglob("about.json")) and list(home.glob("*.part"))
    seen = []
    index = open_index(CHECKPOINT, sentences(), progress=seen.append)
    assert min(seen) > 0.5
    for layer, states in expected.items():
        np.testing.assert_array_equal(index.states[layer], states)
    monkeypatch.setattr(nearest.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 10}))
    with pytest.raises(BertcoreError, match="The index needs 0 MiB in .* choose fewer layers"):
        open_index(CHECKPOINT, sentences(2))


@pytest.mark.parametrize(
    "positions, layer, sentence",
    [([0], 0, "Choose a word"), ([1, 3], 0, "Choose a word"), ([], 0, "Choose a word"), ([1], 9, "no layer 9")],
)
def test_what_cannot_be_asked(positions, layer, sentence):
    index = TokenIndex(Tokens(CHECKPOINT, sentences()), open_index(CHECKPOINT, sentences()).states)
    with pytest.raises(BertcoreError, match=sentence):
        index.nearest(index.ask(CHECKPOINT.tokenizer.encode("the cat sat."), positions), layer)
    with pytest.raises(BertcoreError, match="There is no layer 3"):
        open_index(CHECKPOINT, sentences(), [3])
    with pytest.raises(BertcoreError, match="3 groups need 6 uses"):
        index.groups(index.ask(CHECKPOINT.tokenizer.encode("zoo"), [1]), 1)
