"""Which parts made an answer: sets, single parts and links, against the same pass written out by hand."""

import numpy as np
import pytest
import torch

from bertcore.analysis.circuit import RANDOM_SETS, Part, PartPasses, find_circuit
from bertcore.analysis.effects import patching_map
from bertcore.analysis.passes import as_text
from bertcore.analysis.targets import Target
from bertcore.errors import BertcoreError
from tests.engine.models import MASKED, PAIR, SHAPES, TOKENIZER, family_model, pair_text, segments_for

OTHER = TOKENIZER.encode("The bird [MASK] very.", "It was comfortable!")
TARGET = Target("mlm", index=9, position=MASKED, against=12)
ANSWER = Part("answer")
families = pytest.mark.parametrize("family", SHAPES)


def both(model):
    texts = (as_text(model, each.ids, segments_for(model, each)) for each in (PAIR, OTHER))
    return PartPasses(model, *texts, TARGET)


def by_hand(model, encoding, given=None, reading=None):
    """Target, and what every part gives: `given` parts give that instead, and each part of `reading` (part -> stream
    entering its half of the layer) reads that. Layer by layer, in plain torch."""
    given, reading, outputs, streams = given or {}, reading or {}, {}, {}
    x = model.embeddings(torch.tensor([encoding.ids]), torch.tensor([segments_for(model, encoding)]))
    x = outputs[Part("words")] = given.get(Part("words"), x)
    for index in range(model.encoder.depth):
        layer, count = model.encoder.layer(index), model.config.num_attention_heads
        is_pre, width = model.encoder.final_norm is not None, model.config.hidden_size // count
        added = layer.attention.output.bias
        for head in range(count):
            part = Part("head", index, head)
            streams[part] = x
            read = reading.get(part, x)
            qkv = layer.attention.query_key_value(layer.attention_norm(read) if is_pre else read)[0]
            first = head * width
            q, k, v = (each[:, first : first + width] for each in qkv.split(model.config.hidden_size, dim=-1))
            context = (q @ k.T / width**0.5).softmax(-1) @ v
            output = context @ layer.attention.output.weight[:, first : first + width].T
            outputs[part] = given.get(part, output)
            added = added + outputs[part]
        x = x + added if is_pre else layer.attention_norm(x + added)
        part = Part("feed-forward", index)
        streams[part], read = x, reading.get(part, x)
        inner = layer.activation(layer.feed_forward_in(layer.feed_forward_norm(read) if is_pre else read))
        outputs[part] = given.get(part, layer.feed_forward_out(inner))
        x = x + outputs[part] if is_pre else layer.feed_forward_norm(x + outputs[part])
    streams[ANSWER] = x
    x = reading.get(ANSWER, x)
    x = x if model.encoder.final_norm is None else model.encoder.final_norm(x)
    return float(TARGET.of(model, x)), outputs, streams


@families
def test_sets_and_links_are_those_written_out_by_hand(family):
    model = family_model(family)
    found, rng = both(model), np.random.default_rng(0)
    (ours, own, _), (theirs, other, _) = by_hand(model, PAIR), by_hand(model, OTHER)
    assert (found.value, found.other_value) == (pytest.approx(ours, abs=1e-4), pytest.approx(theirs, abs=1e-4))
    sets = rng.random((6, len(found.parts))) < 0.5
    for live, kept in zip(sets, found.kept(sets), strict=True):
        given = {part: other[part] for part, is_live in zip(found.parts, live, strict=True) if not is_live}
        assert kept == pytest.approx((by_hand(model, PAIR, given)[0] - theirs) / (ours - theirs), rel=1e-3, abs=1e-3)
    links = found.links()
    assert len(links) == np.isfinite(found.screen()).sum()
    for link in [links[at] for at in rng.permutation(len(links))[:6]]:
        frozen = {part: output for part, output in own.items() if part != link.sender} | {
            link.sender: other[link.sender]
        }
        read = by_hand(model, PAIR, frozen)[2][link.receiver]
        value = by_hand(model, PAIR, reading={link.receiver: read})[0]
        assert link.lost == pytest.approx((ours - value) / (ours - theirs), rel=1e-3, abs=1e-3)
        assert found.lost_by_link(link.sender, link.receiver) == pytest.approx(link.lost, rel=1e-3, abs=1e-3)


