"""What may be chosen when scores become answers. Imports no torch."""

from dataclasses import dataclass
from typing import TypedDict

from bertcore.settings import Settings, setting


@dataclass(frozen=True)
class Decoding(Settings):
    """For a model that answers questions, and one that summarises."""

    max_answer_tokens: int = setting(30, "Longest answer to a question", unit="tokens", within=(1, 512))
    sentences: int = setting(3, "Most sentences of a summary", within=(1, 10_000))
    ratio: float | None = setting(
        None, "Sentences of a summary as a share of the text's, instead of a number", within=(0.001, 1.0)
    )


class DecodingOptions(TypedDict, total=False):
    """The same as arguments."""

    max_answer_tokens: int
    sentences: int
    ratio: float | None


USUAL = Decoding()
