"""Entity tags in each scheme; the CRF against every path counted out, pytorch-crf, and the schemes it must keep to."""

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from torchcrf import CRF

from bertcore.errors import BertcoreError
from bertcore.model.output_heads import LinearChainCrf, _labelled_first
from bertcore.tag_schemes import Span, allowed_transitions, convert_tags, detect_scheme, entity_spans, illegal_places

# --- the CRF

LABELS = {
    "none": ["NN", "VB", "DT"],
    "BIO": ["O", "B-A", "I-A", "B-C", "I-C"],
    "IOB1": ["I-A", "O", "B-A", "I-C"],
    "IOBES": ["S-A", "O", "B-A", "I-A", "E-A"],
}
MASKS = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [0, 1, 0, 1, 1], [0, 0, 1, 0, 0], [0, 0, 0, 0, 0]]).bool()
ROWS, LENGTH = MASKS.shape


def random_crf(labels, legal=None, seed=0):
    """In double precision, with parameters large enough to matter."""
    crf = LinearChainCrf(labels, legal).double()
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in crf.parameters():
            parameter.normal_(0, 1.5, generator=generator)
    return crf


def random_case(scheme, seed):
    """A CRF of this scheme and emissions (B,S,K) for MASKS."""
    labels = LABELS[scheme]
    crf = random_crf(len(labels), allowed_transitions(labels, scheme), seed)
    generator = torch.Generator().manual_seed(seed)
    return crf, 2 * torch.randn(ROWS, LENGTH, len(labels), dtype=torch.double, generator=generator)


def legal_paths(crf, scheme, emissions):
    """Score of every legal path over a chain of emissions (T,K), T at least 1."""
    start, moves, end = (part.tolist() for part in (crf.start, crf.transitions, crf.end))
    scores, names = emissions.tolist(), LABELS[scheme]
    paths = {}
    for path in itertools.product(range(len(names)), repeat=len(scores)):
        if not illegal_places([names[label] for label in path], scheme):
            emitted = sum(row[label] for row, label in zip(scores, path, strict=True))
            moved = sum(moves[one][other] for one, other in itertools.pairwise(path))
            paths[path] = start[path[0]] + emitted + moved + end[path[-1]]
    return paths


def log_partition(crf, emissions, mask):
    """Log of the sum of exp(score) over all label sequences (B)."""
    return crf._log_partition(_labelled_first(emissions, mask))


def log_sum(scores):
    return float(np.logaddexp.reduce(scores))


CASES = [(scheme, seed) for scheme in LABELS for seed in range(2)]


@pytest.mark.parametrize(("scheme", "seed"), CASES)
class TestEveryPathCountedOut:
    def test_log_likelihood(self, scheme, seed):
        """Of every legal gold path that the first row's first three tokens can have."""
        crf, emissions = random_case(scheme, seed)
        paths = legal_paths(crf, scheme, emissions[0, :3])
        gold = torch.full((len(paths), LENGTH), -100)
        gold[:, :3] = torch.tensor(list(paths))
        mask = torch.zeros(len(paths), LENGTH, dtype=torch.bool)
        mask[:, :3] = True
        found = crf.log_likelihood(emissions[:1].expand(len(paths), -1, -1), gold, mask)
        expected = torch.tensor(list(paths.values()), dtype=torch.double) - log_sum(list(paths.values()))
        assert torch.allclose(found, expected, atol=1e-9)
        assert found.exp().sum().item() == pytest.approx(1.0, abs=1e-9)

    def test_partition_best_path_and_marginals(self, scheme, seed):
        crf, emissions = random_case(scheme, seed)
        partition, best = log_partition(crf, emissions, MASKS).tolist(), crf.decode(emissions, MASKS)
        with torch.inference_mode():
            found = crf.marginals(emissions.clone(), MASKS.clone())
        expected = torch.zeros_like(found)
        for row in range(ROWS - 1):
            paths = legal_paths(crf, scheme, emissions[row, MASKS[row]])
            total = log_sum(list(paths.values()))
            assert partition[row] == pytest.approx(total, abs=1e-9)
            assert tuple(best[row]) == max(paths, key=paths.__getitem__)
            for path, score in paths.items():
                for place, label in zip(MASKS[row].nonzero().flatten().tolist(), path, strict=True):
                    expected[row, place, label] += math.exp(score - total)
        assert torch.allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_as_pytorch_crf(seed):
    generator = torch.Generator().manual_seed(seed)
    batch, length, labels = 6, 17, 9
    ours, theirs = random_crf(labels, seed=seed), CRF(labels, batch_first=True).double()
    with torch.no_grad():
        theirs.transitions.copy_(ours.transitions)
        theirs.start_transitions.copy_(ours.start)
        theirs.end_transitions.copy_(ours.end)
    emissions = torch.randn(batch, length, labels, dtype=torch.double, generator=generator)
    tags = torch.randint(labels, (batch, length), generator=generator)
    mask = torch.arange(length) < torch.tensor([17, 1, 16, 5, 9, 2])[:, None]
    expected = theirs(emissions, tags, mask, reduction="none")
    assert torch.allclose(ours.log_likelihood(emissions, tags, mask), expected, atol=1e-9)
    assert ours.decode(emissions, mask) == theirs.decode(emissions, mask)


