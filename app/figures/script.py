"""The numbers of a figure as a few lines of Python: bertcore alone makes them again."""

import re
from pathlib import Path

from bertcore import locations
from bertcore.tokenizer.special_tokens import MASK

from ..look import say
from ..state.readings import Reading
from ..state.selection import Selection

NEEDED = {  # where one of these stands in the lines
    "import numpy as np": "np.",
    "import bertcore": "",
    "import bertcore.analysis.vectors": "analysis.vectors.",
    "import bertcore.locations": "bertcore.locations.",
    "from bertcore.analysis.targets import Target": " target=Target(",
}


def script_of(title: str, reading: Reading, selection: Selection, python: str) -> str:
    """python: an expression; `m` is the model, `a` and `b` the text, `t` its trace (see `rooms/pictures.py`).

    Empty where something inside the model has been changed, or tokens are merged or left out.
    """
    request, position = reading.request, min(selection.position, len(reading.encoding) - 1)
    is_unsaid = not python or "SimilarityTarget(" in python or "(a, b, )" in python  # nothing to compare with
    if is_unsaid or request.what_if or selection.token_view.notes:
        return ""
    places = {"layer": selection.layer, "head": selection.head, "stage": selection.stage, "position": position}
    used = {name: value for name, value in places.items() if re.search(rf"\b{name}\b(?!=)", python)}
    lines = [f"{name} = {value}  # counted from 0" for name, value in used.items()]
    if re.search(r"\bt\.", python):
        lines.append("t = m.trace(a, b)")
    a, b = masked_texts(reading)
    texts = [f"a, b = {a!r}, {b!r}"] if "(a, b" in "".join((python, *lines)) else []
    return script(title, request.model.folder, *texts, *lines, python=python)


def script(title: str, model: Path, *lines: str, python: str) -> str:
    """The lines of a script, and the expression that makes the `numbers`."""
    name = model.name if model.parent == locations.built_in_checkpoint().parent else str(model)
    head = f'"""{say("The numbers of the figure: {title}", title=title.replace(chr(34), chr(39)))}"""'
    lines = (*lines, f"numbers = np.array({python})" if python.startswith("[") else f"numbers = {python}")
    imports = [line for line, name in NEEDED.items() if any(name in one for one in lines)]
    text = [head, "", *imports, "", f"m = bertcore.load({name!r})", *lines, "print(numbers)"]
    return "\n".join(text) + "\n"


def compared(reading: Reading) -> str:
    """What the baseline is, as `m.compare(a, b, ...)` and `m.patch(a, b, ...)` are told."""
    baseline = reading.baseline
    if baseline is None:
        return ""
    texts, model = masked_texts(baseline), baseline.request.model
    other = [] if texts == masked_texts(reading) else [other_text(baseline)]
    other += [] if model is reading.request.model else [f"other_model={str(model.folder)!r}"]
    return ", ".join(other)


def other_text(reading: Reading) -> str:
    """The same of a text alone."""
    a, b = masked_texts(reading)
    return f"other_a={a!r}, other_b={b or ''!r}"


def masked_texts(reading: Reading) -> tuple[str, str | None]:
    """A and B as the model reads them: with a mask in the place of what is masked."""
    encoding, texts = reading.encoding, {"a": reading.encoding.text_a, "b": reading.encoding.text_b or ""}
    for position in sorted(reading.request.by_hand, reverse=True):
        part, (begin, end) = encoding.parts[position], encoding.offsets[position]
        texts[part] = f"{texts[part][:begin]}{MASK}{texts[part][end:]}"
    return texts["a"], texts["b"] or None
