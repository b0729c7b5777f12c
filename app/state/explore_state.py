"""What is being looked at: text, masks, focus, layer, head, model, what it is compared with,
and the newest reading. Signals, no widgets.

Layers, heads and positions count from 0 here, as in code; the screen counts layers and heads from 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal, SignalInstance

from bertcore.analysis.attention_heads import clearest_head
from bertcore.errors import BertcoreError
from bertcore.tokenizer.text_spans import (
    Place,
    joined,
    moved_place,
    moved_positions,
    places_after_edit,
    places_of,
    positions_of,
)

from ..look import mark, say
from .baseline import Baseline, OtherModel
from .model_info import ModelInfo
from .readings import Reading, masked_ids, masked_positions
from .selection import NO_CONTRAST, Contrast, Selection
from .token_units import TokenView
from .what_if import NOTHING_CHANGED, WhatIf

if TYPE_CHECKING:
    from bertcore.tokenizer.tokenizer import Encoding, Tokenizer


class ExploreState(QObject):
    """The one selection that all exploring rooms share.

    `focus` is a token pinned by a click, `hover` the one under the mouse; `current` is what rooms show.
    """

    text_changed = Signal()
    encoding_changed = Signal()
    masks_changed = Signal()
    focus_changed = Signal()  # focus or hover: `current` may be another token now
    head_changed = Signal()
    model_changed = Signal()
    reading_changed = Signal()
    reading_problem_changed = Signal()
    applied_texts_changed = Signal()
    token_view_changed = Signal()
    what_if_changed = Signal()
    baseline_changed = Signal()  # another one was chosen, or none
    comparison_changed = Signal()  # the baseline is to be shown in another way
    contrast_changed = Signal()
    input_changed = Signal()  # what the model would read, or do with it: ids, masks, what is changed inside
    problem_found = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.text_a = ""
        self.text_b = ""
        self.encoding: Encoding | None = None
        self.masked: frozenset[int] = frozenset()  # positions masked by hand; a typed [MASK] is in the encoding
        self.mask_places: frozenset[Place] = frozenset()  # the same in the text; some may have no token for now
        self.focus: int | None = None
        self.hover: int | None = None
        self.applied_texts: dict[str, str] = {}  # kind of task -> what stands in the editor of the room Apply
        self.kept: dict[str, object] = {}  # what rooms find again when the window is built anew, by "room.what"
        self.layer = 0
        self.head = 0
        self.at_embeddings = False  # hidden states are looked at before the first layer
        self._head_is_open = True  # nobody has chosen a head of this model yet: its first reading picks a clear one
        self.token_view = TokenView()
        self.what_if = NOTHING_CHANGED
        self.baseline: Baseline | None = None  # what a person has chosen to compare with
        self.wants_difference = False  # from the baseline; else both are shown
        self.contrast = NO_CONTRAST  # the words that a person asks about
        self.shows_baseline = False  # the baseline's reading stands in the place of the newest one
        self.model: ModelInfo | None = None
        self.reading: Reading | None = None  # on show
        self.newest_reading: Reading | None = None  # the same, but for a baseline that stands in its place
        self.reading_problem = ""  # why there is no newer reading; a room that has nothing to show says so
        self._tokenizer: Tokenizer | None = None
        self.max_positions = 512

    @property
    def current(self) -> int | None:
        """The position that rooms show: under the mouse, else clicked, else the first word."""
        size = len(self.encoding) if self.encoding else 0
        for position in (self.hover, self.focus):
            if position is not None and position < size:
                return position
        return 1 if size > 2 else 0 if size else None

    @property
    def selection(self) -> Selection:
        """What is looked at in the reading that is on show; positions are some that it has."""
        last = max(len(self.reading.encoding) - 1, 0) if self.reading else 0
        pinned = None if self.focus is None else min(self.focus, last)
        layer, head = self.layer, self.head
        if self.reading is not None:  # a baseline may have fewer
            shown = self.reading.request.model
            layer, head = min(layer, shown.layers - 1), min(head, shown.heads - 1)
        return Selection(
            min(self.current or 0, last),
            pinned,
            layer,
            head,
            self.token_view,
            self.hover,
            at_embeddings=self.at_embeddings,
            wants_difference=self.wants_difference,
            contrast=self.contrast,
        )

    @property
    def mask_token(self) -> str:
        """What the vocabulary calls its mask: [MASK], <mask>; empty where it has none."""
        return self._tokenizer.mask_token or "" if self._tokenizer else ""

    @property
    def has_segments(self) -> bool:
        """Whether tokens are of segment A or B; so it is taken to be until a model says otherwise."""
        return self.model is None or self.model.has_segments

    @property
    def all_masked(self) -> tuple[int, ...]:
        """Positions the model reads as masks: masked by hand, or typed."""
        if self.encoding is None or self._tokenizer is None:
            return ()
        return masked_positions(self.encoding, self._tokenizer, self.masked)

    @property
    def input_ids(self) -> list[int]:
        """Token ids as the model reads them, masks put in; length S."""
        if self.encoding is None or self._tokenizer is None:
            return []
        return masked_ids(self.encoding, self._tokenizer, self.masked)

    def set_text(self, a: str | None = None, b: str | None = None) -> None:
        """Another sentence A or B; None leaves it as it is."""
        a, b = self.text_a if a is None else a, self.text_b if b is None else b
        if (a, b) == (self.text_a, self.text_b):
            return
        for part, old, new in (("a", self.text_a, a), ("b", self.text_b, b)):
            self.mask_places = places_after_edit(self.mask_places, part, old, new)
        self.text_a, self.text_b = a, b
        self.text_changed.emit()
        self._encode()

    def set_tokenizer(self, tokenizer: Tokenizer, max_positions: int) -> None:
        """Tokenises with this vocabulary from now on. Comes before the model: it needs no torch."""
        self._tokenizer, self.max_positions = tokenizer, max_positions
        self._encode()

    def is_of_input(self, reading: Reading) -> bool:
        """Whether a reading is of the text, masks, changes and baseline as they are now."""
        request = reading.request
        now = (self.all_masked, self.what_if, self.baseline)
        return reading.encoding is self.encoding and (request.masked, request.what_if, request.baseline) == now

    def set_model(self, model: ModelInfo, reading: Reading | None = None) -> None:
        """Another model is open: the reading of the last one is dropped, the selection is kept where it fits.

        reading: what this model, another step of the same run, makes of the text; then nobody waits for it.
        """
        is_kin = self.model is not None and self.model.origin == model.origin and self.model.config == model.config
        newest, chosen = self.newest_reading, self.baseline
        is_compared = isinstance(chosen, OtherModel) and newest is not None and newest.request.baseline == chosen
        if reading is not None and newest is not None and is_compared:
            # It was read alone; the other model has read the text already.
            reading = replace(reading, request=replace(reading.request, baseline=chosen), baseline=newest.baseline)
        if is_kin and reading is not None and self.is_of_input(reading):
            self.model, self.newest_reading, self.reading_problem = model, reading, ""
            self.reading = self._reading_to_show()
            self.model_changed.emit()
            self.reading_changed.emit()
            return
        self.what_if = self.what_if if is_kin else NOTHING_CHANGED
        self._head_is_open = self._head_is_open or not is_kin
        self.model, self.reading, self.newest_reading, self.reading_problem = model, None, None, ""
        self.layer, self.head = min(self.layer, model.layers - 1), min(self.head, model.heads - 1)
        self._tokenizer, self.max_positions = model.tokenizer, model.max_positions
        self.model_changed.emit()
        self.what_if_changed.emit()
        self._encode()

    def set_reading(self, reading: Reading) -> None:
        self.newest_reading = reading
        self.reading = self._reading_to_show()
        self.set_reading_problem("")
        if self._head_is_open:
            self.set_head(*clearest_head(reading.trace.attentions, reading.encoding))
        self.reading_changed.emit()

    def set_reading_problem(self, sentence: str) -> None:
        """Why the text has no reading: the pass failed, or no model is open. The last reading stays on show."""
        self._set("reading_problem", sentence, self.reading_problem_changed)

    def set_applied_texts(self, texts: Mapping[str, str]) -> None:
        """What the editor of the room Apply holds, for some kinds of task; other kinds keep theirs."""
        self.applied_texts.update(texts)
        self.applied_texts_changed.emit()

    def toggle_mask(self, position: int | None = None) -> None:
        """Masks a token or takes the mask away; None means the current one. Special tokens stay."""
        position = self.current if position is None else position
        if position is None or self.encoding is None or self.encoding.parts[position] == "special":
            return
        if not self.mask_token:
            self.problem_found.emit(say("This model’s vocabulary has no mask token, so no word can be masked."))
        elif position not in self.masked and position in self.all_masked:
            text = mark("This {mask} is part of the text: click a predicted word or edit the text to replace it.")
            self.problem_found.emit(say(text, mask=self.mask_token))
        else:
            self._set_masked(self.masked ^ {position})

    def set_masks(self, positions: Iterable[int]) -> None:
        """Masks exactly these positions, as far as they are words of the text."""
        parts = self.encoding.parts if self.encoding else []
        self._set_masked(frozenset(p for p in positions if 0 <= p < len(parts) and parts[p] != "special"))

    def set_mask_places(self, places: Iterable[Place]) -> None:
        """Masks the tokens in these places of the text; places without one wait for it, or for a vocabulary."""
        places = frozenset(places)
        self._set_masked(frozenset(positions_of(self.encoding, joined(places))))
        self.mask_places = places if self.mask_token or self._tokenizer is None else frozenset()

    def insert_words(self, words: Iterable[tuple[int, int]]) -> None:
        """Writes tokens into the text, (position, token id) of each, where others stand, and takes their masks away.

        All at once: one by one, a piece and the next could become one token.
        """
        encoding, tokenizer = self.encoding, self._tokenizer
        if encoding is None or tokenizer is None:
            return
        texts, written_to = {"a": self.text_a, "b": self.text_b}, set()
        grown: list[tuple[Place, int]] = []  # what stood there, and by how many characters the text is longer now
        for position, token_id in sorted(words, reverse=True):  # from the end on, so that offsets stay true
            part = encoding.parts[position] if position < len(encoding) else "special"
            if part == "special":
                continue
            if token_id != encoding.ids[position]:
                try:
                    new = replaced(texts[part], encoding.offsets[position], written(tokenizer, token_id))
                except BertcoreError as error:
                    self.problem_found.emit(str(error))
                    continue
                grown.append((Place(part, *encoding.offsets[position]), len(new) - len(texts[part])))
                texts[part] = new
            written_to.add(position)
        if not written_to:
            return
        left = self.masked - written_to
        kept = [moved_place(place, grown) for place in places_of(encoding, left)]
        if (texts["a"], texts["b"]) == (self.text_a, self.text_b):
            self._set_masked(left)
        else:
            self.set_text(texts["a"], texts["b"])
            self.set_mask_places(kept)  # several places have changed: no common end to go by

    def set_focus(self, position: int | None) -> None:
        """Pins a token; None deselects it."""
        self._set("focus", position, self.focus_changed)

    def set_hover(self, position: int | None) -> None:
        self._set("hover", position, self.focus_changed)

    def set_head(self, layer: int, head: int) -> None:
        self._head_is_open = False
        if (layer, head) != (self.layer, self.head) or self.at_embeddings:
            self.layer, self.head, self.at_embeddings = layer, head, False
            self.head_changed.emit()

    def set_stage(self, stage: int) -> None:
        """Looks at the hidden states after another layer; 0 stands for the embeddings, before the first layer."""
        if stage:
            self.set_head(stage - 1, self.head)
        elif not self.at_embeddings:
            self.at_embeddings = True
            self.head_changed.emit()

    def set_token_view(self, *, words: bool | None = None, specials: bool | None = None) -> None:
        """Another way to show the text, in all rooms; None leaves it as it is."""
        now = self.token_view
        view = TokenView(now.words if words is None else words, now.specials if specials is None else specials)
        self._set("token_view", view, self.token_view_changed)

    def set_what_if(self, what_if: WhatIf) -> None:
        """Something else is changed inside the model, or nothing any more; the model reads the text anew."""
        self._set("what_if", what_if, self.what_if_changed, self.input_changed)

    def end_swap(self) -> bool:
        """Nothing of another text is in this pass any more; False where nothing was."""
        had_any = self.what_if.swap is not None
        self.set_what_if(self.what_if.with_swap(None))
        return had_any

    def set_baseline(self, baseline: Baseline | None) -> None:
        """Compares with something else; None: with the model unchanged, where something is changed inside."""
        if (baseline is None) != (self.baseline is None):
            self.wants_difference = baseline is not None
        self._set("baseline", baseline, self.baseline_changed, self.input_changed)

    def set_contrast(self, contrast: Contrast) -> None:
        """Other words to ask about, in all rooms."""
        self._set("contrast", contrast, self.contrast_changed)

    def set_wants_difference(self, wants: bool) -> None:
        """Shows what differs from the baseline, or both side by side, in all rooms."""
        self._set("wants_difference", wants, self.comparison_changed)

    def show_baseline(self, on: bool) -> None:
        """Shows the baseline's reading in all rooms, as long as a key is held; or the newest reading again."""
        if on != self.shows_baseline:
            self.shows_baseline = on
            shown = self._reading_to_show()
            if shown is not self.reading:
                self.reading = shown
                self.reading_changed.emit()

    def _reading_to_show(self) -> Reading | None:
        newest = self.newest_reading
        return newest.baseline if self.shows_baseline and newest and newest.baseline else newest

    def _set_masked(self, masked: frozenset[int]) -> None:
        if masked and not self.mask_token:
            return
        self.mask_places = frozenset(places_of(self.encoding, masked))
        self._set("masked", masked, self.masks_changed, self.input_changed)

    def _set(self, name: str, value: object, *changed: SignalInstance) -> None:
        """An attribute, and who follows it hears of it; nothing happens where it is the same."""
        if value != getattr(self, name):
            setattr(self, name, value)
            for signal in changed:
                signal.emit()

    def _encode(self) -> None:
        if self._tokenizer is None:
            return
        try:
            new = self._tokenizer.encode(self.text_a, self.text_b if self.text_b.strip() else None, self.max_positions)
        except BertcoreError as error:
            self.problem_found.emit(str(error))
            return
        if self.encoding is not None and new.ids != self.encoding.ids and self.what_if != self.what_if.without_places():
            self.what_if = self.what_if.without_places()
            self.what_if_changed.emit()
        self._follow(new)
        self.encoding = new
        self.encoding_changed.emit()
        self.input_changed.emit()

    def _follow(self, new: Encoding) -> None:
        """Masks stay at their places in the text; the focus moves with its token, and goes where that is gone.

        The same text in another vocabulary has its words where they were; after an edit, tokens have moved.
        """
        old, focus, seen = self.encoding, self.focus, list[int]()
        if old is not None and focus is not None:
            keys = (list(zip(each.parts, each.tokens, strict=True)) for each in (old, new))
            moved = moved_positions(*keys)
            seen = [moved[focus]] if focus in moved else []
            if (old.text_a, old.text_b) == (new.text_a, new.text_b):
                seen = positions_of(new, places_of(old, [focus])) or seen
        self.masked = frozenset(positions_of(new, joined(self.mask_places)) if self.mask_token else ())
        self.focus = next(iter(seen), None)
        self.hover = None


