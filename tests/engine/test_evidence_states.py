"""States over a collection: where else, what fires a unit, and what can be read off; against brute force."""

import numpy as np
import pytest
import torch
from scipy.cluster.vq import kmeans2
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree, shortest_path
from sklearn.decomposition import PCA
from sklearn.linear_model import Ridge

from bertcore.analysis.interventions import ablate
from bertcore.analysis.passes import Batch, as_text, hidden_states, layer_states
from bertcore.analysis.trace import activations
from bertcore.checkpoint.checkpoint import checkpoint_in_memory
from bertcore.data.corpus_cache import cached_texts, release, trim
from bertcore.errors import BertcoreError
from bertcore.evidence import fires as fires_module
from bertcore.evidence import nearest
from bertcore.evidence.collection import Collection, Sentence, Tree
from bertcore.evidence.fires import BARS, POINTS, fires
from bertcore.evidence.intervals import halves
from bertcore.evidence.nearest import AROUND, index_bytes, open_index
from bertcore.evidence.probing import (
    PENALTIES,
    answers,
    distance_loss,
    padded,
    probe,
    read_off,
    read_trees,
    spanning_tree,
    tree_distances,
)
from bertcore.model.hooks import Intervention
from tests.engine.models import SHAPES, WORDS, family_model, tiny_model, word_tokenizer

CHECKPOINT = checkpoint_in_memory(tiny_model(), word_tokenizer(), "tiny")
COUNT = 60


def sentences(seed=0, count=COUNT):
    draw = np.random.default_rng(seed)
    words = [each for each in WORDS if each.isalpha()]
    texts = [" ".join(draw.choice(words, draw.integers(2, 12))) + "." for _ in range(count)]
    rows = tuple(Sentence(text, f"line {at}") for at, text in enumerate(texts, 1))
    return Collection(f"texts {seed}", rows, f"{seed}")


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
        seen, distinct = set[tuple[int, ...]](), []
        for at in np.argsort(-cosines):
            first = starts[at]
            near = range(max(first - AROUND, 0), min(first + count + AROUND, len(ids)))
            words = tuple(ids[each] if rows[each] == rows[first] else -1 for each in near)
            distinct += [first] if words not in seen else []
            seen.add(words)
        numbers = [np.searchsorted(rows, use.row) + use.position - 1 for use in found]
        assert len(set(numbers) & set(distinct[:20])) >= 18 and len(numbers) == 20  # bytes keep three digits
        for use, number in zip(found, numbers, strict=True):
            assert use.value == pytest.approx(cosines[starts == number][0], abs=0.02)
            assert use.before + use.word + use.after == collection.rows[use.row].text
            assert use.row == rows[number] and use.place == f"line {use.row + 1}"
        least = index.same_word(asked, layer)
        assert {use.word for use in least} == {"cat" if count == 1 else "cat sat"}
        assert least[-1].value == pytest.approx(cosines[same].min(), abs=0.02)
        assert index.same_by_layer(asked, 20)[layer] == sum(same[starts == number].sum() for number in numbers)


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
    count = len(index.tokens.ids)
    assert file.read_bytes() == whole and index_bytes(count, 1, 32) == len(whole) + 4 * count


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
    index = open_index(CHECKPOINT, sentences())
    with pytest.raises(BertcoreError, match=sentence):
        index.nearest(index.ask(CHECKPOINT.tokenizer.encode("the cat sat."), positions), layer)
    with pytest.raises(BertcoreError, match="There is no layer 3"):
        open_index(CHECKPOINT, sentences(), [3])
    with pytest.raises(BertcoreError, match="3 groups need 6 uses"):
        index.groups(index.ask(CHECKPOINT.tokenizer.encode("zoo"), [1]), 1)


# --- what fires a unit, and what it matters: all activations at once, and passes by hand

DIRECTIONS = np.random.default_rng(0).standard_normal((3, 32)).astype(np.float32)


