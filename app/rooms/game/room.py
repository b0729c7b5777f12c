"""Room Game: a word is hidden; the class guesses it first, then the model, and the score is kept."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QPushButton, QSizePolicy, QWidget

from bertcore.tokenizer.text_spans import positions_of

from ...look import numbers, theme
from ...look.number_kinds import explain
from ...look.say import say
from ...state.explore_state import ExploreState
from ...state.readings import Reading
from ...widgets.card import GAP_PX, Hint, button, label, rich_label, scrolled
from ...widgets.cover import Cover
from ...widgets.layouts import hbox, vbox
from ..room import Room
from .game import GUESSES, POINTS_AMONG, POINTS_FIRST, ROUNDS, Game, Phase, Puzzle, load_puzzles, puzzles_of
from .guess_rows import GuessRow, GuessRows
from .sentence import BigSentence

TYPE_PX, COVER_PX, GO_PX, PLAYED_PX = 19, 19, 16, 15
FORWARD = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_PageDown, Qt.Key.Key_Right)


class GameRoom(Room):
    """Enter, or Page Down on a presenter's remote, goes on: to the answer, then to the next sentence."""

    key = "game"

    def __init__(self, state: ExploreState) -> None:
        super().__init__(state)
        self.game = _kept_game(state)
        self._wants_answer = False  # as soon as the model has read the sentence
        self._cover: Cover | None = None
        self.points = label("", "number")
        self.message, self.details = label("", "answer", wrap=True), label("", wrap=True)
        self.sentence = BigSentence()
        self.own_line, self.line = _line(say("Your sentence")), _line(say("The guess of the class"))
        self.own_line.setMaxLength(200)
        self.own_line.setPlaceholderText(say("A whole sentence, with the word that will be hidden"))
        self.line.setPlaceholderText(say("Five guesses, best first, with commas"))
        self.class_rows = GuessRows(say("What the class guessed"))
        self.model_rows = GuessRows(say("What the model guessed"))
        explain("probability", self.model_rows)
        self.class_title, self.model_title = label("", "number"), label("", "number")
        self.verdict = label("", "number", wrap=True)
        self.go = button("", self._on_go_clicked, look="primary")
        self.another = button(say("Another sentence"), self._on_another_clicked, hint=say("Skip this one (↓)"))
        self.own = button(say("Your own sentence…"), self._on_own_clicked, hint=say("Write a sentence yourselves"))
        self.end = button(say("End the game"), self._on_end_clicked)
        self.keys = Hint()
        self.go.setFont(theme.font(GO_PX, bold=True))
        self._lay_out()
        self._connect()
        self._show_phase()

    def draw_reading(self, reading: Reading) -> None:
        words = self._words_in(reading) if self._wants_answer else None
        if words is not None:
            self._wants_answer = False
            self.game.show_answer(words)
        self._show_phase()
        if words is not None:
            self._focus()

    # What is done.

    def go_on(self) -> None:
        """To the answer, to the next sentence, or to another game."""
        if self.is_stuck or self.game.phase is Phase.OWN:
            return
        if self.game.phase is Phase.GUESS:
            self._ask_for_answer()
            return
        self.game.advance(self._can_play)
        self._write_text()
        self._focus()

    def _ask_for_answer(self) -> None:
        self._wants_answer = True
        self._write_text()  # somebody may have typed something else above
        if self.state.reading is not None:
            self.draw_reading(self.state.reading)

    def _write_text(self) -> None:
        """The model reads the sentence while the class thinks."""
        if self.game.puzzle is not None:
            self.state.set_text(self.game.puzzle.text, "")
            self.state.set_masks(())
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
        return not self._obstacle(puzzle)

    def _obstacle(self, puzzle: Puzzle) -> str:
        """Why the model could never find the word: one mask hides one token. Empty where it could."""
        model = self.state.model
        if model is None:
            return ""
        encoding = model.tokenizer.encode(puzzle.whole)
        tokens = positions_of(encoding, [puzzle.place])
        if len(tokens) == 1 and tokens[0] not in encoding.unknown:
            return ""
        if len(tokens) > 1:
            words = say("This model cuts “{word}” into {count} tokens, and one mask hides one: hide another word.")
            return words.format(word=puzzle.answer, count=len(tokens))
        return say("“{word}” is not in this model’s vocabulary: hide another word.", word=puzzle.answer)

    def start_again(self) -> None:
        """As if nobody had played yet."""
        self.game = Game(load_puzzles())
        self.state.kept["game"] = self.game
        self._show_phase()

    @property
    def is_stuck(self) -> bool:
        """This model predicts no words."""
        return self.state.model is not None and "mlm" not in self.state.model.output_heads

    # What is shown.

    def _show_phase(self) -> None:
        game, phase = self.game, self.game.phase
        is_round = phase in (Phase.GUESS, Phase.SHOWN) and not self.is_stuck
        is_own = phase is Phase.OWN and not self.is_stuck
        self._show_score()
        is_message = not is_round and not is_own  # then the way on stands below it, in the middle
        (self._message_row if is_message else self._foot).insertWidget(int(is_message), self.go)
        for widget, is_shown in (
            (self._message_box, is_message),
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
        self._show_message()
        if is_round and game.puzzle is not None:
            self.sentence.show_gap(game.puzzle, game.puzzle.answer if phase is Phase.SHOWN else "")
            self._show_guesses(game.puzzle)
        elif is_own:
            self.sentence.show_choices(game.own_sentence)
        skips = say("Enter: answer · ↓: another sentence")
        forward = say("Press Enter, or the remote’s next button, to continue.")
        again = say("Press Enter, or the remote’s next button, for another game.")
        self.keys.setText({Phase.GUESS: skips, Phase.OWN: "", Phase.END: again}.get(phase, forward))
        if self.line.text() != game.typed:
            self.line.setText(game.typed)
        self.go.setText(
            {
                Phase.WELCOME: say("Start"),
                Phase.GUESS: say("Show the answer"),
                Phase.SHOWN: say("Next sentence") if game.round < ROUNDS else say("Who has won?"),
                Phase.END: say("Another game"),
            }.get(phase, "")
        )
        self.go.setEnabled(not self.is_stuck)
        self._set_covered(phase is Phase.GUESS and is_round)

    def _show_score(self) -> None:
        game = self.game
        if game.phase is Phase.WELCOME:
            self.points.setText("")
            return
        text = say("Sentence {round} of {rounds} · Class {class_points} : {model_points} Model")
        if game.phase is Phase.END:
            text = say("Class {class_points} : {model_points} Model")
        self.points.setText(
            text.format(
                round=max(game.round, 1), rounds=ROUNDS, class_points=game.score.class_, model_points=game.score.model
            )
        )

    def _show_message(self) -> None:
        game, model = self.game, self.state.model
        title = say("Can you guess better than the model?")
        details = say(
            "A word is hidden in a sentence. The class guesses it first, then the model, up to five guesses each: "
            "{first} points if the first is right, {among} if another one is. A game has {rounds} sentences.",
            first=POINTS_FIRST,
            among=POINTS_AMONG,
            rounds=ROUNDS,
        )
        if self.is_stuck and model is not None:
            title = say("This model predicts no words")
            missing = model.missing.get("mlm", say("This model has no masked-word (MLM) head."))
            details = f"{missing} {say('Open another one for this game.')}"
        elif game.phase is Phase.END:
            named = {"class_points": game.score.class_, "model_points": game.score.model}
            if game.score.class_ == game.score.model:
                title = say("{class_points} : {model_points}. It is a draw.")
            elif game.score.class_ > game.score.model:
                title = say("{class_points} : {model_points}. The class has won.")
            else:
                title = say("{class_points} : {model_points}. The model has won.")
            title = title.format(**named)
            details = say(
                "Which sentences did the model find easy, and which did you? It has only read about the world, never "
                "seen it."
            )
        self.message.setText(title)
        self.details.setText(details)
        is_over = game.phase is Phase.END and not self.is_stuck
        self._played_area.setVisible(is_over and bool(game.played))
        self.played.setText(self._played_in_words() if is_over else "")

    def _played_in_words(self) -> str:
        """A row for each sentence, with what both got."""
        heads = "".join(f"<th align='right'>{escape(name)}</th>" for name in (say("Class"), say("Model")))
        good, rows = theme.color("good_text").name(), []
        for each in self.game.played:
            puzzle = each.puzzle
            word = f"<b style='color:{good}'>{escape(puzzle.answer)}</b>"
            points = "".join(f"<td align='right'>{count}</td>" for count in (each.class_points, each.model_points))
            rows.append(f"<tr><td>{escape(puzzle.before)}{word}{escape(puzzle.after)}</td>{points}</tr>")
        return f"<table align='center' cellspacing='{theme.px(6)}'><tr><td></td>{heads}</tr>{''.join(rows)}</table>"

    def _show_guesses(self, puzzle: Puzzle) -> None:
        game = self.game
        if game.phase is not Phase.SHOWN:
            self.class_title.setText(say("The class"))
            self.model_title.setText(say("The model"))
            self.model_rows.set_rows([])
            self.class_rows.set_rows([GuessRow(word) for word in game.class_words])
            return
        class_points, model_points = game.class_points, game.model_points  # lupdate wants names, not expressions
        self.class_title.setText(say("The class: %n point(s)", n=class_points))
        self.model_title.setText(say("The model: %n point(s)", n=model_points))
        self.class_rows.set_rows([GuessRow(word, None, puzzle.is_right(word)) for word in game.class_words])
        self.model_rows.set_rows([GuessRow(word, share, puzzle.is_right(word)) for word, share in game.model_words])
        if class_points == model_points:
            text = say("It was “{word}”. Both score {points}.")
            if not class_points:
                text = say("It was “{word}”. Neither of them found it.")
        elif class_points > model_points:
            text = say("It was “{word}”. This one goes to the class.")
        else:
            text = say("It was “{word}”. This one goes to the model.")
        others = [say("“{word}”", word=word) for word in puzzle.answers[1:]]
        also = say("{words} also counts.") if len(others) == 1 else say("{words} also count.")
        also = also.format(words=", ".join(others))
        said = text.format(word=puzzle.answer, points=numbers.count(class_points))
        self.verdict.setText(f"{said} {also}" if puzzle.answers[1:] else said)

    def _set_covered(self, is_covered: bool) -> None:
        """What the model says is hidden until the class has said something."""
        if is_covered and self._cover is None:
            self._cover = Cover(self.model_rows, say("Hidden until you have guessed"), COVER_PX)
        elif not is_covered and self._cover is not None:
            self._cover.remove()
            self._cover = None

    # Building.

    def _lay_out(self) -> None:
        gap = theme.px(GAP_PX)
        for widget in (self.message, self.details):
            widget.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.details.setFont(theme.font(TYPE_PX))
        self._message_box, self._own_box = QWidget(), QWidget()
        self._message_row = hbox(None, None)
        margins = (gap * 4, 0, gap * 4, 0)
        self.played = rich_label(say("The sentences of this game"))
        self.played.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.played.setFont(theme.font(PLAYED_PX))
        self._played_area = scrolled(self.played)
        words = (self.message, 10, self.details, 10, (self._played_area, 6), 14, self._message_row)
        vbox(None, *words, None, parent=self._message_box, margins=margins)
        self._own_hint = label("", wrap=True)
        self._own_hint.setFont(theme.font(TYPE_PX - 3))
        vbox(self.own_line, self._own_hint, parent=self._own_box, gap_px=8)
        self._sentence_card = _card()
        vbox((self.sentence, 1), parent=self._sentence_card, margins=(gap * 2, gap, gap * 2, gap))
        class_card, model_card = _card(), _card()
        margins = (gap, gap, gap, gap)
        vbox(self.class_title, self.line, (self.class_rows, 1), parent=class_card, gap_px=8, margins=margins)
        vbox(self.model_title, (self.model_rows, 1), parent=model_card, gap_px=8, margins=margins)
        self._cards = QWidget()
        hbox((class_card, 1), (model_card, 1), parent=self._cards, gap_px=GAP_PX)
        head = hbox(label(say("Guess the hidden word"), "number"), None, self.points)
        self._foot = foot = hbox(self.go, self.another, self.own, (self.keys, 1), self.end, gap_px=8)
        vbox(
            head,
            (self._message_box, 5),
            self._own_box,
            (self._sentence_card, 3),
            self.verdict,
            (self._cards, 5),
            foot,
            parent=self.content,
            gap_px=10,
        )

    def _connect(self) -> None:
        self.line.textChanged.connect(self._on_line_changed)
        self.own_line.textChanged.connect(self._on_own_line_changed)
        self.sentence.clicked.connect(self._on_sentence_clicked)

    def _focus(self) -> None:
        """The keyboard goes to where the game goes on."""
        if not self.isVisible():
            return
        where: QWidget = {Phase.GUESS: self.line, Phase.OWN: self.own_line}.get(self.game.phase, self.go)
        where.setFocus(Qt.FocusReason.OtherFocusReason)

    # Answers to what a person does.

    def _on_go_clicked(self) -> None:
        self.go_on()
        self._focus()

    def _on_another_clicked(self) -> None:
        self._wants_answer = False
        self.game.skip(self._can_play)
        self._write_text()
        self._focus()

    def _on_own_clicked(self) -> None:
        self._wants_answer = False
        self.game.write_own()
        self.own_line.setText(self.game.own_sentence)
        self._own_hint.setText(self._own_words)
        self._show_phase()
        self._focus()
        self.own_line.selectAll()

    def _on_end_clicked(self) -> None:
        self.game.phase, self.game.puzzle = Phase.END, None
        self._wants_answer = False
        self._show_phase()
        self._focus()

    def _on_line_changed(self, text: str) -> None:
        if self.game.phase is Phase.GUESS:
            self.game.typed = text
            self.class_rows.set_rows([GuessRow(word) for word in self.game.class_words])

    def _on_own_line_changed(self, text: str) -> None:
        self.game.own_sentence = text
        self._own_hint.setText(self._own_words)
        if self.game.phase is Phase.OWN:
            self.sentence.show_choices(text)

    @property
    def _own_words(self) -> str:
        if not self.game.own_sentence.strip():
            return say(
                "Type a sentence. Its words appear below; then choose the one to hide. Blank the projector while you "
                "type, or the class sees it."
            )
        return say("Click the word to hide; or press Enter, choose it with ← →, and press Enter again.")

    def _on_sentence_clicked(self, cell: int) -> None:
        puzzle = puzzles_of(self.game.own_sentence)[self.sentence.choice_of(cell)]
        obstacle = self._obstacle(puzzle)
        if obstacle:
            self._own_hint.setText(obstacle)
            return
        self.game.play_own(puzzle)
        self._write_text()
        self._focus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What the line, the sentence and the buttons leave over."""
        focused, key = self.focusWidget(), event.key()
        is_enter = key in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and isinstance(focused, QPushButton) and focused.hasFocus():
            focused.click()
        elif self.game.phase is Phase.OWN and is_enter and self.own_line.hasFocus():
            self.sentence.setFocus(Qt.FocusReason.TabFocusReason)
        elif key in FORWARD and self.game.phase is not Phase.OWN:
            self._on_go_clicked()
        elif key == Qt.Key.Key_Down and self.another.isVisible():
            self._on_another_clicked()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous():
            self._focus()


def _kept_game(state: ExploreState) -> Game:
    """The one that was played before the window was built again."""
    kept = state.kept.setdefault("game", Game(load_puzzles()))
    assert isinstance(kept, Game)
    return kept


def _line(name: str) -> QLineEdit:
    made = QLineEdit()
    made.setAccessibleName(name)
    made.setMaxLength(120)
    made.setFont(theme.font(TYPE_PX))
    return made


def _card() -> QFrame:
    made = QFrame()
    made.setProperty("look", "card")
    made.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
    return made
