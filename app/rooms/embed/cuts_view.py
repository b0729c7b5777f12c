"""View "Two vocabularies": the same text cut by the open model's vocabulary and by another one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QFileDialog, QMenu, QVBoxLayout, QWidget

from app.figures.figure import Figure
from app.rooms.embed.cuts_picture import CutsPicture, described
from app.rooms.embed.figures import cuts_numbers
from app.rooms.embed.view import EmbedView
from app.widgets.card import Card, label, scrolled
from app.widgets.controls import MenuButton
from bertcore.locations import BUILT_IN, TINY, built_in_checkpoint

if TYPE_CHECKING:
    from app.rooms.embed.room import EmbedRoom
    from app.rooms.embed.two_cuts import Counts, TwoCuts
    from app.state.readings import Reading
    from bertcore.tokenizer.tokenizer import Encoding, Tokenizer

KIND = "embed.cuts"
KEPT = "embed.vocabulary"  # what a window built anew finds in the state
NAMES = {BUILT_IN: "built-in model", TINY: "tiny built-in model"}
LONGEST_NAME = 48


@dataclass(frozen=True, eq=False)
class Compared:
    """Both cuts, or why there are none."""

    encoding: Encoding  # which the open model has read
    reference: str
    tokenizer: Tokenizer | None = None
    cuts: TwoCuts | None = None
    problem: str = ""


class CutsView(EmbedView):
    """Two rows of tokens, one under the other."""

    def __init__(self, room: EmbedRoom) -> None:
        super().__init__(room)
        kept = room.state.kept.get(KEPT)
        self.reference = kept if isinstance(kept, str) else ""  # none chosen yet
        self.picture = CutsPicture()
        self.menu = MenuButton("Compare with", self._fill, "Another vocabulary to cut the text with")
        self.first, self.second = (label("", "strong", wrap=True) for _ in range(2))
        self.note, self.problem = label("", "muted", wrap=True), label("", "error", wrap=True)
        self._tokenizers: dict[str, Tokenizer] = {}  # the last one that was read
        self._compared: Compared | None = None
        self.card = Card("The same text, cut by two vocabularies")
        self.card.add_to_header(self.menu)
        self.card.set_figure(self._figure)
        for widget in (self.problem, self.first, self.second, self.note):
            self.card.body.addWidget(widget)
        self.card.body.addWidget(scrolled(self.picture), 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.card)
        self.picture.hovered.connect(self._on_picture_hovered)
        self.picture.clicked.connect(self._on_picture_chosen)
        self._show_nothing("")

    @property
    def cuts(self) -> TwoCuts | None:
        return self._compared.cuts if self._compared else None

    def compare_with(self, reference: str) -> None:
        """A checkpoint folder, a run folder, a hub id that is on this machine, or the name of a model that ships."""
        self.reference = self.room.state.kept[KEPT] = reference
        if self.room.state.reading is not None:
            self.draw_reading(self.room.state.reading)

    def draw_reading(self, reading: Reading) -> None:
        if not self.reference:  # something to begin with
            self.reference = TINY if reading.request.model.folder == built_in_checkpoint() else BUILT_IN
        reference, encoding, known = self.reference, reading.encoding, dict(self._tokenizers)

        def job() -> Compared:
            return compared(encoding, reference, known.get(reference))

        self.work_out(KIND, job, len(encoding))

    def draw_focus(self, reading: Reading) -> None:
        current = self.room.current
        numbers = [
            number
            for number, stretch in enumerate(self.picture.stretches)
            if any(piece.position == current for piece in stretch.first)
        ]
        self.picture.set_current(numbers[0] if numbers else None)

    def show_answer(self, kind: str, answer: Any) -> None:
        reading = self.room.state.reading
        if kind != KIND or reading is None or answer.reference != self.reference:
            return
        if answer.tokenizer is not None:
            self._tokenizers = {answer.reference: answer.tokenizer}
        if answer.encoding is not reading.encoding:
            return
        if answer.cuts is None:
            self._show_nothing(answer.problem)
            return
        self._compared = answer
        self._show(answer.cuts, answer.tokenizer, reading)

    def _show(self, cuts: TwoCuts, other: Tokenizer, reading: Reading) -> None:
        own = reading.request.model
        self.problem.hide()
        lines = (
            (self.first, f"Above: {own.name}", own.tokenizer, cuts.first),
            (
                self.second,
                f"Below: {self.other_name}",
                other,
                cuts.second,
            ),
        )
        for line, name, tokenizer, counts in lines:
            line.setText(f"{name} · {tokenizer.vocab_size:,} tokens known · {counted(counts)}")
            line.show()
        said = (
            "Both cut it alike."
            if not cuts.differing
            else f"Marked: {cuts.differing} of {len(cuts.stretches)} cut differently."
        )
        cut_off = "" if cuts.is_whole else " The text is too long for the model: it is compared as far as both go."
        self.note.setText(f"{said}{cut_off} Special tokens are left out below.")
        self.picture.set_stretches(cuts.stretches)
        self.draw_focus(reading)

    def _show_nothing(self, problem: str) -> None:
        self._compared = None
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        for line in (self.first, self.second):
            line.hide()
        self.note.setText("")
        self.picture.set_stretches([])

    @property
    def other_name(self) -> str:
        """What the other vocabulary is called on the screen."""
        return name_of(self.reference)

    def _fill(self, menu: QMenu) -> None:
        menu.addAction("The built-in model", partial(self.compare_with, BUILT_IN))
        menu.addAction("The tiny built-in model", partial(self.compare_with, TINY))
        menu.addAction("A checkpoint folder…", self._choose_folder)
        recent = self.room.recent_models()
        if recent:
            menu.addSeparator()
        for reference in recent:
            menu.addAction(name_of(reference), partial(self.compare_with, reference)).setToolTip(reference)

    def _choose_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "A checkpoint folder, for its vocabulary")
        if folder:
            self.compare_with(folder)

    def _on_picture_hovered(self, number: int | None) -> None:
        stretches = self.picture.stretches
        is_there = number is not None and number < len(stretches)
        self.room.hover_text_changed.emit(described(stretches[number]) if is_there else "")  # type: ignore[index]

    def _on_picture_chosen(self, number: int) -> None:
        pieces = self.picture.stretches[number].first
        if pieces:
            self.room.state.set_focus(pieces[0].position)
        else:
            self.picture.set_current(number)

    def _figure(self) -> Figure | None:
        if self._compared is None or self._compared.cuts is None:
            return None
        cuts, encoding = self._compared.cuts, self._compared.encoding
        texts = {"a": encoding.text_a, "b": encoding.text_b or ""}
        typed = []
        for one in cuts.stretches:
            pieces = [*one.first, *one.second]
            typed.append(texts[one.part][min(p.start for p in pieces) : max(p.end for p in pieces)])
        model = self.room.state.model
        names = f"{model.name if model else ''} (above)", f"{self.other_name} (below)"
        widgets: list[QWidget] = [self.first, self.second, self.note, self.picture]
        numbers = cuts_numbers(cuts, typed, names)
        return self.room.figure("Two vocabularies", widgets, numbers, settings=f"against {self.other_name}")


def compared(encoding: Encoding, reference: str, known: Tokenizer | None) -> Compared:
    """On the worker. known: the vocabulary, where it has been read before."""
    from app.rooms.embed.two_cuts import compare_cuts, vocabulary_of
    from bertcore.errors import BertcoreError

    try:
        tokenizer = known or vocabulary_of(reference)
        other = tokenizer.encode(encoding.text_a, encoding.text_b, max_length=4 * len(encoding) + 512)
        return Compared(encoding, reference, tokenizer, compare_cuts(encoding, other))
    except BertcoreError as error:
        return Compared(encoding, reference, problem=str(error))


def counted(counts: Counts) -> str:
    unknown = f" · {counts.unknown} unknown" if counts.unknown else ""
    words = f"{counts.pieces} for {counts.words} words, {counts.pieces_per_word:.2f} each"
    return f"{counts.tokens} tokens ({words}){unknown}"


def name_of(reference: str) -> str:
    """A short name for a model's reference."""
    if reference in NAMES:
        return NAMES[reference]
    path = Path(reference)
    name = f"{path.parent.parent.name} {path.name}" if path.parent.name == "snapshots" else path.name or reference
    return name if len(name) <= LONGEST_NAME else f"…{name[-LONGEST_NAME:]}"
