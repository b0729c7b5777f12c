"""A real ALBERT with its MLM head, from the package index: trained on chemical reactions written as text (MIT).

`pip install --no-deps rxnmapper` puts it where this test finds it.
"""

from importlib.util import find_spec
from pathlib import Path

import pytest
import torch

from bertcore.analysis.predict import top_words
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.config import count_parameters

pytestmark = pytest.mark.slow
# Acetic acid and ethanol become ethyl acetate and water; the masked atom is the oxygen that bridges the two.
REACTION = "CC(=O)O.OCC>>CC(=O)[MASK]CC.O"


@pytest.fixture(scope="module")
def folder() -> Path:
    package = find_spec("rxnmapper")
    if package is None or package.origin is None:
        pytest.skip("the package rxnmapper is not installed")
    found = [file.parent for file in Path(package.origin).parent.rglob("pytorch_model.bin")]
    assert found, "the package holds no weights"
    return found[0]


def test_it_opens_with_its_head_and_counts_shared_weights_once(folder: Path) -> None:
    checkpoint = load_checkpoint(folder)
    assert checkpoint.config.model_type == "albert" and checkpoint.output_heads == ("mlm",)
    assert len(checkpoint.model.encoder.layers) == 1 and checkpoint.config.num_hidden_layers == 12
    assert checkpoint.parameters == count_parameters(checkpoint.config, ["mlm"])


def test_it_knows_which_atom_bridges_an_ester(folder: Path) -> None:
    checkpoint = load_checkpoint(folder)
    encoding = checkpoint.tokenizer.encode(REACTION)
    place = encoding.tokens.index("[MASK]")
    logits = trace(checkpoint.model, encoding.ids, encoding.segments, mlm_positions=[place]).mlm_logits
    assert logits is not None
    best = top_words(logits[0], checkpoint.tokenizer, 1)[0]
    assert best.token == "O" and best.probability > 0.5


def test_the_same_numbers_as_transformers(folder: Path) -> None:
    from transformers import AlbertForMaskedLM

    checkpoint = load_checkpoint(folder)
    encoding = checkpoint.tokenizer.encode(REACTION)
    theirs = AlbertForMaskedLM.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.no_grad():
        out = theirs(
            torch.tensor([encoding.ids]),
            token_type_ids=torch.tensor([encoding.segments]),
            output_hidden_states=True,
            output_attentions=True,
        )
    ours = trace(checkpoint.model, encoding.ids, encoding.segments)
    assert ours.mlm_logits is not None
    assert (torch.from_numpy(ours.mlm_logits) - out.logits[0]).abs().max() < 1e-4
    assert (torch.from_numpy(ours.hidden_states) - torch.stack(out.hidden_states)[:, 0]).abs().max() < 1e-4
    assert (torch.from_numpy(ours.attentions) - torch.stack(out.attentions)[:, 0]).abs().max() < 1e-5
