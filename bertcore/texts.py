"""What a method of LoadedModel is given: one text or several, single or in pairs. Importable without torch."""

from collections.abc import Sequence
from typing import Any

from bertcore.errors import BertcoreError

Texts = list[str] | tuple[str, ...]  # several texts: a batch; whatever gives texts one by one will do
Pair = tuple[str, str | None]  # texts a and b


def pairs_of(a: str | Texts, b: str | Texts | None = None) -> tuple[list[Pair], bool]:
    """The texts or pairs, and whether it is a single one, which gets a single result instead of a list."""
    if b is not None and isinstance(a, str) != isinstance(b, str):
        raise BertcoreError("Texts a and b go together: give one of each, or two lists of the same length.")
    if isinstance(a, str):
        return [(a, b if isinstance(b, str) else None)], True
    firsts = _listed("a", a)
    seconds: Sequence[str | None] = [None] * len(firsts) if b is None else _listed("b", b)
    if len(firsts) != len(seconds):
        raise BertcoreError(f"There are {len(firsts)} texts a, but {len(seconds)} texts b; a pair needs one of each.")
    return list(zip(firsts, seconds, strict=True)), False


def _listed(name: str, texts: Any) -> list[Any]:
    """Raises BertcoreError where one is no text, such as the NaN of an empty cell."""
    try:
        listed = list(texts)
    except TypeError:
        raise BertcoreError(f"Give {name} as a text or a list of texts, not as {type(texts).__name__}.") from None
    wrong = next(
        (at for at, text in enumerate(listed) if not (isinstance(text, str) or (text is None and name == "b"))), None
    )
    if wrong is not None:
        kind = type(listed[wrong]).__name__
        raise BertcoreError(f"Not all texts {name} are texts: the one at place {wrong} of the list is {kind}.")
    return listed


def cut_texts(count: int, of: int, most: int) -> str:
    """That so many of the texts have more than the `most` tokens that the model reads."""
    which = "The text is" if of == 1 else f"{count:,} of {of:,} texts {'is' if count == 1 else 'are'}"
    begins = "its beginning" if count == 1 else "their beginnings"
    return f"{which} longer than the {most:,} tokens that the model reads; what is said is of {begins}."
