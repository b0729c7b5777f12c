"""Texts in padded batches: the same numbers as one by one, in every family; batches within the budget."""

import numpy as np
import pytest

from bertcore.analysis.passes import for_each, grouped
from tests.engine.family_models import TOKENIZER, family_model

TEXTS = [
    TOKENIZER.encode(*pair)
    for pair in (
        ("The cat [MASK] very.", "It was comfortable!"),
        ("A [MASK].", None),
        ("[MASK] sat on the mat.", None),
        ("The bird sang.", "It was [MASK]."),
        ("It.", None),
    )
]


class TestGroups:
    @pytest.mark.parametrize("alike", [False, True])
    @pytest.mark.parametrize("most", [1, 20, 64, 10_000])
    def test_hold_every_text_once_and_keep_to_the_budget(self, alike: bool, most: int) -> None:
        lengths = np.random.default_rng(0).integers(1, 40, 200).tolist()
        costs = [length + length**2 // 8 for length in lengths]
        groups = list(grouped(lengths, costs, most, alike=alike))
        assert sorted(number for group in groups for number in group) == list(range(200))
        for group in groups:
            own = [lengths[number] for number in group]
            assert len(group) == 1 or max(costs[number] for number in group) * len(group) <= most
            assert len(set(own)) == 1 if alike else min(own) >= 0.75 * max(own)

    def test_answers_come_in_the_order_of_the_texts(self) -> None:
        model, shares = family_model("bert"), list[float]()
        found = for_each(
            model,
            TEXTS,
            lambda batch, _: list(zip(batch.numbers, batch.encodings, batch.lengths, strict=True)),
            progress=shares.append,
        )
        assert found == [(number, encoding, len(encoding)) for number, encoding in enumerate(TEXTS)]
        assert shares == sorted(shares) and shares[-1] == 1.0
