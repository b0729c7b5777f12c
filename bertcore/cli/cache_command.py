"""cache: the tokenised texts that pretraining keeps, and clearing them away."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from bertcore.cli.output import AsJson, print_json

if TYPE_CHECKING:
    from bertcore.data.corpus_cache import CachedText


def cache(
    clear: Annotated[bool, typer.Option("--clear", help="Delete everything that no running program uses.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the tokenised texts that are kept, so that the next run on them starts at once.

    Beyond 20 GiB the least recently used ones are deleted automatically. A run whose text was deleted tokenises it
    again.
    """
    from bertcore.data import corpus_cache

    texts, folder = corpus_cache.cached_texts(), corpus_cache.cache_folder()
    if clear:
        texts = corpus_cache.clear(texts)
    if as_json:
        print_json({"folder": str(folder), "cleared" if clear else "texts": [_plain(text) for text in texts]})
        return
    for text in texts:
        day = time.strftime("%Y-%m-%d", time.localtime(text.used_at))
        names = ", ".join(text.sources[:4]) + (" ..." if len(text.sources) > 4 else "")
        in_use = "  in use" if text.in_use else ""
        typer.echo(f"{text.bytes / 2**20:10,.1f} MiB  {day}  {names or '(not finished)'}{in_use}")
    total = sum(text.bytes for text in texts) / 2**20
    typer.echo(f"{total:10,.1f} MiB  {'cleared from' if clear else 'in'} {folder}")


def _plain(text: CachedText) -> dict[str, object]:
    return {**asdict(text), "folder": str(text.folder)}