def all_strengths(kind, layer):
    """(T,U) of every token, and the row of each, from a pass for each sentence."""
    found, rows, point = [], [], f"layer.{layer}.{POINTS[kind]}"
    for row, sentence in enumerate(sentences().rows):
        encoding = CHECKPOINT.tokenizer.encode(sentence.text)
        text = as_text(CHECKPOINT.model, encoding.ids, encoding.segments)
        value = activations(CHECKPOINT.model, text, [point])[point]
        if kind == "direction":
            value = value @ (DIRECTIONS / np.linalg.norm(DIRECTIONS, axis=1, keepdims=True)).T
        if kind == "head":
            weight = CHECKPOINT.model.encoder.layer(layer).attention.output.weight.numpy()  # (H,N*D)
            parts = [np.linalg.norm(x @ weight[:, 8 * n : 8 * n + 8].T, axis=1) for n, x in enumerate(value)]
            value = np.stack(parts, axis=1)
        found.append(value[1:-1])
        rows += [row] * (len(encoding) - 2)
    return np.concatenate(found), np.array(rows)


@pytest.mark.parametrize("kind, units", [("neuron", 48), ("head", 4), ("direction", 3)])
@pytest.mark.parametrize("layer", [0, 1])
def test_the_strongest_contexts_and_all_bars(kind, units, layer, monkeypatch):
    monkeypatch.setattr(fires_module, "KEPT", 10)
    found = fires(CHECKPOINT, sentences(), layer, kind, directions=DIRECTIONS if kind == "direction" else None)
    values, rows = all_strengths(kind, layer)
    assert found.strength.shape == (units, 10)
    starts = np.searchsorted(rows, np.arange(rows.max() + 1))
    at_random = starts[found.sample[:, 0]] + found.sample[:, 1]
    np.testing.assert_allclose(found.sample_strength, values[at_random], atol=1e-4)
    assert len(set(found.sample[:, 0].tolist())) == 10
    for unit in range(units):
        of_rows = [np.flatnonzero(rows == row) for row in range(rows.max() + 1)]
        best = np.array([at[values[at, unit].argmax()] for at in of_rows])
        order = best[np.argsort(-values[best, unit])][:10]
        np.testing.assert_allclose(found.strength[unit], values[order, unit], atol=1e-4)
        assert found.top[unit].tolist() == [[rows[at], at - starts[rows[at]]] for at in order]
        reach = float(found.reach[unit])
        assert np.abs(values[:, unit]).max() <= reach < max(2.01 * np.abs(values[:, unit]).max(), 0.07)
        bars, _ = np.histogram(values[:, unit], BARS, (-reach, reach))
        assert np.abs(bars.cumsum() - found.bars[unit].cumsum()).max() <= 1  # on an edge


def test_words_of_a_unit_and_how_clear_it_is():
    found = fires(CHECKPOINT, sentences(), 1, seed=4)
    unit = found.order()[0]
    uses = found.contexts(unit)
    labels = [CHECKPOINT.encode(sentences().rows[use.row].text).labels for use in uses]
    own = [each[use.position] for each, use in zip(labels, uses, strict=True)]
    assert found.clear[unit] == max(map(own.count, own)) / len(own) == found.clear.max()
    assert found.words(unit)[0] == (max(own, key=own.count), max(map(own.count, own)))
    before = [each[use.position - 1] for each, use in zip(labels, uses, strict=True) if use.position > 1]
    assert dict(found.words(unit, -1)) == {word: before.count(word) for word in before}
    assert 0 < found.clear_by_chance < 1 and len(found.at_random(unit)) == 50
    assert found.rows()[0]["neuron"] == unit and len(found.rows()) == 48


