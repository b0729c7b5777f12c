"""Entity tags: what may follow what, which scheme a list is in, and the same entities in each of them."""

import itertools
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertcore.errors import BertcoreError
from bertcore.tag_schemes import (
    Scheme,
    Span,
    allowed_transitions,
    convert_tags,
    detect_scheme,
    entity_spans,
    illegal_places,
)

SCHEMES: tuple[Scheme, ...] = ("IOB1", "BIO", "IOBES")
WRITTEN = SCHEMES[1:]

# One sentence of each kind, written by hand: two entities of a type that touch, one of another type that touches.
SAME: dict[Scheme, list[str]] = {
    "IOB1": ["I-PER", "I-PER", "O", "I-LOC", "B-LOC", "I-LOC", "I-ORG", "O"],
    "BIO": ["B-PER", "I-PER", "O", "B-LOC", "B-LOC", "I-LOC", "B-ORG", "O"],
    "IOBES": ["B-PER", "E-PER", "O", "S-LOC", "B-LOC", "E-LOC", "S-ORG", "O"],
}
SPANS = [Span("PER", 0, 2), Span("LOC", 3, 4), Span("LOC", 4, 6), Span("ORG", 6, 7)]


@st.composite
def entities(draw: st.DrawFn) -> tuple[list[Span], int]:
    """Entities of one sentence, many of them touching, and its length."""
    spans, end = [], 0
    for _ in range(draw(st.integers(0, 5))):
        start = end + draw(st.integers(0, 1))
        end = start + draw(st.integers(1, 4))
        spans.append(Span(draw(st.sampled_from(["PER", "LOC", "B-cell", ""])), start, end))
    return spans, end + draw(st.integers(0, 2))


class TestConversion:
    @pytest.mark.parametrize("scheme", WRITTEN)
    @pytest.mark.parametrize("source", SCHEMES)
    def test_each_into_each(self, source: Scheme, scheme: Scheme) -> None:
        assert convert_tags(SAME[source], scheme) == SAME[scheme]

    @pytest.mark.parametrize("scheme", SCHEMES)
    def test_spans_of_the_sentence(self, scheme: Scheme) -> None:
        assert entity_spans(SAME[scheme]) == SPANS

    @given(entities(), st.sampled_from(WRITTEN))
    def test_entities_come_back(self, case: tuple[list[Span], int], scheme: Scheme) -> None:
        spans, length = case
        written = ["O"] * length
        for kind, start, end in spans:
            ending = f"-{kind}" if kind else ""
            written[start:end] = [f"B{ending}", *[f"I{ending}"] * (end - start - 1)]
        tags = convert_tags(written, scheme)
        assert len(tags) == length
        assert illegal_places(tags, scheme) == []
        assert entity_spans(tags) == spans

    @pytest.mark.parametrize(
        ("tags", "spans"),
        [
            (["O", "I-A", "I-A"], [("A", 1, 3)]),  # nothing began it
            (["B-A", "I-C", "I-C"], [("A", 0, 1), ("C", 1, 3)]),  # the type changes inside
            (["B-A", "I-A", "O"], [("A", 0, 2)]),  # no E
            (["E-A", "E-A"], [("A", 0, 1), ("A", 1, 2)]),
            (["S-A", "I-A", "E-A"], [("A", 0, 1), ("A", 1, 3)]),
            (["B-A", "E-A", "I-A"], [("A", 0, 2), ("A", 2, 3)]),
            (["B-A", "S-A", "E-A"], [("A", 0, 1), ("A", 1, 2), ("A", 2, 3)]),
            (["B", "I", "O", "I"], [("", 0, 2), ("", 3, 4)]),
            ([], []),
        ],
    )
    def test_dirty_tags_are_read_as_the_scorers_do(self, tags: list[str], spans: list[tuple[str, int, int]]) -> None:
        assert entity_spans(tags) == spans

    def test_dirty_tags_are_mended(self) -> None:
        assert convert_tags(["O", "I-A", "I-C"], "BIO") == ["O", "B-A", "B-C"]


