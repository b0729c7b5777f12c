"""What the window shows, as the lines of a page: for whoever writes a lesson beside it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bertcore.errors import BertcoreError
from bertcore.locations import BUILT_IN, NAMED, SHIPPED, assets, shipped_checkpoint
from bertcore.runs.run_folder import RunFolder
from bertcore.tokenizer.text_spans import Place, place_of

from ..look import say
from ..state.explore_state import ExploreState
from .lesson import WordAt
from .measures import word_places


def page_lines(state: ExploreState, room: str, views: Sequence[str], covers: Sequence[str]) -> str:
    """Raises BertcoreError where a lesson cannot show it: without a text, or with a model that does not ship."""
    a, b = (" ".join(text.splitlines()).strip() for text in (state.text_a, state.text_b))
    if not a:
        raise BertcoreError(say("There is nothing to copy yet: a page of a lesson needs a sentence A."))
    lines = {
        **_model_of(state),
        "text": a,
        "text-b": b,
        "mask": " ".join(dict.fromkeys(str(_word_at(state, place)) for place in sorted(state.mask_places))),
        "room": room,
        "view": " ".join(views),
        "head": f"{state.layer + 1}.{state.head + 1}",
        "select": str(_selected(state) or ""),
        "whole-words": "on" if state.token_view.words else "",
        "specials": "" if state.token_view.specials else "off",
        "passage": state.applied_texts.get("span", "") if room == "apply" else "",
        "other": getattr(state.baseline, "a", ""),  # of a text, not of a model
        "contrast": " ".join(vars(state.contrast).values()) if state.contrast.against else "",
        "direction": state.what_if.direction or "",
        "cover": " ".join(covers),
    }
    asked = f":: ask free {say('What is hidden here?')}\n:: explain …\n" if covers else ""
    written = "".join(f":: {name} {value}\n" for name, value in lines.items() if value)
    return f"# {say('A new page')}\n\n{written}{asked}"


def _model_of(state: ExploreState) -> dict[str, str]:
    """`model`, and `step` of a snapshot."""
    folder = state.model.folder if state.model is not None else shipped_checkpoint(BUILT_IN)
    known = dict[Path, dict[str, str]]()
    for name in SHIPPED:
        snapshots = RunFolder(assets() / "runs" / name).snapshots()
        known |= {at: {"model": name, "step": str(step)} for step, at in snapshots}
    known |= {shipped_checkpoint(name): {"model": name} for name in NAMED}
    if folder not in known:
        raise BertcoreError(say("A lesson can open only models that ship: open another one, and copy again."))
    return known[folder]


def _word_at(state: ExploreState, place: Place) -> WordAt:
    """The whole word that begins there or before."""
    text = state.text_a if place.part == "a" else state.text_b
    match = next(match for match in re.finditer(r"\w+|[^\w\s]", text) if match.end() > place.start)
    word, here = WordAt(match[0], place.part), Place(place.part, *match.span())
    return replace(word, nth=1 + [*word_places(state.text_a, state.text_b, word), here].index(here))


def _selected(state: ExploreState) -> WordAt | None:
    encoding, at = state.encoding, state.focus
    if encoding is None or at is None:
        return None
    if at in state.all_masked:
        return WordAt(state.mask_token, "", sorted(state.all_masked).index(at) + 1)
    place, name = place_of(encoding, at), encoding.labels[at]
    return WordAt(name, "", encoding.labels[: at + 1].count(name)) if place is None else _word_at(state, place)
