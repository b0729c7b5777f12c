"""Room Evidence: what holds over a whole collection of texts, with how many, and the interval."""

from pathlib import Path
from typing import Any

from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from bertcore.tokenizer.special_tokens import MASK

from ...compute.evidence import Gathered, Kept, Kind, Source, read_collection, shipped_source
from ...compute.question import Question
from ...look import mark, names, say
from ...state.baseline import OtherText
from ...state.readings import Reading
from ..room import Room
from ..view import View, ViewSpec, later
from .chooser import CollectionChooser
from .view import EvidenceView, OpenedRow

OWN_TEXTS = mark("This view is about the collection, so the baseline makes no difference here.")
HINTS: dict[str, str] = names("views of Evidence")  # why one looks at it
VIEWS = (
    ("heads", later(__package__, "heads_view", "HeadsView"), mark("Heads")),
    ("grammar", later(__package__, "grammar_view", "GrammarView"), mark("Grammar")),
    ("uses", later(__package__, "uses_view", "UsesView"), mark("Where else?")),
    ("fires", later(__package__, "fires_view", "FiresView"), mark("What fires it?")),
    ("probes", later(__package__, "probes_view", "ProbesView"), mark("What can be read off?")),
    ("lost", later(__package__, "lost_view", "LostView"), mark("What would be lost?")),
    ("topics", later(__package__, "topics_view", "TopicsView"), mark("Topics")),
    ("examples", later(__package__, "examples_view", "ExamplesView"), mark("Examples")),
)


class EvidenceRoom(Room):
    """Views of one kind of collection share it. What is read stays read until another one is chosen."""

    key = "evidence"
    specs = tuple(
        # Another model may answer the same examples.
        ViewSpec(key, title, HINTS[key], view, only="" if key == "examples" else OWN_TEXTS)
        for key, view, title in VIEWS
    )

    def lay_out(self) -> None:
        self._sources: Any = self.state.kept.setdefault("evidence.sources", {})  # kind -> what a person has chosen
        self._kept: Any = self.state.kept.setdefault("evidence.answers", Kept())  # of all views
        self._found: dict[Kind, Gathered | str] = {}  # a sentence: why the first one cannot be read
        self.reads: Question[Gathered] = Question(self, self._on_read)
        self.reads.requested.connect(self.question_requested)
        self.reads.failed.connect(self._on_read)
        self.setAcceptDrops(True)
        super().lay_out()
        self.progress.follow(self.reads)
        layout = self.content.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(layout.indexOf(self.compared), self.chooser.typed)

    def make_beside_tabs(self) -> list[QWidget]:
        self.chooser = CollectionChooser()
        self.chooser.source_chosen.connect(self.use)
        return [self.chooser]

    def connect_view(self, view: View) -> None:
        assert isinstance(view, EvidenceView)
        view.kept = self._kept
        view.row_opened.connect(self._open_row)
        view.file_wanted.connect(self.chooser.ask_for_file)
        view.needs_changed.connect(self._show_collection)
        if hasattr(view, "model_requested"):
            view.model_requested.connect(self.model_requested)

    def _on_model_changed(self) -> None:
        self._kept.clear()
        super()._on_model_changed()

    def show_view(self, key: str) -> None:
        self._give(self.get_view(key))
        super().show_view(key)
        self._show_collection()

    def draw_reading(self, reading: Reading) -> None:
        """The first one that is seen has the collection read, too."""
        self._show_collection()
        super().draw_reading(reading)

    def use(self, source: Source) -> None:
        """Another collection, for all views of its kind; where it cannot be read, the one from before stays."""
        self.reads.clear()
        self.reads.ask(read_collection, source, pause_ms=0)

    def _give(self, view: View) -> Gathered | None:
        """A view is told of the collection of its kind, which is returned."""
        assert isinstance(view, EvidenceView)
        found = self._found.get(view.needs, "")
        gathered, problem = (None, found) if isinstance(found, str) else (found, "")
        view.set_collection(gathered, problem)
        return gathered

    def _show_collection(self) -> None:
        """Of the view on show; it is read first where that has not been yet."""
        view = self.view
        assert isinstance(view, EvidenceView)
        source = self.reads.key[-1] if self.reads.is_running else None
        is_coming = isinstance(source, Source) and source.kind == view.needs  # another one, perhaps
        if view.needs not in self._found and not is_coming and self.isVisible():
            source = self._sources.get(view.needs) or shipped_source(view.needs)
            self.reads.ask(read_collection, source, pause_ms=0)
        self.chooser.show_collection(view.needs, self._give(view))

    def _on_read(self, gathered: Gathered | None = None) -> None:
        """None: it cannot be."""
        source = self.reads.key[-1]
        assert isinstance(source, Source)
        if gathered is None:
            self._found.setdefault(source.kind, self.reads.sentence)
        else:
            self._found[source.kind], self._sources[source.kind] = gathered, source
            self.chooser.typed.hide()
        self._show_collection()

    def _open_row(self, row: OpenedRow) -> None:
        """Puts it before all rooms, and stays here."""
        state = self.state
        text, other = (one.replace(MASK, state.mask_token or MASK) for one in (row.text, row.other))
        state.set_text(text, "")
        state.set_mask_places(())  # a [MASK] that stands in the text is one anyway
        if row.chosen is not None and state.encoding is not None:
            begin, end = row.chosen
            spans = zip(state.encoding.offsets, state.encoding.parts, strict=True)
            here = (at for at, ((a, b), part) in enumerate(spans) if part != "special" and a < end and b > begin)
            state.set_focus(next(here, None))
        state.set_contrast(row.contrast)
        if row.head is not None:
            state.set_head(*row.head)
        state.set_baseline(OtherText(other, "") if other else None)
        self.hover_text_changed.emit(say("All rooms show “{text}” now.", text=text))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """A file that is dropped is a collection; a folder is the window's: a model."""
        event.setAccepted(_dropped(event) is not None)

    def dropEvent(self, event: QDropEvent) -> None:
        file = _dropped(event)
        if file is not None:
            self.use(Source(self.chooser.kind, file))


def _dropped(event: QDropEvent) -> Path | None:
    """The first file among what is dropped."""
    places = (Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile())
    return next((place for place in places if place.is_file()), None)
