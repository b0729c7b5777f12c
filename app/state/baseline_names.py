"""What a baseline is called on the screen."""

from difflib import SequenceMatcher

from bertcore.analysis.align import Reason

from ..look import numbers, say
from .baseline import OtherText
from .model_info import ModelInfo
from .readings import Reading
from .token_units import TokenView

AROUND = 1  # words of another text before and after those that differ
MOST_WORDS = 4  # that differ


def unchanged_name() -> str:
    return say("the unchanged model")


def unswapped_name() -> str:
    return say("no swap")


def baseline_name(reading: Reading) -> str:
    """Of what a reading is compared with, in a few words; empty where there is nothing."""
    baseline = reading.baseline
    if baseline is None:
        return ""
    chosen, ours = reading.request.baseline, reading.encoding
    if chosen is None or baseline is reading.unchanged:
        swap = reading.request.what_if.swap
        return unchanged_name() if swap is None else unswapped_name()
    if isinstance(chosen, OtherText):
        return text_name(f"{ours.text_a} {ours.text_b or ''}", f"{chosen.a} {chosen.b}")
    return model_name(reading.request.model, baseline.request.model)


def where_compared(reading: Reading) -> str:
    """Behind a comparison, "more than": "with the unchanged model", "at step 0"; empty where there is nothing."""
    name, baseline = baseline_name(reading), reading.baseline
    if baseline is None:
        return ""
    if name == unswapped_name():
        return say("without the swap")
    is_step = name == _step_name(baseline.request.model)
    return say("at {step}" if is_step else "with {name}", step=name, name=name)


def where_first(reading: Reading) -> str:
    """`where_compared` as the beginning of a sentence."""
    where = where_compared(reading)
    return where[:1].upper() + where[1:]


def own_name(reading: Reading) -> str:
    """Of this reading itself beside its baseline: by what the two differ in."""
    baseline, chosen = reading.baseline, reading.request.baseline
    if baseline is None or chosen is None or baseline is reading.unchanged:
        return say("now")
    if isinstance(chosen, OtherText):
        return say("this text")
    return model_name(baseline.request.model, reading.request.model)


def is_earlier(reading: Reading) -> bool:
    """Whether the baseline is what was there before: the model unchanged, the text before a swap, or an earlier step of
    the same run. Another text or model is beside, not before."""
    baseline, ours = reading.baseline, reading.request.model
    if baseline is None:
        return False
    if reading.request.baseline is None or baseline is reading.unchanged:
        return True
    theirs = baseline.request.model
    steps = theirs.step, ours.step
    return ours.origin == theirs.origin and None not in steps and (theirs.step or 0) < (ours.step or 0)


def beside(theirs: str, earlier: bool) -> str:
    """What the baseline has, in one or two words behind what this reading has: "was 4%" or "vs 4%"."""
    return say("was {theirs}" if earlier else "vs {theirs}", theirs=theirs)


def replacing(ours: str, theirs: str | None) -> str:
    """A token or word, with what stands in its place in the baseline if that is another: "france (vs england)"."""
    return ours if theirs is None or theirs == ours else f"{ours} ({beside(theirs, earlier=False)})"


def labels_beside(reading: Reading, view: TokenView) -> list[str]:
    """The baseline's units in a picture that has ours too; empty where the counterpart is called the same."""
    if reading.baseline is None:
        return []
    ours, labels = reading.units(view).labels, list(reading.baseline.units(view).labels)
    for label, place in zip(ours, reading.places_in_baseline(view), strict=True):
        if place is not None and labels[place] == label:
            labels[place] = ""
    return labels


def model_name(ours: ModelInfo, theirs: ModelInfo) -> str:
    """Another step of the same run by the step alone."""
    step = _step_name(theirs)
    if not step:
        return theirs.name
    if ours.origin == theirs.origin and ours.step != theirs.step:
        return step
    return f"{theirs.name} · {step}" if ours.name == theirs.name else theirs.name


def _step_name(model: ModelInfo) -> str:
    """Empty where the model is no snapshot."""
    if model.step is None:
        return ""
    return say("step {step}", step=numbers.count(model.step))


def text_name(ours: str, theirs: str, around: int = AROUND) -> str:
    """The first words that differ, with those around them: “… of England died …”."""
    mine, others = ours.split(), theirs.split()
    codes = SequenceMatcher(None, mine, others, autojunk=False).get_opcodes()
    first, last = next(((j1, j2) for kind, _, _, j1, j2 in codes if kind != "equal"), (0, len(others)))
    start, stop = max(first - around, 0), min(min(last, first + MOST_WORDS) + around, len(others))
    if start == stop:  # words were left out, not put in
        start, stop = max(start - 1, 0), min(stop + 1, len(others))
    before, after = ("… " if start and around else ""), (" …" if stop < len(others) and around else "")
    return say("“{words}”", words=f"{before}{' '.join(others[start:stop])}{after}")


def reason_in_words(reason: Reason) -> str:
    """Why no word of one text has a counterpart in the other."""
    if reason == "no_text":
        return say("One of the two texts is empty: write a sentence in both to compare them.")
    if reason == "other_text":
        return say("The two texts have no word in common, so they cannot be compared token by token.")
    return say("The two vocabularies split this text at different places, so no token has a counterpart.")
