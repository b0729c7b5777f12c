"""Batches: every unit once, like lengths together, the same for the same seed and epoch, and what stands in them."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bertcore.tasks.batches import TaskBatches, shuffled_order, sorted_order
from bertcore.tasks.kinds import make_features
from bertcore.tasks.kinds.base import Example, TaskBatch
from bertcore.tasks.kinds.choice import ChoiceExample
from bertcore.tasks.kinds.span import AnswerExample
from bertcore.tasks.kinds.summarise import SummaryExample, SummaryFeatures
from bertcore.tasks.kinds.tag import TagFeatures, TaggedExample
from bertcore.tasks.kinds.texts import TextExample
from tests.engine.models import epoch_of, word_tokenizer

TOKENIZER = word_tokenizer()
RNG = np.random.default_rng(0)
LENGTHS = st.lists(st.integers(1, 30), min_size=1, max_size=60).map(np.array)


def texts(count: int, second: bool = False) -> list[Example]:
    lengths = RNG.geometric(0.12, count).clip(1, 50)
    return [
        TextExample("a " * int(n), "the cat" if second else None, ("no", "yes")[i % 2]) for i, n in enumerate(lengths)
    ]


def batches_of(
    kind: Any, examples: list[Example], size: int, labels: tuple[str, ...] = (), **settings: Any
) -> TaskBatches:
    return TaskBatches(make_features(kind, examples, TOKENIZER, labels, max_length=40), size, 7, **settings)


class TestOrder:
    @given(lengths=LENGTHS, size=st.integers(1, 9), seed=st.integers(0, 99), choices=st.booleans())
    def test_every_unit_once_in_even_batches(self, lengths: Any, size: int, seed: int, choices: bool) -> None:
        groups = lengths % 3 if choices else None
        for order in (
            shuffled_order(lengths, size, np.random.default_rng(seed), groups), sorted_order(lengths, size, groups)
        ):  # fmt: skip
            assert sorted(np.concatenate(order).tolist()) == list(range(len(lengths)))
            sizes = [len(units) for units in order]
            if groups is None:
                assert len(order) == -(-len(lengths) // size) and max(sizes) - min(sizes) <= 1 and max(sizes) <= size
            else:
                assert all(len(set(groups[units])) == 1 for units in order) and max(sizes) <= size

    def test_the_order_depends_on_seed_and_epoch_alone(self) -> None:
        def order(seed: int, epoch: int) -> list[list[int]]:
            batches = batches_of("classify", examples, 8, ("no", "yes"), seed=seed)
            list(epoch_of(batches, 3))  # what was read before does not matter
            return [units.tolist() for units in batches.order(epoch)]

        examples = texts(100)
        assert order(1, 2) == order(1, 2)
        different = {str(order(seed, epoch)) for seed in (1, 2) for epoch in (0, 1, 2)}
        assert len(different) == 6

    def test_batches_are_not_the_same_from_epoch_to_epoch_nor_in_order_of_length(self) -> None:
        batches = batches_of("classify", texts(2_000), 8, ("no", "yes"))
        first, second = ({frozenset(units.tolist()) for units in batches.order(epoch)} for epoch in (0, 1))
        assert len(first & second) < 5
        longest = [int(batches.features.unit_lengths[units].max()) for units in batches.order(0)]
        assert abs(np.corrcoef(longest, np.arange(len(longest)))[0, 1]) < 0.25

    def test_a_resumed_epoch_goes_on_where_it_was(self) -> None:
        batches = batches_of("classify", texts(60), 8, ("no", "yes"), seed=5)
        whole = list(epoch_of(batches, 1))
        again = list(
            epoch_of(batches_of("classify", list(batches.features.examples), 8, ("no", "yes"), seed=5), 1, first=3)
        )
        assert len(whole) == len(batches) and len(again) == len(whole) - 3
        assert all(torch.equal(a.input_ids, b.input_ids) for a, b in zip(whole[3:], again, strict=True))

    def test_little_is_padding(self) -> None:
        batches = batches_of("classify", texts(2_000), 16, ("no", "yes"))
        by_hand = [batch.attention_mask for batch in epoch_of(batches, 0)]
        padded = sum(int((mask == 0).sum()) for mask in by_hand if mask is not None)
        read = sum(batch.input_ids.numel() for batch in epoch_of(batches, 0))
        assert 0 < padded / read < 0.03
        unsorted = shuffled_order(np.ones(2_000, int), 16, np.random.default_rng(0))
        lengths = batches.features.unit_lengths
        assert 1 - lengths.sum() / sum(lengths[units].max() * len(units) for units in unsorted) > 0.4
        straight = batches_of("classify", list(batches.features.examples), 16, ("no", "yes"), shuffle=False)
        assert sum(b.input_ids.numel() for b in epoch_of(straight, 0)) < read
        sizes = [batch.input_ids.shape[1] for batch in epoch_of(straight, 4)]
        assert sizes == sorted(sizes, reverse=True) == [batch.input_ids.shape[1] for batch in epoch_of(straight, 0)]


class TestWhatIsInABatch:
    def test_padding_and_labels(self) -> None:
        examples = [TextExample("the cat", "a dog sat", "yes"), TextExample("it was", None, "no")]
        batches = batches_of("classify", list(examples), 2, ("no", "yes"))
        batch = batches.batch(np.array([1, 0]))
        pair, single = TOKENIZER.encode("the cat", "a dog sat"), TOKENIZER.encode("it was")
        assert batch.input_ids.tolist() == [single.ids + [7] * 4, pair.ids]
        assert batch.segment_ids is not None and batch.attention_mask is not None
        assert batch.segment_ids.tolist() == [[0] * 8, pair.segments]
        assert batch.attention_mask.tolist() == [[1] * 4 + [0] * 4, [1] * 8]
        assert batch.labels.tolist() == [0, 1]
        without = TaskBatches(batches.features, 2, 7, segments=False).batch(np.array([0]))
        assert without.segment_ids is None and without.attention_mask is None

    def test_words(self) -> None:
        examples = [TaggedExample(("the", "comfortable", "cat"), ("O", "B", "I")), TaggedExample(("a",), ("B",))]
        batches = batches_of("tag", list(examples), 2, ("O", "B", "I"))
        assert isinstance(batches.features, TagFeatures)
        batch = batches.batch(np.array([0, 1]))
        assert batch.labels.tolist() == [[-100, 0, 1, -100, 2, -100], [-100, 1, -100, -100, -100, -100]]

    def test_choices_of_unlike_number_are_apart(self) -> None:
        examples = [ChoiceExample("the cat", tuple("abcd"[: 2 + i % 3]), i % 2) for i in range(20)]
        batches = batches_of("choice", list(examples), 4)
        order = batches.order(0)
        assert len(batches) == len(order)
        for units, batch in zip(order, epoch_of(batches, 0), strict=True):
            assert batch.input_ids.shape[0] == batch.choices * len(units)
            assert batch.labels.tolist() == [int(unit) % 2 for unit in units]
            expected = [TOKENIZER.encode("the cat", end).ids for unit in units for end in examples[unit].endings]
            assert batch.input_ids.tolist() == expected

    def test_sentences(self) -> None:
        examples = [
            SummaryExample(("the cat", "sat"), (False, True)),
            SummaryExample(("a", "dog", "on"), (True, True, False)),
        ]
        batches = batches_of("summarise", list(examples), 2)
        assert isinstance(batches.features, SummaryFeatures)
        batch = batches.batch(np.array([1, 0]))
        rows = batch.rows
        assert rows is not None
        assert (batch.input_ids.flatten()[rows] == TOKENIZER.cls_id).all() and rows.tolist() == [0, 3, 6, 9, 13]
        assert batch.labels.tolist() == [1, 1, 0, 0, 1]

    def test_windows(self) -> None:
        example = AnswerExample("1", "the cat", "a dog sat on the mat", (("mat", 17),))
        features = make_features("span", [example], TOKENIZER, max_length=10, stride=2)
        batches = TaskBatches(features, 8, 7, shuffle=False)
        [batch] = epoch_of(batches, 0)
        # [CLS] the cat [SEP] a dog sat on the [SEP], then two tokens further: sat on the mat
        assert batch.labels.tolist() == [[0, 0], [7, 7]]
        assert batch.input_ids.shape == (2, 10) and TOKENIZER.word(int(batch.input_ids[1, 7])) == "mat"

    def test_only_batches_have_tensors(self) -> None:
        batch = next(epoch_of(batches_of("classify", texts(3), 2, ("no", "yes"))))
        assert isinstance(batch, TaskBatch) and batch.input_ids.dtype == torch.int64
        with pytest.raises(ValueError, match="at least one"):
            batches_of("classify", texts(3), 0, ("no", "yes"))