class TestGradients:
    @pytest.mark.parametrize("scheme", ["none", "BIO"])
    def test_they_are_those_of_finite_differences(self, scheme):
        crf, emissions = random_case(scheme, 0)
        tags = torch.tensor(crf.decode(emissions, torch.ones_like(MASKS)))  # legal as a whole
        mask = torch.arange(LENGTH) < torch.tensor([5, 3, 4, 1, 0])[:, None]

        def likelihood(emissions, *_parameters):
            return crf.log_likelihood(emissions, tags, mask)[:4]

        assert torch.autograd.gradcheck(likelihood, (emissions.requires_grad_(), *crf.parameters()))

    def test_illegal_gold_labels_leave_all_finite(self):
        crf = LinearChainCrf(5, allowed_transitions(LABELS["IOBES"]))
        emissions = torch.randn(2, 512, 5, requires_grad=True)
        tags = torch.full((2, 512), 3)  # I-A from the first to the last
        tags[1] = 2  # B-A again and again
        value = crf.log_likelihood(emissions, tags, torch.ones(2, 512, dtype=torch.bool))
        value.sum().backward()
        assert torch.isfinite(value).all()
        assert (value < -1e4).all()
        for part in (emissions, *crf.parameters()):
            assert torch.isfinite(part.grad).all()
        assert (emissions.grad.gather(2, tags[:, :, None]) >= 0).all()  # still towards the gold labels


class TestRows:
    def test_a_row_without_labels(self):
        crf, emissions = random_case("BIO", 1)
        emissions.requires_grad_()
        value = crf.log_likelihood(emissions, torch.zeros(ROWS, LENGTH, dtype=torch.long), MASKS)
        assert value[-1] == 0
        assert log_partition(crf, emissions, MASKS)[-1] == 0
        assert crf.decode(emissions, MASKS)[-1] == []
        assert not torch.autograd.grad(value[-1], emissions)[0].any()
        nothing = torch.zeros_like(MASKS)
        assert crf.decode(emissions, nothing) == [[]] * ROWS
        assert not crf.log_likelihood(emissions, torch.zeros(ROWS, LENGTH, dtype=torch.long), nothing).any()

    def test_what_is_not_labelled_plays_no_part(self):
        crf, emissions = random_case("BIO", 2)
        tags = torch.zeros(ROWS, LENGTH, dtype=torch.long)
        other_tags = tags.masked_fill(~MASKS, -100)
        other = emissions.masked_fill(~MASKS[:, :, None], 1e9)
        assert torch.equal(crf.log_likelihood(emissions, tags, MASKS), crf.log_likelihood(other, other_tags, MASKS))
        assert crf.decode(emissions, MASKS) == crf.decode(other, MASKS)

    def test_fresh_it_is_a_tagger_without_a_crf_and_adds_up_in_float32(self):
        crf, emissions = LinearChainCrf(4), torch.randn(2, 400, 4)
        mask, tags = torch.ones(2, 400, dtype=torch.bool), torch.randint(4, (2, 400))
        alone = -torch.nn.functional.cross_entropy(emissions.flatten(0, 1), tags.flatten(), reduction="none")
        assert torch.allclose(crf.log_likelihood(emissions, tags, mask), alone.view(2, 400).sum(1), atol=1e-2)
        assert crf.decode(emissions, mask) == emissions.argmax(2).tolist()
        half = emissions.bfloat16()
        assert torch.equal(crf.log_likelihood(half, tags, mask), crf.log_likelihood(half.float(), tags, mask))


