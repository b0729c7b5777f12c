"""The numbers of a figure as a few lines of Python: bertcore alone makes them again."""

from pathlib import Path

from bertcore import locations
from bertcore.tokenizer.special_tokens import MASK

from ..look.say import say
from ..state.readings import Reading
from ..state.selection import Selection


def script_of(title: str, reading: Reading, selection: Selection, python: str) -> str:
    """python: an expression; `m` is the model, `a` and `b` the text, `t` its trace (see `rooms/pictures.py`).

    Empty where something inside the model has been changed, or tokens are merged or left out.
    """
    request, position = reading.request, min(selection.position, len(reading.encoding) - 1)
    if not python or request.what_if or selection.token_view.notes:
        return ""
    a, b = masked_texts(reading)
    places = {"layer": selection.layer, "head": selection.head, "stage": selection.stage, "position": position}
    used = {name: value for name, value in places.items() if name in python}
    lines = [f"{name} = {value}  # counted from 0" for name, value in used.items()]
    if "t." in python:
        lines.append("t = m.trace(a, b)")
    return script(title, request.model.folder, f"a, b = {a!r}, {b!r}", *lines, f"numbers = {python}")


def script(title: str, model: Path, *lines: str) -> str:
    """The lines of a script; the last of them names the `numbers`."""
    name = model.name if model.parent == locations.built_in_checkpoint().parent else str(model)
    head = f'"""{say("The numbers of the figure: {title}", title=title.replace(chr(34), chr(39)))}"""'
    needed = {"import numpy as np": "np.", "import bertcore": "", "import bertcore.locations": "locations."}
    imports = [line for line, name in needed.items() if any(name in one for one in lines)]
    text = [head, "", *imports, "", f"m = bertcore.load({name!r})", *lines, "print(numbers)"]
    return "\n".join(text) + "\n"


def masked_texts(reading: Reading) -> tuple[str, str | None]:
    """A and B as the model reads them: with a mask in the place of what is masked."""
    encoding, texts = reading.encoding, {"a": reading.encoding.text_a, "b": reading.encoding.text_b or ""}
    for position in sorted(reading.request.by_hand, reverse=True):
        part, (begin, end) = encoding.parts[position], encoding.offsets[position]
        texts[part] = f"{texts[part][:begin]}{MASK}{texts[part][end:]}"
    return texts["a"], texts["b"] or None