# A space always, only where two words would run together, never, or not even the one that stands there already.
SpaceBefore = Literal["always", "between words", "as it is", "none"]


@dataclass(frozen=True)
class Written:
    """A token as it stands in a text, and the space before it."""

    text: str
    space: SpaceBefore


def written(tokenizer: Tokenizer, token_id: int) -> Written:
    """How this token is typed. Raises BertcoreError for one that cannot be."""
    from bertcore.tokenizer.special_tokens import (  # here, so that the first paint need not wait for it
        SPACE_MARKS,
        label,
    )

    token, kind = tokenizer.word(token_id), tokenizer.kind
    if token_id in tokenizer.special_ids:
        return Written(token, "always")
    if kind == "wordpiece":
        is_inside = token.startswith("##") and token != "##"
        return Written(token.removeprefix("##"), "none") if is_inside else Written(token, "between words")
    if kind == "words":
        return Written(token, "as it is")
    mark = SPACE_MARKS[kind]
    text = label(token.removeprefix(mark), kind)
    if "\\" in text and "\\" not in token:
        raise BertcoreError(
            say("The token {token} cannot be typed: it is invisible, or only part of a character.", token=text)
        )
    return Written(text, "always" if token.startswith(mark) else "none")


def replaced(text: str, span: tuple[int, int], new: Written) -> str:
    """`text` with the token at `span` (characters from, to) replaced; pieces of words are glued to what stands before.

    With "between words" a word that came after punctuation is kept apart from what stands around it.
    """
    before, old, after = text[: span[0]], text[span[0] : span[1]], text[span[1] :]
    if new.space == "none":
        before = before.rstrip()
    elif new.space == "always" and before and not before[-1].isspace():
        before += " "
    elif new.space == "between words":
        before += _space_between(before, new.text)
        if not old[-1:].isalnum():
            after = _space_between(new.text, after) + after
    return before + new.text + after


def _space_between(left: str, right: str) -> str:
    return " " if left[-1:].isalnum() and right[:1].isalnum() else ""
