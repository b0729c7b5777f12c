"""The sentences of the room Game that depend on the score, the phase or what was typed."""

from __future__ import annotations

from html import escape

from bertcore.tokenizer.text_spans import positions_of

from ...look import numbers, theme
from ...look.say import say
from ...state.model_info import ModelInfo
from .game import POINTS_AMONG, POINTS_FIRST, ROUNDS, Game, Phase, Puzzle


def score(game: Game) -> str:
    """In the corner."""
    points = {"class_points": game.score.class_, "model_points": game.score.model}
    if game.phase is Phase.WELCOME:
        return ""
    if game.phase is Phase.END:
        return say("Class {class_points} : {model_points} Model").format(**points)
    text = say("Sentence {round} of {rounds} · Class {class_points} : {model_points} Model")
    return text.format(round=max(game.round, 1), rounds=ROUNDS, **points)


def message(game: Game, stuck_model: ModelInfo | None) -> tuple[str, str]:
    """A title and what is said below it, before the first sentence and after the last.

    stuck_model: the open one, where it predicts no words.
    """
    if stuck_model is not None:
        missing = stuck_model.missing.get("mlm", say("This model has no masked-word (MLM) head."))
        return say("This model predicts no words"), f"{missing} {say('Open another one for this game.')}"
    if game.phase is not Phase.END:
        rules = say(
            "A word is hidden in a sentence. The class guesses it first, then the model, up to five guesses each: "
            "{first} points if the first is right, {among} if another one is. A game has {rounds} sentences.",
            first=POINTS_FIRST,
            among=POINTS_AMONG,
            rounds=ROUNDS,
        )
        return say("Can you guess better than the model?"), rules
    points = game.score
    title = say("{class_points} : {model_points}. It is a draw.")
    if points.class_ > points.model:
        title = say("{class_points} : {model_points}. The class has won.")
    elif points.class_ < points.model:
        title = say("{class_points} : {model_points}. The model has won.")
    why = say(
        "Which sentences did the model find easy, and which did you? It has only read about the world, never seen it."
    )
    return title.format(class_points=points.class_, model_points=points.model), why


def verdict(game: Game, puzzle: Puzzle) -> str:
    """Whom a sentence goes to, and which other words count."""
    ours, theirs = game.class_points, game.model_points
    if ours == theirs:
        text = (
            say("It was “{word}”. Both score {points}.") if ours else say("It was “{word}”. Neither of them found it.")
        )
    elif ours > theirs:
        text = say("It was “{word}”. This one goes to the class.")
    else:
        text = say("It was “{word}”. This one goes to the model.")
    said = text.format(word=puzzle.answer, points=numbers.count(ours))
    others = [say("“{word}”", word=word) for word in puzzle.answers[1:]]
    if not others:
        return said
    also = say("{words} also counts.") if len(others) == 1 else say("{words} also count.")
    return f"{said} {also.format(words=', '.join(others))}"


def obstacle(model: ModelInfo, puzzle: Puzzle) -> str:
    """Why a model could never find the word: one mask hides one token. Empty where it could."""
    encoding = model.tokenizer.encode(puzzle.whole)
    tokens = positions_of(encoding, [puzzle.place])
    if len(tokens) > 1:
        text = say("This model cuts “{word}” into {count} tokens, and one mask hides one: hide another word.")
        return text.format(word=puzzle.answer, count=len(tokens))
    if len(tokens) == 1 and tokens[0] not in encoding.unknown:
        return ""
    return say("“{word}” is not in this model’s vocabulary: hide another word.", word=puzzle.answer)


def keys(phase: Phase) -> str:
    """What the keyboard does next."""
    forward = say("Press Enter, or the remote’s next button, to continue.")
    again = say("Press Enter, or the remote’s next button, for another game.")
    skips = say("Enter: answer · ↓: another sentence")
    return {Phase.GUESS: skips, Phase.OWN: "", Phase.END: again}.get(phase, forward)


def forward(game: Game) -> str:
    """What the button that goes on is called."""
    shown = say("Next sentence") if game.round < ROUNDS else say("Who has won?")
    names = {Phase.GUESS: say("Show the answer"), Phase.SHOWN: shown, Phase.END: say("Another game")}
    return {**names, Phase.WELCOME: say("Start")}.get(game.phase, "")


def own_sentence(sentence: str) -> str:
    """What to do while somebody writes one."""
    if not sentence.strip():
        return say(
            "Type a sentence. Its words appear below; then choose the one to hide. Blank the projector while you "
            "type, or the class sees it."
        )
    return say("Click the word to hide; or press Enter, choose it with ← →, and press Enter again.")


def played(game: Game) -> str:
    """As rich text: a row for each sentence, with what both got."""
    heads = "".join(f"<th align='right'>{escape(name)}</th>" for name in (say("Class"), say("Model")))
    good, rows = theme.color("good_text").name(), []
    for each in game.played:
        puzzle = each.puzzle
        word = f"<b style='color:{good}'>{escape(puzzle.answer)}</b>"
        points = "".join(f"<td align='right'>{count}</td>" for count in (each.class_points, each.model_points))
        rows.append(f"<tr><td>{escape(puzzle.before)}{word}{escape(puzzle.after)}</td>{points}</tr>")
    return f"<table align='center' cellspacing='{theme.px(6)}'><tr><td></td>{heads}</tr>{''.join(rows)}</table>"
