"""What a long text is compared with takes half the memory, is read as float32, and the status line says so."""

from dataclasses import replace

import numpy as np
import pytest

from app.compute import reader as reader_module
from app.compute.open_checkpoints import opened_checkpoint
from app.compute.reader import MOST_TRACES_BYTES, read
from app.state.baseline import OtherText
from app.state.readings import request_for
from bertcore.analysis.half_precision import PARTS, HalfPrecision, halved, trace_bytes
from tests.app.conftest import settle
from tests.engine.models import tiny_checkpoint

OTHER = "A dog sat on the mat."


def test_it_reads_as_float32():
    values = np.random.default_rng(0).dirichlet(np.ones(7), size=(3, 2, 7)).astype(np.float32)
    half = HalfPrecision(values)
    assert (half.shape, half.size, half.ndim, len(half)) == (values.shape, values.size, 4, 3)
    assert half.nbytes == values.nbytes // 2 and half.dtype == np.float32
    for found, expected in (
        (half[1, 0], values[1, 0]),
        (half[2, 1, 3, 4], values[2, 1, 3, 4]),
        (half[..., [0, 2]], values[..., [0, 2]]),
        (np.asarray(half), values),
        (np.stack(list(half)), values),
        (half - values, np.zeros_like(values)),
        (1 + half, 1 + values),
        (half.mean(axis=-1), values.mean(axis=-1)),
        (np.concatenate([half, values]), np.concatenate([values, values])),
    ):
        assert found.dtype == np.float32
        assert np.abs(found - expected).max() < 2**-11  # half of the last of 11 bits


def test_numbers_that_float16_does_not_have_stay(reading):
    large = reading.trace.queries.copy()
    large[0, 0, 0, 0] = 1e5
    made = halved(replace(reading.trace, queries=large))
    assert made.queries is large and isinstance(made.keys, HalfPrecision)


@pytest.fixture
def reading(window):
    settle(window)
    return window.state.reading


def test_a_baseline_beyond_the_limit_is_kept_in_half_precision_and_said(window, reading, monkeypatch):
    state = window.state
    state.set_baseline(OtherText(OTHER, ""))
    settle(window)
    before = state.reading.baseline.trace
    assert not state.reading.baseline.is_in_half_precision and "half precision" not in window.frame.status.text
    state.set_baseline(None)
    settle(window)
    monkeypatch.setattr(reader_module, "MOST_TRACES_BYTES", 2 * trace_bytes(before) - 1)
    state.set_baseline(OtherText(OTHER, ""))
    settle(window)
    baseline = state.reading.baseline
    assert baseline.is_in_half_precision and not state.reading.is_in_half_precision
    for part in PARTS:
        assert np.abs(getattr(baseline.trace, part) - getattr(before, part)).max() < 2e-2, part
    assert np.array_equal(baseline.trace.hidden_states, before.hidden_states)
    assert "baseline kept in half precision, to save memory" in window.frame.status.text


def test_a_long_text_goes_beyond_the_limit(tmp_path):
    """Of the shape of BERT-base, but for its width."""
    sizes = {"hidden_size": 48, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 48}
    folder = tiny_checkpoint(tmp_path, output_heads=("mlm",), max_position_embeddings=512, **sizes)
    info, checkpoint = opened_checkpoint(folder)
    encoding = info.tokenizer.encode("the cat sat on the mat . " * 100, None, 512)
    assert len(encoding) == 512
    whole = read(request_for(info, encoding, frozenset()), checkpoint)
    assert 2 * trace_bytes(whole.trace) > MOST_TRACES_BYTES
    half = halved(whole.trace)
    assert trace_bytes(half) < 0.52 * trace_bytes(whole.trace)
    assert np.abs(half.attentions[11, 3] - whole.trace.attentions[11, 3]).max() < 2**-11
