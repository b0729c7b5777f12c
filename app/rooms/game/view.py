"""The guessing game: a word is hidden; the class guesses it first, then the model, and the score is kept."""

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QPushButton, QSizePolicy

from bertcore.tokenizer.text_spans import positions_of

from ...look import say, theme
from ...look.number_kinds import explain
from ...state import ModelInfo, Reading, Selection
from ...widgets.answer_cover import Cover
from ...widgets.card import GAP_PX, Hint, button, label, scrolled
from ...widgets.layouts import hbox, held, vbox
from ...widgets.rich_text import RichLabel
from ..view import View
from . import game_sentences
from .game import GUESSES, Game, Phase, Puzzle, load_puzzles, puzzles_of
from .pictures import BigSentence, GuessRow, GuessRows

TYPE_PX, COVER_PX, GO_PX, PLAYED_PX = 19, 19, 16, 15
LONGEST_GUESS, LONGEST_SENTENCE = 120, 200  # characters
FORWARD = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_PageDown, Qt.Key.Key_Right)


class GameView(View):
    """Enter, or Page Down on a presenter's remote, goes on: to the answer, then to the next sentence."""

    sentence_chosen = Signal(str)  # what the model is to read, with a mask in it

    def __init__(self) -> None:
        super().__init__()
        self.game = Game(load_puzzles())
        self._wants_answer = False  # as soon as the model has read the sentence
        self._cover: Cover | None = None
        self.points, self.verdict = label("", "number"), label("", "number", wrap=True)
        self.message, self.details = label("", "answer", wrap=True), label("", wrap=True)
        self.played, self.sentence = RichLabel(say("The sentences of this game")), BigSentence()
        whole = say("A whole sentence, with the word that will be hidden")
        self.own_text = _line(say("Your sentence"), whole, LONGEST_SENTENCE)
        self.line = _line(say("The guess of the class"), say("Five guesses, best first, with commas"), LONGEST_GUESS)
        self.class_rows = GuessRows(say("What the class guessed"))
        self.model_rows = GuessRows(say("What the model guessed"))
        explain("probability", self.model_rows)
        self.class_title, self.model_title = label("", "number"), label("", "number")
        self.go = button("", self.go_on, look="primary")
        skip = partial(self._play, lambda: self.game.skip(self._can_play))
        self.another = button(say("Another sentence"), skip, hint=say("Skip this one (↓)"))
        own = say("Your own sentence…"), partial(self._play, lambda: self.game.write_own())
        self.own = button(*own, hint=say("Write a sentence yourselves"))
        self.end = button(say("End the game"), partial(self._play, lambda: self.game.end()))
        self.keys, self.own_hint = Hint(), label("", wrap=True)
        gap = theme.px(GAP_PX)
        for widget, size_px in ((self.go, GO_PX), (self.details, TYPE_PX), (self.own_hint, TYPE_PX - 3)):
            widget.setFont(theme.font(size_px, bold=widget is self.go))
        self.played.setFont(theme.font(PLAYED_PX))
        self.played.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        for line in (self.message, self.details):
            line.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._message_row, self._played_area = hbox(None, None), scrolled(self.played)
        words = (self.message, 10, self.details, 10, (self._played_area, 6), 14, self._message_row)
        self._message_box = held(vbox(None, *words, None, margins=(gap * 4, 0, gap * 4, 0)))
        self._own_box = held(vbox(self.own_text, self.own_hint, gap_px=8))
        self._sentence_card, class_card, model_card = _card(), _card(), _card()
        vbox((self.sentence, 1), parent=self._sentence_card, margins=(gap * 2, gap, gap * 2, gap))
        vbox(self.class_title, self.line, (self.class_rows, 1), parent=class_card, gap_px=8, margins=gap)
        vbox(self.model_title, (self.model_rows, 1), parent=model_card, gap_px=8, margins=gap)
        self._cards = held(hbox((class_card, 1), (model_card, 1), gap_px=GAP_PX))
        head = hbox(label(say("Guess the hidden word"), "number"), None, self.points)
        self._foot = hbox(self.go, self.another, self.own, (self.keys, 1), self.end, gap_px=8)
        middle = (self._message_box, 5), self._own_box, (self._sentence_card, 3), self.verdict, (self._cards, 5)
        vbox(head, *middle, self._foot, parent=self, gap_px=10)
        self.line.textChanged.connect(self._on_line_changed)
        self.own_text.textChanged.connect(self._on_own_text_changed)
        self.sentence.clicked.connect(self._on_sentence_clicked)
        self._show_phase()

    def restore(self, kept: Any) -> None:
        self.game = kept

    def show_reading(self, reading: Reading, selection: Selection) -> None:
        words = self._words_in(reading) if self._wants_answer else None
        if words is None:
            self._show_phase()
        else:
            self._play(partial(self.game.show_answer, words))

    # What is done.

    def go_on(self) -> None:
        """To the answer, to the next sentence, or to another game."""
        if self.is_stuck or self.game.phase is Phase.OWN:
            return
        if self.game.phase is not Phase.GUESS:
            self._play(lambda: self.game.advance(self._can_play))
            return
        self._wants_answer = True
        self._write_text()  # somebody may have typed something else above
        if self.reading is not None:
            self.show_reading(self.reading, self.selection)
        self._focus()

    def _play(self, step: Callable[[], object]) -> None:
        """One step of the game; the model reads its sentence while the class thinks."""
        self._wants_answer = False
        step()
        self._write_text()
        self.own_hint.setText(game_sentences.own_sentence(self.game.own_sentence))
        self._focus()
        self.own_text.selectAll()

    def _write_text(self) -> None:
        if self.game.puzzle is not None and self.game.phase is not Phase.OWN:
            self.sentence_chosen.emit(self.game.puzzle.text)
        self._show_phase()

    def _words_in(self, reading: Reading) -> list[tuple[str, float]] | None:
        """What the model says for the gap, with probabilities; None while it has not read this very sentence."""
        puzzle, encoding = self.game.puzzle, reading.encoding
        if puzzle is None or (encoding.text_a, encoding.text_b) != (puzzle.text, None) or reading.request.by_hand:
            return None
        gap = positions_of(encoding, [puzzle.gap])
        words = next((mask.words for mask in reading.masks if mask.position in gap), None)
        return None if words is None else [(word.token, word.probability) for word in words[:GUESSES]]

    def _can_play(self, puzzle: Puzzle) -> bool:
        return not game_sentences.obstacle(self.model, puzzle)

    @property
    def model(self) -> ModelInfo | None:
        """The open one, as soon as it has read something."""
        return None if self.reading is None else self.reading.request.model

    @property
    def is_stuck(self) -> bool:
        """This model predicts no words."""
        return self.model is not None and "mlm" not in self.model.output_heads

    # What is shown.

    def _show_phase(self) -> None:
        game, phase = self.game, self.game.phase
        self.kept_changed.emit(game)
        is_round = phase in (Phase.GUESS, Phase.SHOWN) and not self.is_stuck
        is_own = phase is Phase.OWN and not self.is_stuck
        is_message = not is_round and not is_own  # then the way on stands below it, in the middle
        is_over = phase is Phase.END and not self.is_stuck
        (self._message_row if is_message else self._foot).insertWidget(int(is_message), self.go)
        for widget, is_shown in (
            (self._message_box, is_message),
            (self._played_area, is_over and bool(game.played)),
            (self._own_box, is_own),
            (self._sentence_card, is_round or is_own),
            (self._cards, is_round),
            (self.verdict, phase is Phase.SHOWN and is_round),
            (self.line, phase is Phase.GUESS),
            (self.go, not is_own),
            (self.another, (phase is Phase.GUESS and is_round) or is_own),
            (self.own, phase is not Phase.OWN and not self.is_stuck),
            (self.end, phase in (Phase.GUESS, Phase.SHOWN, Phase.OWN)),
        ):
            widget.setVisible(is_shown)
        title, details = game_sentences.message(game, self.model if self.is_stuck else None)
        for words, text in (
            (self.points, game_sentences.score(game)),
            (self.message, title),
            (self.details, details),
            (self.played, game_sentences.played(game) if is_over else ""),
            (self.keys, game_sentences.keys(phase)),
            (self.go, game_sentences.forward(game)),
        ):
            words.setText(text)
        if is_round and game.puzzle is not None:
            self._show_round(game.puzzle, phase is Phase.SHOWN)
        elif is_own:
            self.sentence.show_choices(game.own_sentence)
        for line, text in ((self.line, game.typed), (self.own_text, game.own_sentence)):
            if line.text() != text:
                line.setText(text)
        self.go.setEnabled(not self.is_stuck)
        is_covered = phase is Phase.GUESS and is_round  # until the class has said something
        if is_covered and self._cover is None:
            self._cover = Cover(self.model_rows, say("Hidden until you have guessed"), COVER_PX)
        elif not is_covered and self._cover is not None:
            self._cover.remove()
            self._cover = None

    def _show_round(self, puzzle: Puzzle, is_shown: bool) -> None:
        game, titles = self.game, (say("The class"), say("The model"))
        if is_shown:
            of_class, of_model = game.points
            titles = say("The class: %n point(s)", n=of_class), say("The model: %n point(s)", n=of_model)
            self.verdict.setText(game_sentences.verdict(game, puzzle))
        for title, text in zip((self.class_title, self.model_title), titles, strict=True):
            title.setText(text)
        found = [GuessRow(word, share, puzzle.is_right(word)) for word, share in game.model_words]
        self.sentence.show_gap(puzzle, puzzle.answer if is_shown else "")
        self.class_rows.set_rows(
            [GuessRow(word, None, is_shown and puzzle.is_right(word)) for word in game.class_words]
        )
        self.model_rows.set_rows(found if is_shown else [])

    def _focus(self) -> None:
        """The keyboard goes to where the game goes on."""
        if self.isVisible():
            lines = {Phase.GUESS: self.line, Phase.OWN: self.own_text}
            lines.get(self.game.phase, self.go).setFocus(Qt.FocusReason.OtherFocusReason)

    # Answers to what a person does.

    def _on_line_changed(self, text: str) -> None:
        if self.game.phase is Phase.GUESS:
            self.game.typed = text
            self.class_rows.set_rows([GuessRow(word) for word in self.game.class_words])

    def _on_own_text_changed(self, text: str) -> None:
        self.game.own_sentence = text
        self.own_hint.setText(game_sentences.own_sentence(text))
        if self.game.phase is Phase.OWN:
            self.sentence.show_choices(text)

    def _on_sentence_clicked(self, cell: int) -> None:
        puzzle = puzzles_of(self.game.own_sentence)[self.sentence.choices.index(cell)]
        obstacle = game_sentences.obstacle(self.model, puzzle)
        if obstacle:
            self.own_hint.setText(obstacle)
        else:
            self._play(partial(self.game.play_own, puzzle))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What the line, the sentence and the buttons leave over."""
        focused, key = self.focusWidget(), event.key()
        is_enter = key in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and isinstance(focused, QPushButton) and focused.hasFocus():
            focused.click()
        elif self.game.phase is Phase.OWN and is_enter and self.own_text.hasFocus():
            self.sentence.setFocus(Qt.FocusReason.TabFocusReason)
        elif key in FORWARD and self.game.phase is not Phase.OWN:
            self.go_on()
        elif key == Qt.Key.Key_Down and self.another.isVisible():
            self.another.click()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self._focus()


def _line(name: str, placeholder: str, most: int) -> QLineEdit:
    made = QLineEdit()
    made.setAccessibleName(name)
    made.setPlaceholderText(placeholder)
    made.setMaxLength(most)
    made.setFont(theme.font(TYPE_PX))
    return made


def _card() -> QFrame:
    made = QFrame()
    made.setProperty("look", "card")
    made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
    return made