@pytest.mark.parametrize("kind", ["neuron", "head"])
def test_what_the_next_word_loses_without_it(kind):
    found = fires(CHECKPOINT, sentences(), 1, kind)
    matters = found.matters(2)
    gains = []
    for use in found.contexts(2):
        encoding = CHECKPOINT.tokenizer.encode(sentences().rows[use.row].text)
        if use.position + 1 < len(encoding) - 1:
            right = encoding.ids[use.position + 1]
            encoding.ids[use.position + 1] = CHECKPOINT.tokenizer.mask_id or 0
            losses = []
            for off in (False, True):

                def zero(value):
                    return torch.cat([value[..., :2], 0 * value[..., 2:3], value[..., 3:]], -1)

                change = ablate([(1, 2)]) if kind == "head" else {"layer.1.feed_forward.activation": zero}
                text = as_text(CHECKPOINT.model, encoding.ids, encoding.segments)
                with torch.no_grad():
                    hidden = text.hidden(CHECKPOINT.model, Intervention(change if off else {}))
                    logs = CHECKPOINT.model.mlm_logits(hidden)[0, use.position + 1].log_softmax(-1)
                losses.append(-float(logs[right]))
            gains.append(losses[1] - losses[0])
    assert matters.strongest.count == len(gains) and matters.strongest.value == pytest.approx(np.mean(gains), abs=1e-4)
    assert matters.strongest.low < matters.strongest.value < matters.strongest.high
    with pytest.raises(BertcoreError, match=f"There is no {kind} 99"):
        found.matters(99)


def test_what_cannot_be_looked_for():
    with pytest.raises(BertcoreError, match="no layer 2"):
        fires(CHECKPOINT, sentences(), 2)
    with pytest.raises(BertcoreError, match="A direction has 32 numbers"):
        fires(CHECKPOINT, sentences(), 1, "direction", directions=np.ones(5))


# --- probes: against scikit-learn's ridge regression, and on states in which it is known what can be read off

TAGS = {"cat": "NOUN", "dog": "NOUN", "mat": "NOUN", "bird": "NOUN", "the": "DET", "a": "DET", "sat": "VERB", ".": "."}


def tree(text, words, tags):
    joined = tuple(text.endswith(".") and at == len(words) - 2 for at in range(len(words)))
    return Tree(text, "", tuple(words), (-1,) * len(words), tuple(tags), tuple(tags), joined)


def test_answers_are_those_of_ridge_regression():
    chance = np.random.default_rng(0)
    x, codes = chance.standard_normal((200, 12)) * np.geomspace(0.1, 10, 12), chance.integers(0, 4, (3, 200))
    columns, learn = np.concatenate([np.eye(5)[each] for each in codes], axis=1), np.arange(200) < 120
    said = answers(x, columns, learn, ~learn)
    sizes = np.linalg.eigvalsh(np.cov(x[learn].T, bias=True)).mean() * 120
    for number, penalty in enumerate(PENALTIES):
        ridge = Ridge(alpha=penalty * sizes).fit(x[learn], columns[learn])
        assert (said[number] == ridge.predict(x[~learn]).reshape(80, 3, 5).argmax(2).T).all()


def test_what_is_in_the_states_is_found_and_what_is_not_is_not():
    chance = np.random.default_rng(1)
    types = [[f"w{each}" for each in chance.integers(0, 40, 8)] for _ in range(200)]
    labels = [[str(int(word[1:]) % 3) for word in row] for row in types]
    flat = np.array([int(each) for row in labels for each in row])
    before = np.concatenate([np.roll(np.array(row, dtype=int), 1) for row in labels])
    noise = chance.standard_normal((3, len(flat), 10))
    noise[1, :, :3] += 6 * np.eye(3)[flat]
    noise[2, :, :3] += 6 * np.eye(3)[before]
    trees = [tree(" ".join(words), words, tags) for words, tags in zip(types, labels, strict=True)]
    _, layers, without = read_off(noise, trees, seed=0)
    chance_share = max(np.bincount(flat)) / len(flat)
    of_noise, own, of_before = layers
    assert abs(of_noise.right.value - chance_share) < 0.1 and abs(of_noise.previous.value - chance_share) < 0.1
    assert own.right.value > 0.97 and own.selectivity.value > 0.4 and own.previous.value < 0.5
    assert own.selectivity.value == pytest.approx(own.right.value - own.control.value)
    assert of_before.previous.value > 0.97 and of_before.right.value < 0.5
    assert without.right.value == 1.0 and without.previous.value < 0.5 and own.unseen.count == 0
    assert own.right.count == 800 and own.previous.count == 700 and own.control.low < own.control.value


