"""Documents in clusters: as scikit-learn finds them, beside labels; and files that make no sense."""

import numpy as np
import pytest

from bertcore.analysis.vectors import clusters_of
from bertcore.errors import BertcoreError
from bertcore.evidence import topics as engine
from bertcore.evidence.collection import Collection, Document, read_documents
from bertcore.evidence.topics import Documents, adjusted_rand_index
from bertcore.loaded_model import load
from bertcore.locations import assets
from tests.engine.models import tiny_checkpoint
from tests.text_file import text_file

SAMPLE = assets() / "tasks" / "topics" / "train.csv"


@pytest.fixture(scope="module")
def m(tmp_path_factory):
    return load(tiny_checkpoint(tmp_path_factory.mktemp("topics") / "model"))


def blobs(count=4, each=30, width=12, spread=0.2):
    chance = np.random.default_rng(0)
    centres = chance.standard_normal((count, width)) * 3
    labels = np.repeat(np.arange(count), each)
    return (centres[labels] + spread * chance.standard_normal((len(labels), width))).astype(np.float32), labels


def inertia(vectors, groups):
    return sum(
        ((vectors[groups == each] - vectors[groups == each].mean(0)) ** 2).sum() for each in set(groups.tolist())
    )


@pytest.mark.parametrize("spread", [0.2, 4.0])
def test_clusters_and_their_agreement_are_those_of_scikit_learn(spread):
    metrics, cluster = pytest.importorskip("sklearn.metrics"), pytest.importorskip("sklearn.cluster")
    vectors, labels = blobs(spread=spread)
    found = clusters_of(vectors, 4, np.random.default_rng(3))
    theirs = cluster.KMeans(4, n_init=20, random_state=0).fit(vectors)
    ours = inertia(vectors, found.groups)
    assert found.apart == pytest.approx(1 - ours / ((vectors - vectors.mean(0)) ** 2).sum(), rel=1e-4)
    if spread < 1:  # where there are clusters there is one best way to find them
        assert ours == pytest.approx(theirs.inertia_, rel=1e-4)
        assert metrics.adjusted_rand_score(found.groups, theirs.labels_) == 1
        assert found.apart > found.apart_by_chance + 0.3
    assert ours < 1.1 * theirs.inertia_
    expected = metrics.adjusted_rand_score(labels, found.groups)
    assert adjusted_rand_index(labels.tolist(), found.groups.tolist()) == pytest.approx(expected, abs=1e-12)


def test_the_adjusted_rand_index_of_any_two_ways_to_divide():
    metrics, chance = pytest.importorskip("sklearn.metrics"), np.random.default_rng(1)
    for groups in (1, 2, 5, 40):
        first, second = chance.integers(0, groups, (2, 40))
        expected = metrics.adjusted_rand_score(first, second)
        assert adjusted_rand_index(first.tolist(), second.tolist()) == pytest.approx(expected, abs=1e-12)
    assert adjusted_rand_index(["a"] * 5, ["b"] * 5) == 1


def test_vectors_are_those_that_the_model_embeds_texts_as(m):
    documents = m.evidence(SAMPLE).documents()
    texts = [each.text for each in documents.collection.rows]
    for layer in range(3):
        expected = m.embed(texts, layer=layer)
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
        np.testing.assert_allclose(documents.vectors[layer], expected, atol=1e-5)
    cosines = documents.vectors[1] @ documents.vectors[1, 3]
    near = documents.nearest(3, 1, 5)
    assert [at for at, _ in near] == [at for at in np.argsort(-cosines, kind="stable") if at != 3][:5]
    assert near[0][1] == pytest.approx(np.delete(cosines, 3).max(), abs=1e-6)


def test_clusters_are_numbered_by_size_and_say_what_is_in_them(m):
    found, documents = m.evidence(SAMPLE, seed=2).topics(3), m.evidence(SAMPLE).documents()
    counts = np.bincount(found.clusters.groups).tolist()
    assert counts == sorted(counts, reverse=True) == [each.count for each in found.topics]
    assert (found.clusters.groups == m.evidence(SAMPLE, seed=2).topics(3).clusters.groups).all()
    one = documents.labels != ""
    assert found.agreement == adjusted_rand_index(documents.labels[one].tolist(), found.clusters.groups[one].tolist())
    assert m.evidence(SAMPLE).documents().agreements(3, 2)[-1] == found.agreement
    assert 0 <= found.by_chance < 0.5 and f"{found.agreement:.2f}" in found.finding
    for topic in found.topics:
        inside = [documents.collection.rows[at] for at in np.flatnonzero(found.clusters.groups == topic.cluster)]
        labels = [label for each in inside for label in each.labels]
        assert topic.of_label == labels.count(topic.label) == max(map(labels.count, labels))
        assert documents.collection.rows[topic.document] in inside
        assert all(any(word in each.text.lower() for each in inside) for word in topic.words)


