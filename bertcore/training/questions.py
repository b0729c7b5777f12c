"""Questions that a run answers at each measurement: sentences with one [MASK], and what belongs there.

The run folder has its own copy of the file, so a run resumes without the one that it was given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from bertcore.data.batches import padded
from bertcore.data.cloze import ClozeSentence, accepted_ids, read_cloze
from bertcore.errors import BertcoreError
from bertcore.files import read_bytes, write_atomic, write_errors
from bertcore.model.bert import Bert
from bertcore.model.torch_parts import evaluation_mode
from bertcore.runs.run_folder import QUESTIONS
from bertcore.tokenizer.tokenizer import Tokenizer

GUESSES = 3  # words that are kept of each answer


@dataclass(frozen=True)
class Questions:
    """Q sentences as the model reads them; `rows` (Q) are the places of their masks, indices into Q*S."""

    tokenizer: Tokenizer
    input_ids: Tensor  # (Q,S)
    segment_ids: Tensor  # (Q,S)
    attention_mask: Tensor | None  # (Q,S)
    rows: Tensor
    accepted: tuple[frozenset[int], ...]  # ids of the right answers of each

    @classmethod
    def of(cls, sentences: Sequence[ClozeSentence], tokenizer: Tokenizer, max_length: int) -> Questions:
        """Raises BertcoreError for a sentence that is too long for the model."""
        encodings = [tokenizer.encode(sentence.text, max_length=max_length) for sentence in sentences]
        for sentence, encoding in zip(sentences, encodings, strict=True):
            if encoding.dropped:
                raise BertcoreError(f"The question {sentence.text!r} has more than {max_length} tokens; shorten it.")
        ids, segments, mask = padded([(each.ids, bytes(each.segments)) for each in encodings], tokenizer.pad_id)
        places = [encoding.ids.index(tokenizer.special.ids["mask"]) for encoding in encodings]
        asked = zip(sentences, encodings, places, strict=True)
        accepted = (accepted_ids(sentence, encoding, place, tokenizer) for sentence, encoding, place in asked)
        return cls(
            tokenizer=tokenizer,
            input_ids=torch.from_numpy(ids),
            segment_ids=torch.from_numpy(segments),
            attention_mask=None if mask is None else torch.from_numpy(mask),
            rows=torch.arange(len(ids)) * ids.shape[1] + torch.tensor(places),
            accepted=tuple(map(frozenset, accepted)),
        )

    def to(self, device: torch.device) -> Questions:
        mask = None if self.attention_mask is None else self.attention_mask.to(device)
        moved = (self.input_ids.to(device), self.segment_ids.to(device), self.rows.to(device))
        return replace(self, input_ids=moved[0], segment_ids=moved[1], rows=moved[2], attention_mask=mask)

    @torch.no_grad()
    def answer(self, model: Bert) -> dict[str, Any]:
        """How many are right, of how many, which, and the likeliest words with their probabilities for each."""
        with evaluation_mode(model):
            hidden = model(self.input_ids, self.segment_ids, self.attention_mask, rows=self.rows)
            top = model.mlm_logits(hidden).float().softmax(dim=-1).topk(GUESSES)  # (Q,GUESSES)
        guesses = []
        for tokens, shares in zip(top.indices.tolist(), top.values.tolist(), strict=True):
            words = map(self.tokenizer.label, tokens)
            guesses.append([[word, round(share, 4)] for word, share in zip(words, shares, strict=True)])
        first = top.indices[:, 0].tolist()
        is_right = [token in accepted for token, accepted in zip(first, self.accepted, strict=True)]
        return {"right": sum(is_right), "of": len(is_right), "is_right": is_right, "guesses": guesses}


def keep_questions(file: Path, run: Path) -> None:
    """Copy the file into the run folder, unless it is there."""
    own = run / QUESTIONS
    if not own.is_file():
        with write_errors(run):
            write_atomic(own, read_bytes(file))


def questions_of(run: Path, tokenizer: Tokenizer, max_length: int) -> Questions | None:
    """Those of a run folder; None where it has none."""
    own = run / QUESTIONS
    return Questions.of(read_cloze(own), tokenizer, max_length) if own.is_file() else None