class TestLegalMoves:
    @pytest.mark.parametrize(
        ("scheme", "legal", "illegal"),
        [
            ("BIO", ["O B-A", "B-A I-A", "I-A I-A", "I-A B-A", "B-A B-C", "B-A O"], ["O I-A", "B-A I-C", "I-A I-C"]),
            ("IOB1", ["O I-A", "I-A B-A", "B-A B-A", "I-A I-C", "B-A I-A"], ["O B-A", "I-A B-C", "B-A B-C"]),
            (
                "IOBES",
                ["O S-A", "O B-A", "B-A E-A", "B-A I-A", "I-A E-A", "E-A B-A", "S-A S-C", "E-A O"],
                ["O I-A", "O E-A", "B-A O", "B-A B-A", "B-A S-A", "B-A E-C", "I-A O", "E-A I-A", "S-A E-A"],
            ),
        ],
    )
    def test_moves_known_by_hand(self, scheme: Scheme, legal: list[str], illegal: list[str]) -> None:
        labels = ["O", *(f"{letter}-{kind}" for letter in ("BIES" if scheme == "IOBES" else "BI") for kind in "AC")]
        moves = allowed_transitions(labels, scheme).transitions
        for pair in [*legal, *illegal]:
            before, after = pair.split()
            assert moves[labels.index(before), labels.index(after)] == (pair in legal), pair

    def test_edges_known_by_hand(self) -> None:
        labels = ["O", "B-A", "I-A", "E-A", "S-A"]
        bio, iob1, iobes = (
            allowed_transitions(labels[:3], "BIO"),
            allowed_transitions(labels[:3], "IOB1"),
            allowed_transitions(labels, "IOBES"),
        )
        assert bio.start.tolist() == [True, True, False]
        assert iob1.start.tolist() == [True, False, True]
        assert iobes.start.tolist() == [True, True, False, False, True]
        assert bio.end.all()
        assert iob1.end.all()
        assert iobes.end.tolist() == [True, False, False, True, True]

    @pytest.mark.parametrize("scheme", SCHEMES)
    def test_a_sentence_is_legal_if_its_entities_are_written_so(self, scheme: Scheme) -> None:
        """Every sentence of up to three words: only a legal one is what writing its entities gives."""
        labels = ["O", *(f"{letter}-{kind}" for letter in ("BIES" if scheme == "IOBES" else "BI") for kind in "AC")]
        start, move, end = allowed_transitions(labels, scheme)
        for path in itertools.chain.from_iterable(itertools.product(range(len(labels)), repeat=n) for n in (1, 2, 3)):
            tags = [labels[label] for label in path]
            allowed = start[path[0]] and end[path[-1]] and all(move[pair] for pair in itertools.pairwise(path))
            assert allowed == (illegal_places(tags, scheme) == []), tags
            assert scheme not in WRITTEN or allowed == (convert_tags(tags, scheme) == tags), tags

    def test_places_of_illegal_tags(self) -> None:
        assert illegal_places(["I-A", "O", "B-A", "I-C"], "BIO") == [0, 3]
        assert illegal_places(["O", "B-A"], "IOBES") == [2]
        assert illegal_places(["DT", "NN"], "none") == []

    def test_without_a_scheme_everything_may_follow(self) -> None:
        moves = allowed_transitions(["NN", "VB", "O"])
        assert all(part.all() for part in moves)
        assert [part.shape for part in moves] == [(3,), (3, 3), (3,)]

    def test_the_scheme_is_detected_where_none_is_said(self) -> None:
        labels = ["O", "B-A", "E-A", "S-A", "I-A"]
        for found, expected in zip(allowed_transitions(labels), allowed_transitions(labels, "IOBES"), strict=True):
            assert np.array_equal(found, expected)

    @pytest.mark.parametrize(("label", "scheme"), [("E-A", "BIO"), ("NN", "BIO"), ("U-A", "IOBES"), ("B-", "IOB1")])
    def test_a_label_that_the_scheme_has_not(self, label: str, scheme: Scheme) -> None:
        with pytest.raises(BertcoreError, match=f'"{label}" is not a tag of the {scheme} scheme'):
            allowed_transitions(["O", label], scheme)


class TestDetection:
    @pytest.mark.parametrize(
        ("labels", "scheme"),
        [
            (["O", "B-PER", "I-PER"], "BIO"),
            (["O", "B", "I"], "BIO"),
            (["B-NP", "I-NP", "B-B-cell"], "BIO"),
            (["O", "B-PER", "I-PER", "E-PER", "S-PER"], "IOBES"),
            (["O", "S-PER"], "IOBES"),
            (["DT", "NN", "O"], "none"),
            (["O"], "none"),
            (["LABEL_0", "LABEL_1"], "none"),
            ([], "none"),
        ],
    )
    def test_by_the_labels(self, labels: list[str], scheme: Scheme) -> None:
        assert detect_scheme(labels) == scheme

    @pytest.mark.parametrize("scheme", ["IOB1", "BIO"])
    def test_sentences_tell_iob1_from_bio(self, scheme: Scheme) -> None:
        dirty = ["O", "I-PER"] if scheme == "BIO" else ["O", "B-PER"]  # one slip does not change the verdict
        labels = {tag for tags in SAME.values() for tag in tags if tag[0] in "OBI"}
        assert detect_scheme(labels, [SAME[scheme], dirty]) == scheme


def test_it_needs_no_torch() -> None:
    code = "import sys, bertcore.tag_schemes; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
