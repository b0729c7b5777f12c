"""80 / 10 / 10: what becomes of tokens, against masking itself; and the probabilities, against transformers."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from bertcore.analysis.masked_draws import FATES, masked_draws
from bertcore.data.masking import Fates
from bertcore.errors import BertcoreError
from bertcore.locations import assets
from bertcore.training.pretrain_options import PretrainOptions
from tests.engine.models import PAIR, SHAPES, TOKENIZER, family_model, segments_for

MODEL = family_model("bert")
MASK, RANDOM, KEPT, NOT_CHOSEN = range(4)


def drawn(model=MODEL, **more):
    return masked_draws(model, TOKENIZER, PAIR.ids, segments_for(model), **more)


def test_each_fate_does_what_it_says_and_has_its_share():
    found, own = drawn(draws=2000), np.array(PAIR.ids)
    special = np.isin(own, TOKENIZER.special_ids)
    assert np.array_equal(found.fate == -1, np.broadcast_to(special, found.fate.shape))
    assert (found.seen[found.fate == MASK] == TOKENIZER.mask_id).all()
    same = found.seen == own
    assert not same[found.fate == RANDOM].any() and same[(found.fate != MASK) & (found.fate != RANDOM)].all()
    assert not np.isin(found.seen[found.fate == RANDOM], TOKENIZER.special_ids).any()
    chosen = (found.fate >= 0) & (found.fate < NOT_CHOSEN)
    assert chosen[:, ~special].mean() == pytest.approx(0.15, abs=0.01)
    shares = [(found.fate == fate).sum() / chosen.sum() for fate in (MASK, RANDOM, KEPT)]
    assert shares == pytest.approx([0.8, 0.1, 0.1], abs=0.03)


def test_a_draw_depends_on_the_seed_and_its_number_alone():
    few, many = drawn(draws=3, seed=4), drawn(draws=9, seed=4)
    assert np.array_equal(few.seen, many.seen[:3]) and not np.array_equal(few.seen, drawn(draws=3, seed=5).seen)
    alone = drawn(draws=40, fates=Fates(1.0, 0.0))
    assert set(alone.fate[alone.fate >= 0].tolist()) == {MASK, NOT_CHOSEN}


@pytest.mark.parametrize("family", [name for name in SHAPES if family_model(name).mlm is not None])
def test_the_probabilities_are_those_of_single_passes(family):
    model, own = family_model(family), torch.tensor(PAIR.ids)
    found, segments = drawn(model, draws=5), segments_for(model)
    with torch.no_grad():
        for draw, seen in enumerate(found.seen):
            ids = torch.from_numpy(seen)[None]
            hidden = model(ids, None if segments is None else torch.tensor([segments]))[0]
            expected = model.mlm_logits(hidden).softmax(-1)
            at = expected[torch.arange(len(own)), own].numpy()
            np.testing.assert_allclose(found.probability[draw], at, atol=1e-6)
            assert np.array_equal(found.is_first[draw], (expected.argmax(-1) == own).numpy())


def test_the_probabilities_are_those_of_transformers(tmp_path):
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    from bertcore.checkpoint.checkpoint import save_checkpoint

    save_checkpoint(MODEL, TOKENIZER, tmp_path)
    theirs = transformers.BertForPreTraining.from_pretrained(tmp_path).eval()
    found = drawn(draws=4)
    with torch.no_grad():
        segments = torch.tensor([PAIR.segments]).expand(4, -1)
        logits = theirs(torch.from_numpy(found.seen), token_type_ids=segments).prediction_logits
    own = torch.tensor(PAIR.ids).expand(4, -1)[..., None]
    np.testing.assert_allclose(found.probability, logits.softmax(-1).gather(-1, own)[..., 0].numpy(), atol=1e-5)


def test_what_cannot_be_drawn_is_said():
    with pytest.raises(BertcoreError, match="nothing to mask"):
        drawn(draws=0)
    with pytest.raises(BertcoreError, match="nothing to mask"):
        masked_draws(MODEL, TOKENIZER, TOKENIZER.special_ids[:2])
    with pytest.raises(BertcoreError, match="no masked-word"):
        masked_draws(SimpleNamespace(mlm=None), TOKENIZER, PAIR.ids)


def test_the_prepared_runs_differ_in_nothing_but_the_fates_and_show_what_the_window_says():
    found = json.loads((assets() / "evaluation" / "masking.json").read_text())
    options = [PretrainOptions.from_file(assets() / "recipes" / f"{name}.json") for name in found["right"]]
    alike = {json.dumps(each.with_changes(name="", mask_fate=0.8, random_fate=0.1).to_dict()) for each in options}
    assert len(alike) == 1 and found["fates"] == list(FATES)
    both, alone = (np.array(found["right"][name]) for name in ("masking-80-10-10", "masking-100-0-0"))  # (3,4)
    assert both.shape == alone.shape == (3, 4)
    assert alone[:, MASK].max() >= both[:, MASK].min() and both[:, MASK].max() >= alone[:, MASK].min()  # may be chance
    assert (both[:, RANDOM:].min(axis=0) > alone[:, RANDOM:].max(axis=0)).all()
