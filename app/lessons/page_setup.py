"""Brings the state to what a page shows: in the window, and in `lesson check` without one."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from bertcore.locations import assets, shipped_checkpoint

from ..compute.applying import apply_model, request_for
from ..compute.circuit import pair_parts
from ..compute.evidence_questions import shipped_grammar, shipped_heads
from ..compute.masks import lens_of
from ..compute.question import Job
from ..look import mark, say
from ..state import NO_CONTRAST, Contrast, OtherText, Reading, WhatIf
from ..state.explore_state import ExploreState
from .lesson import Measure, Setup, SetupError
from .measures import Facts, needs, word_places

# fields of `Facts` that take a further computation
FURTHER = ("lens", "applied", "pairs", "pair", "grammar", "circuit")


def model_folder(setup: Setup) -> Path:
    """The checkpoint that a page is about. Raises SetupError where the run has no such snapshot."""
    from bertcore.runs.run_folder import RunFolder

    assert setup.model is not None
    if not setup.step:
        return shipped_checkpoint(setup.model)
    snapshots = RunFolder(assets() / "runs" / setup.model).snapshots()
    by_name = {str(step): folder for step, folder in snapshots}
    if snapshots:
        by_name |= {"first": snapshots[0][1], "last": snapshots[-1][1]}
    if setup.step not in by_name:
        known = ", ".join(by_name) or say("none")
        sentence = mark("{model} has no snapshot of step {step}; it has: {known}.")
        raise SetupError("step", say(sentence, model=setup.model, step=setup.step, known=known))
    return by_name[setup.step]


def set_input(state: ExploreState, setup: Setup) -> None:
    """Text, masks and how tokens are shown. Raises SetupError for a word that is not in the text."""
    text_a, text_b = setup.text_a or "", setup.text_b or ""
    places = []
    for word in setup.masks or ():
        found = word_places(text_a, text_b, word)
        if word.nth > len(found):
            raise SetupError("mask", say("The text has no word “{word}” to mask.", word=word))
        places.append(found[word.nth - 1])
    state.set_what_if(WhatIf(direction=setup.direction))
    state.set_baseline(OtherText(setup.other, "") if setup.other else None)
    state.set_contrast(NO_CONTRAST if setup.contrast is None else Contrast(*setup.contrast))
    state.set_text(text_a, text_b)
    state.set_mask_places(places)
    if setup.passage is not None:
        state.set_applied_texts({"span": setup.passage})
    state.set_token_view(words=bool(setup.words), specials=setup.specials is not False)
    state.set_hover(None)


def set_selection(state: ExploreState, setup: Setup, facts: Facts) -> None:
    """Head, layer and token, some of which only the reading can tell. Raises SetupError where there is none."""
    trace = facts.reading.trace
    layers, heads = trace.attentions.shape[:2]
    layer, head = state.layer, state.head
    if setup.head is not None:
        found = facts.head_by(setup.head.kind, setup.head.lowest) if setup.head.kind else None
        if setup.head.kind and found is None:
            kind = setup.head.kind
            raise SetupError("head", say("No token of this text can show a head of the kind “{kind}”.", kind=kind))
        layer, head = found or (setup.head.layer, setup.head.head)
    if setup.layer is not None:
        layer = setup.layer
    if layer >= layers or head >= heads:
        sentence = mark("The model has {layers} layers of {heads} heads: there is no head {head}.")
        setting = "layer" if layer >= layers and setup.layer is not None else "head"
        raise SetupError(setting, say(sentence, layers=layers, heads=heads, head=f"{layer + 1}.{head + 1}"))
    state.set_head(layer, head)
    found_at = facts.positions(setup.select) if setup.select is not None else [None]
    if not found_at:
        raise SetupError("select", say("The text has no token “{word}”.", word=setup.select))
    state.set_focus(found_at[0])


def further(reading: Reading, texts: Mapping[str, str], setup: Setup, wanted: Sequence[Measure]) -> dict[str, Job]:
    """What these measures need besides the reading: fields of `Facts`, and what computes them. texts: of Apply.

    setup: of the page, whose two texts the parts of a circuit are about, whatever is typed meanwhile.
    """
    found, masked, model = dict[str, Job](), reading.request.masked, reading.request.model
    if masked and "mlm" in model.output_heads and needs("lens", wanted):
        found["lens"] = Job(lens_of, (reading, masked), (model,))
    for name, job in (
        ("pair", Job(shipped_heads, (reading.encoding.text_a,), (model,))),
        ("pairs", Job(shipped_heads, ("",), (model,))),
        ("grammar", Job(shipped_grammar, (), (model,))),
    ):
        if needs(name, wanted):
            found[name] = job
    if setup.other and needs("circuit", wanted):
        pair = setup.text_a, setup.other, *(setup.contrast or (None, None))
        found["circuit"] = Job(pair_parts, (pair,), (model,))
    request = request_for(reading, texts) if needs("applied", wanted) else None
    if request is not None:
        found["applied"] = Job(apply_model, (request,), (model,))
    return found