def test_words_of_a_cluster_are_those_that_the_others_lack():
    texts = [f"the {animal} ran" for animal in ("cow", "cow", "pig", "pig")] + [f"the {each} soup" for each in "abcd"]
    documents = Collection("made", [Document(text, "") for text in texts], "")
    vectors = np.repeat(np.eye(4, dtype=np.float32)[:2], 4, axis=0) + 0.01 * np.eye(8, 4, dtype=np.float32)
    first, second = Documents(documents, 8, 0, vectors[None]).topics(2).topics
    assert {first.words, second.words} == {("ran", "cow", "pig"), ("soup",)}
    assert first.label == "" and Documents(documents, 8, 0, vectors[None]).topics(2).agreement is None


def test_files_with_labels_and_without(tmp_path):
    table = text_file(tmp_path / "a.csv", 'text,labels\nA cat.,"animals; pets"\nRain.,\n')
    assert [each.labels for each in read_documents(table).rows] == [("animals", "pets"), ()]
    lines = text_file(
        tmp_path / "a.jsonl", '{"sentence": "A cat.", "label": 3}\n{"sentence": "Rain.", "label": ["x"]}\n'
    )
    assert [each.labels for each in read_documents(lines).rows] == [("3",), ("x",)]
    plain = text_file(tmp_path / "a.txt", "A cat.\n\nRain, label\n")
    assert [(each.text, each.labels) for each in read_documents(plain).rows] == [("A cat.", ()), ("Rain, label", ())]
    assert read_documents(["One.", " ", "Two."]).rows[1].place == "line 3"
    with pytest.raises(BertcoreError, match="text"):
        read_documents(text_file(tmp_path / "b.csv", "a,b\n1,2\n"))


@pytest.mark.parametrize(
    ("lines", "count", "expected"),
    [
        ((), 4, "nothing to gather evidence over"),
        (("A cat.",), 2, "2 different vectors at least; here there are 1"),
        (("A cat.",) * 50, 2, "here there are 1"),
        (("A cat.", "A dog.", "The mat."), 4, "here there are 3"),
        (("A cat.", "A dog.", "The mat."), 13, "2 to 12 clusters, not 13"),
        (("A cat.", "A dog.", "The mat."), 1, "2 to 12 clusters, not 1"),
    ],
)
def test_refused(m, lines, count, expected):
    with pytest.raises(BertcoreError, match=expected):
        m.evidence(lines).topics(count)
    with pytest.raises(BertcoreError, match="layer"):
        m.evidence(("A cat.", "A dog.", "The mat.")).topics(2, layer=7)


def test_of_many_documents_some_are_drawn_and_reading_can_be_stopped(m, monkeypatch):
    monkeypatch.setattr(engine, "MOST", 10)
    lines = [f"the {'abcdefghij'[number % 10]} sat on mat" for number in range(500)]
    documents = m.evidence(lines).documents()
    assert (len(documents.collection), documents.of, documents.cut) == (10, 500, 0) and documents.vectors.shape[1] == 10
    assert documents.topics(2).left_out == ("490 documents, so that 10 are left, by chance",)

    def stop(share):
        raise InterruptedError

    about = m.evidence(lines)
    about.progress = stop
    with pytest.raises(InterruptedError):
        about.topics()


def test_a_model_that_is_read_at_its_first_token_knows_nothing_before_the_first_layer(m, tmp_path):
    m.save(tmp_path / "cls")
    folder = tmp_path / "cls" / "1_Pooling"
    folder.mkdir()
    (folder / "config.json").write_text('{"pooling_mode_cls_token": true}', encoding="utf-8")
    documents = load(tmp_path / "cls").evidence(SAMPLE).documents()
    assert documents.agreements(3)[0] == 0  # [CLS] is the same in all
    with pytest.raises(BertcoreError, match="here there are 1"):
        documents.topics(3, 0)


def test_the_end_of_a_long_document_is_said_to_be_left_out(m):
    documents = m.evidence(("a cat " * 60, "a dog.", "the mat")).documents()
    found = documents.topics(2)
    assert documents.agreements(2) == []
    assert found.left_out == ("the ends of 1 that are longer than the model reads",)
