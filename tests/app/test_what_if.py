"""Changes inside the model as plain values: what they say, and that the model does just that."""

import numpy as np

from app.state.what_if import NOTHING_CHANGED, EditedRow, WhatIf
from bertcore.analysis.interventions import ablate, combine, drop_embedding, set_attention_row
from bertcore.analysis.trace import trace
from tests.engine.models import tiny_model

IDS, SEGMENTS = [2, 6, 7, 3, 8, 9, 3], [0, 0, 0, 0, 1, 1, 1]
TOKENS = ["[CLS]", "the", "cat", "[SEP]", "dog", "sat", "[SEP]"]


def test_nothing_changed_is_nothing() -> None:
    assert not NOTHING_CHANGED and NOTHING_CHANGED.changes() is None
    assert NOTHING_CHANGED.described(TOKENS) == []
    assert NOTHING_CHANGED.positions_for(7) is None and NOTHING_CHANGED.segments_for(SEGMENTS) == SEGMENTS


def test_what_is_put_in_can_be_taken_back() -> None:
    row = EditedRow(0, 1, 2, (1.0, 0, 0, 0, 0, 0, 0))
    changed = WhatIf().with_head(1, 2, off=True).with_layer(0, off=True).with_row(row).with_segment(2, 1)
    changed = changed.swapped(1, 4).with_dropped("position", off=True)
    assert changed.described(TOKENS) == [
        "layer 1 skipped",
        "head 2·3 off",
        "head 1·2: row of cat edited",
        "cat (2) in segment B",
        "the (1) at position 4",
        "dog (4) at position 1",
        "no position embedding",
    ]
    back = changed.with_head(1, 2, off=False).with_layer(0, off=False).without_row(0, 1, 2).with_segment(2, None)
    assert back.swapped(1, 4).with_dropped("position", off=False) == NOTHING_CHANGED


def test_another_text_keeps_what_is_bound_to_no_token() -> None:
    changed = WhatIf().with_head(1, 2, off=True).with_segment(2, 1).swapped(1, 2)
    assert changed.without_places() == WhatIf().with_head(1, 2, off=True)


def test_the_model_does_what_is_said() -> None:
    model = tiny_model()
    weights = (0.5, 0.5, 0, 0, 0, 0, 0)
    changed = WhatIf().with_head(1, 2, off=True).with_row(EditedRow(0, 1, 2, weights)).with_dropped("token", off=True)
    changed = changed.with_segment(2, 1).swapped(1, 4)
    found = trace(
        model, IDS, changed.segments_for(SEGMENTS), changed.positions_for(len(IDS)), changes=changed.changes()
    )
    by_hand = trace(
        model,
        IDS,
        [0, 0, 1, 0, 1, 1, 1],
        [0, 4, 2, 3, 1, 5, 6],
        changes=combine(
            drop_embedding("token"), set_attention_row(0, 1, 2, weights), ablate({(1, 2)}, config=model.config)
        ),
    )
    assert found.mlm_logits is not None and by_hand.mlm_logits is not None
    np.testing.assert_array_equal(found.mlm_logits, by_hand.mlm_logits)
    np.testing.assert_allclose(found.attentions[0, 1, 2], weights)
    assert np.abs(found.hidden_states - trace(model, IDS, SEGMENTS).hidden_states).max() > 0.01


def test_a_layer_that_is_off_passes_its_input_on() -> None:
    found = trace(tiny_model(), IDS, SEGMENTS, changes=WhatIf().with_layer(1, off=True).changes())
    np.testing.assert_array_equal(found.hidden_states[2], found.hidden_states[1])