def test_words_and_texts_of_a_model():
    rows = []
    for sentence in sentences(count=80).rows:
        words = [*sentence.text.removesuffix(".").split(), "."]
        rows.append(tree(sentence.text, words, [TAGS.get(word, "X") for word in words]))
    found = probe(CHECKPOINT, Collection("trees", tuple(rows), "sha"), seed=2)
    first, *_, last = found.layers
    assert first.right.value > 0.95 and last.previous.count == first.right.count - 40
    assert len(found.rows()) == 4 * 5 and found.labels == (".", "DET", "NOUN", "VERB", "X")
    of_one_word = [tree(row.text, [row.text], ["cat" if " cat" in row.text else "none"]) for row in rows]
    of_texts = probe(CHECKPOINT, Collection("texts", of_one_word, "sha"))
    assert of_texts.layers[0].right.value > 0.75 and of_texts.layers[0].right == of_texts.layers[0].unseen
    assert of_texts.layers[0].previous.count == 0 and of_texts.without.right.value > 0.5
    with pytest.raises(BertcoreError, match="give four"):
        probe(CHECKPOINT, Collection("texts", of_one_word[:2], "sha"))


def test_distances_trees_and_the_loss_are_those_of_others():
    chance = np.random.default_rng(0)
    for count in (1, 2, 9, 30):
        order = chance.permutation(count)
        heads = np.full(count, -1)
        heads[order[1:]] = [order[chance.integers(at)] for at in range(1, count)]
        edges = csr_array((np.ones(count - 1), (order[1:], heads[order[1:]])), (count, count))
        far = tree_distances(heads.tolist())
        np.testing.assert_array_equal(far, shortest_path(edges, directed=False))
        x = chance.standard_normal((count, 4))
        near = ((x[:, None] - x) ** 2).sum(-1)
        theirs = {tuple(sorted(each)) for each in zip(*minimum_spanning_tree(near).nonzero(), strict=True)}
        assert {tuple(sorted(each)) for each in spanning_tree(near).tolist()} == theirs
        pairs = [abs(far[a, b] - sum((x[a] - x[b]) ** 2)) for a in range(count) for b in range(count)]
        batches = [[x], [far]], [[x, x[:1]], [far, far[:1, :1]]]
        alone, both = (float(distance_loss(padded(a, 0), padded(b, np.nan))) for a, b in batches)
        assert alone == pytest.approx(sum(pairs) / count**2, rel=1e-5) and both == pytest.approx(alone / 2)
    assert tree_distances([-1, 0, -1])[1].tolist() == [1, 0, 3]


def test_trees_that_are_in_the_states_are_found():
    chance, trees, states = np.random.default_rng(0), [], []
    turn = np.linalg.qr(chance.standard_normal((24, 24)))[0]
    for _ in range(120):
        heads = [-1, *(int(chance.integers(at)) for at in range(1, 8))]
        paths = np.zeros((8, 24))  # of each word the steps to the root: squared distances are those in the tree
        for word in range(1, 8):
            paths[word] = paths[heads[word]] + np.eye(24)[word]
        tags = ["PUNCT" if word == 7 else "X" for word in range(8)]
        trees.append(Tree("", "", tuple("abcdefgh"), tuple(heads), ("",) * 8, tuple(tags), (False,) * 8))
        states.append(np.stack([chance.standard_normal((8, 24)), paths @ turn]))
    (noise, own), chain = read_trees(np.concatenate(states, 1), trees, 16, seed=1)
    edges = [[tree.heads[word] for word in range(1, 7)] for tree in (trees[row] for row in halves(120, 1)[1])]
    assert own.value > 0.9 and noise.value < 0.5 and own.low <= own.value <= own.high and own.count == 360
    assert chain.value == pytest.approx(np.mean([head == at for each in edges for at, head in enumerate(each)]))


def test_indexes_are_listed_and_the_oldest_deleted_unless_somebody_reads_them():
    open_index(CHECKPOINT, sentences(), [2])
    (listed,) = cached_texts()
    assert listed.sources == (sentences().name,) and listed.in_use and trim(0.0) == []
    release()
    assert [text.folder for text in trim(0.0)] == [listed.folder] and cached_texts() == []
    assert set(open_index(CHECKPOINT, sentences(), [2]).states) == {2}