class TestWhatTheCrfMaySay:
    @settings(max_examples=60, deadline=None)
    @given(data=st.data(), scheme=st.sampled_from(["BIO", "IOB1", "IOBES"]))
    def test_no_illegal_sequence_whatever_was_learned(self, data, scheme):
        labels = LABELS[scheme]
        count, length = len(labels), data.draw(st.integers(1, 9))
        scores = st.floats(-1e6, 1e6, width=32)
        drawn = lambda *how, **more: torch.from_numpy(data.draw(arrays.arrays(*how, **more)))  # noqa: E731
        crf = LinearChainCrf(count, allowed_transitions(labels, scheme))
        with torch.no_grad():
            for parameter in crf.parameters():
                parameter.copy_(drawn(np.float32, tuple(parameter.shape), elements=scores))
        emissions = drawn(np.float32, (3, length, count), elements=scores)
        mask = drawn(np.bool_, (3, length))
        found = crf.decode(emissions, mask)
        assert [len(row) for row in found] == mask.sum(1).tolist()
        assert all(illegal_places([labels[label] for label in row], scheme) == [] for row in found)

    def test_where_no_sequence_is_legal_the_fewest_moves_are_broken(self):
        """Labels B-A and E-A over three words: any sequence leaves one entity open or unbegun."""
        labels = ["B-A", "E-A"]
        crf = LinearChainCrf(2, allowed_transitions(labels, "IOBES"))
        [path] = crf.decode(torch.tensor([[[0.0, 50.0], [50.0, 0.0], [50.0, 0.0]]]), torch.ones(1, 3, dtype=torch.bool))
        broken = [len(illegal_places(list(other), "IOBES")) for other in itertools.product(labels, repeat=3)]
        assert len(illegal_places([labels[label] for label in path], "IOBES")) == min(broken) == 1

    def test_files_hold_the_scores_alone(self):
        """A model that is opened is built without memory first; what is legal must survive that."""
        legal = allowed_transitions(LABELS["BIO"])
        crf = random_crf(5, legal).float()
        assert set(crf.state_dict()) == {"transitions", "start", "end"}
        with torch.device("meta"):
            opened = LinearChainCrf(5, legal)
        opened.load_state_dict(crf.state_dict(), assign=True)
        emissions, mask = torch.randn(3, 7, 5), torch.ones(3, 7, dtype=torch.bool)
        assert torch.equal(log_partition(opened, emissions, mask), log_partition(crf, emissions, mask))
        assert opened.decode(emissions, mask) == crf.decode(emissions, mask)


def test_labels_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="of 5 labels do not fit a CRF of 4"):
        LinearChainCrf(4, allowed_transitions(LABELS["BIO"]))
    with pytest.raises(ValueError, match="at least one label"):
        LinearChainCrf(0)


@pytest.mark.parametrize("shape", [(2, 5), (6, 5), (5, 4), (5, 6), (5, 0)])
def test_a_mask_of_other_emissions_is_refused(shape):
    """Gathering would take the first rows, and give a number for them."""
    crf, emissions = random_crf(3), torch.zeros(5, 5, 3, dtype=torch.double)
    mask, tags = torch.ones(shape, dtype=torch.bool), torch.zeros(shape, dtype=torch.int64)
    for refused in (
        lambda: crf.log_likelihood(emissions, tags, mask),
        lambda: crf.log_likelihood(emissions, tags, torch.ones(5, 5, dtype=torch.bool)),
        lambda: log_partition(crf, emissions, mask),
        lambda: crf.decode(emissions, mask),
        lambda: crf.marginals(emissions, mask),
    ):
        with pytest.raises(ValueError, match="do not fit"):
            refused()


# --- what may follow what, which scheme a list is in, and the same entities in each of them

SCHEMES = ("IOB1", "BIO", "IOBES")
WRITTEN = SCHEMES[1:]

# One sentence of each kind, written by hand: two entities of a type that touch, one of another type that touches.
SAME = {
    "IOB1": ["I-PER", "I-PER", "O", "I-LOC", "B-LOC", "I-LOC", "I-ORG", "O"],
    "BIO": ["B-PER", "I-PER", "O", "B-LOC", "B-LOC", "I-LOC", "B-ORG", "O"],
    "IOBES": ["B-PER", "E-PER", "O", "S-LOC", "B-LOC", "E-LOC", "S-ORG", "O"],
}
SPANS = [Span("PER", 0, 2), Span("LOC", 3, 4), Span("LOC", 4, 6), Span("ORG", 6, 7)]


@st.composite
def entities(draw):
    """Entities of one sentence, many of them touching, and its length."""
    spans, end = [], 0
    for _ in range(draw(st.integers(0, 5))):
        start = end + draw(st.integers(0, 1))
        end = start + draw(st.integers(1, 4))
        spans.append(Span(draw(st.sampled_from(["PER", "LOC", "B-cell", ""])), start, end))
    return spans, end + draw(st.integers(0, 2))