@families
def test_parts_alone_are_those_of_patching(family):
    model = family_model(family)
    found, other = both(model), as_text(model, OTHER.ids, segments_for(model, OTHER))
    found.max_tokens = 64  # several batches
    lost = found.lost()
    heads = patching_map(model, pair_text(model), other, TARGET, "head").fractions
    np.testing.assert_allclose(lost[1:13], heads.ravel(), rtol=1e-3, atol=1e-4)
    added = patching_map(model, pair_text(model), other, TARGET, "feed-forward").fractions
    np.testing.assert_allclose(found.lost_at(range(13, 16)), added, rtol=1e-3, atol=1e-3)
    assert lost[0] == pytest.approx(1, abs=1e-3)  # all of it comes from the words
    everything, nothing, cells = np.ones((1, 16), bool), np.zeros((1, 16), bool), np.ones((1, 16, len(PAIR.ids)), bool)
    assert [found.kept(each)[0] for each in (everything, nothing, cells)] == pytest.approx([1, 0, 1], abs=1e-3)


def test_the_gradient_is_that_of_small_changes():
    """Where both texts hardly differ, first order is all there is."""
    model = family_model("bert")
    with torch.no_grad():
        table, (ours, theirs) = (
            model.embeddings.token.weight,
            (TOKENIZER.encode(word).ids[1] for word in ("cat", "bird")),
        )
        table[theirs] = table[ours] + 0.1 * (table[theirs] - table[ours])
        found = both(model)
    screened = found.screen()
    for link in found.links(most=12):
        receiver = len(found.parts) if link.receiver == ANSWER else found.number(link.receiver)
        assert screened[found.number(link.sender), receiver] == pytest.approx(link.lost, rel=0.1, abs=0.03)


def test_dropping_takes_the_part_that_changes_least():
    model = family_model("bert")
    found = both(model)
    gone, kept = found.dropped(found.lost())
    live, now = np.ones(16, dtype=bool), 1.0
    for part, share in zip(gone, kept, strict=True):
        sets = np.repeat(live[None], 16, axis=0) & ~np.eye(16, dtype=bool)
        shares = np.where(live, found.kept(sets), np.inf)
        assert abs(share - now) <= np.abs(shares[1:] - now).min() + 1e-4
        live[part] = False
        assert found.kept(live[None])[0] == pytest.approx(share, abs=1e-4)
        now = share
    assert live.tolist() == [True] + [False] * 15
    few, shares = found.dropped(found.lost(), most=4)
    assert len(few) == len(shares) == 15 and sorted(few) == list(range(1, 16))


def test_random_sets_have_the_size_and_the_words():
    found = both(family_model("bert"))
    np.testing.assert_allclose(found.random_sets(16), 1, atol=1e-4)
    assert len(found.random_sets(3)) == RANDOM_SETS and (found.random_sets(3, 1) != found.random_sets(3)).any()
    assert np.ptp(found.random_sets(1)) < 1e-5


def test_what_makes_no_difference_is_refused():
    model = family_model("bert")
    text = pair_text(model)
    with pytest.raises(BertcoreError, match="nearly the same score"):
        PartPasses(model, text, text, TARGET)
    with pytest.raises(BertcoreError, match="same number of tokens"):
        find_circuit(model, text, as_text(model, OTHER.ids[1:]), TARGET)
    found = both(model)
    with pytest.raises(BertcoreError, match="no part head 9"):
        found.number(Part("head", 9, 0))
    with pytest.raises(BertcoreError, match="does not come before"):
        found.lost_by_link(Part("head", 1, 0), Part("feed-forward", 0))
