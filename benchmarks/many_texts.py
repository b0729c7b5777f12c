"""64 texts of 6 to 40 words: `fill` of a list, against `transformers` with the same texts in one padded batch."""

import random

import torch

from benchmarks.peer import random_model, same_in_transformers
from benchmarks.timing import Row, medians_in_turns
from bertcore.loaded_model import LoadedModel
from bertcore.tokenizer.special_tokens import SPECIAL_TOKENS
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.tokenizer.vocabularies import raw_from_words

TEXTS, VOCABULARY, TOP = 64, 30_522, 5


def rows() -> list[Row]:
    draw = random.Random(0)
    words = [f"w{number}" for number in range(VOCABULARY - len(SPECIAL_TOKENS))]
    texts = [" ".join(["[MASK]", *draw.choices(words, k=draw.randint(5, 39))]) for _ in range(TEXTS)]
    tokenizer = Tokenizer(raw_from_words([*SPECIAL_TOKENS, *words]))
    return [_row(preset, texts, tokenizer) for preset in ("mini", "base")]


def _row(preset: str, texts: list[str], tokenizer: Tokenizer) -> Row:
    from transformers import PreTrainedTokenizerFast

    model = random_model(preset, VOCABULARY, dropout=0.0).eval().requires_grad_(False)
    m, theirs = LoadedModel.of(model, tokenizer), same_in_transformers(model, attention="sdpa").eval()
    read = PreTrainedTokenizerFast(tokenizer_object=tokenizer.raw, pad_token="[PAD]", mask_token="[MASK]")
    framed = [f"[CLS] {text} [SEP]" for text in texts]

    @torch.inference_mode()
    def padded() -> list[list[int]]:
        batch = read(framed, padding=True, return_tensors="pt", add_special_tokens=False)
        logits = theirs(**batch).prediction_logits  # (B,S,V)
        masks = (batch["input_ids"] == tokenizer.mask_id).nonzero(as_tuple=True)
        found: list[list[int]] = logits[masks].softmax(-1).topk(TOP).indices.tolist()
        return found

    ours, peer = medians_in_turns(lambda: m.fill(texts, top=TOP), padded, 7)
    assert [[word.id for word in filled[0]] for filled in m.fill(texts, top=TOP)] == padded()
    what = f"fill of {TEXTS} texts, {preset}, against one padded batch"
    return Row(what, f"{ours:.2f} s", f"{peer:.2f} s", ours / peer, "<= 1.5", ours <= 1.5 * peer)