class TestConversion:
    @pytest.mark.parametrize("source", SCHEMES)
    def test_each_into_each(self, source):
        assert entity_spans(SAME[source]) == SPANS
        assert [convert_tags(SAME[source], scheme) for scheme in WRITTEN] == [SAME[scheme] for scheme in WRITTEN]

    @given(entities(), st.sampled_from(WRITTEN))
    def test_entities_come_back(self, case, scheme):
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
    def test_dirty_tags_are_read_as_the_scorers_do(self, tags, spans):
        assert entity_spans(tags) == spans
        assert convert_tags(["O", "I-A", "I-C"], "BIO") == ["O", "B-A", "B-C"]  # and mended


class TestLegalMoves:
    def test_moves_of_iob1_known_by_hand(self):
        labels = ["O", "B-A", "I-A", "B-C", "I-C"]
        moves = allowed_transitions(labels, "IOB1").transitions
        legal = ("O I-A", "I-A B-A", "B-A B-A", "I-A I-C", "B-A I-A")
        for pair in (*legal, "O B-A", "I-A B-C", "B-A B-C"):
            before, after = pair.split()
            assert moves[labels.index(before), labels.index(after)] == (pair in legal), pair

    @pytest.mark.parametrize("scheme", SCHEMES)
    def test_a_sentence_is_legal_if_its_entities_are_written_so(self, scheme):
        """Every sentence of up to three words: only a legal one is what writing its entities gives."""
        labels = ["O", *(f"{letter}-{kind}" for letter in ("BIES" if scheme == "IOBES" else "BI") for kind in "AC")]
        start, move, end = allowed_transitions(labels, scheme)
        for path in itertools.chain.from_iterable(itertools.product(range(len(labels)), repeat=n) for n in (1, 2, 3)):
            tags = [labels[label] for label in path]
            allowed = start[path[0]] and end[path[-1]] and all(move[pair] for pair in itertools.pairwise(path))
            assert allowed == (illegal_places(tags, scheme) == []), tags
            assert scheme not in WRITTEN or allowed == (convert_tags(tags, scheme) == tags), tags

    def test_places_of_illegal_tags(self):
        assert illegal_places(["I-A", "O", "B-A", "I-C"], "BIO") == [0, 3]
        assert illegal_places(["O", "B-A"], "IOBES") == [2]
        assert illegal_places(["DT", "NN"], "none") == []

    def test_the_scheme_is_detected_where_none_is_said(self):
        moves = allowed_transitions(["NN", "VB", "O"])  # without one everything may follow
        assert all(part.all() for part in moves) and [part.shape for part in moves] == [(3,), (3, 3), (3,)]
        labels = ["O", "B-A", "E-A", "S-A", "I-A"]
        for found, expected in zip(allowed_transitions(labels), allowed_transitions(labels, "IOBES"), strict=True):
            assert np.array_equal(found, expected)

    @pytest.mark.parametrize(("label", "scheme"), [("E-A", "BIO"), ("NN", "BIO"), ("U-A", "IOBES"), ("B-", "IOB1")])
    def test_a_label_that_the_scheme_has_not(self, label, scheme):
        with pytest.raises(BertcoreError, match=f'"{label}" is not a tag of the {scheme} scheme'):
            allowed_transitions(["O", label], scheme)


@pytest.mark.parametrize(
    ("labels", "scheme"),
    [
        (["O", "B-PER", "I-PER"], "BIO"),
        (["O", "B", "I"], "BIO"),
        (["B-NP", "I-NP", "B-B-cell"], "BIO"),
        (["O", "B-PER", "I-PER", "E-PER", "S-PER"], "IOBES"),
        (["O", "S-PER"], "IOBES"),
        *((labels, "none") for labels in (["DT", "NN", "O"], ["O"], ["LABEL_0", "LABEL_1"], [])),
    ],
)
def test_the_scheme_is_told_by_the_labels(labels, scheme):
    assert detect_scheme(labels) == scheme


@pytest.mark.parametrize("scheme", ["IOB1", "BIO"])
def test_sentences_tell_iob1_from_bio(scheme):
    dirty = ["O", "I-PER"] if scheme == "BIO" else ["O", "B-PER"]  # one slip does not change the verdict
    labels = {tag for tags in SAME.values() for tag in tags if tag[0] in "OBI"}
    assert detect_scheme(labels, [SAME[scheme], dirty]) == scheme
