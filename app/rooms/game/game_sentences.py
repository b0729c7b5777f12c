"""The sentences of the room Game that depend on the score, the phase or what was typed."""

from html import escape

from bertcore.tokenizer.text_spans import positions_of

from ...look import mark, numbers, say, theme
from ...state import ModelInfo
from .game import POINTS_AMONG, POINTS_FIRST, ROUNDS, Game, Phase, Puzzle


def score(game: Game) -> str:
    """In the corner."""
    if game.phase is Phase.WELCOME:
        return ""
    text = mark("Sentence {round} of {rounds} · Class {class_points} : {model_points} Model")
    if game.phase is Phase.END:
        text = mark("Class {class_points} : {model_points} Model")
    of_class, of_model = game.score
    return say(text, round=max(game.round, 1), rounds=ROUNDS, class_points=of_class, model_points=of_model)


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
    of_class, of_model = game.score
    title = mark("{class_points} : {model_points}. It is a draw.")
    if of_class > of_model:
        title = mark("{class_points} : {model_points}. The class has won.")
    elif of_class < of_model:
        title = mark("{class_points} : {model_points}. The model has won.")
    why = say(
        "Which sentences did the model find easy, and which did you? It has only read about the world, never seen it."
    )
    return say(title, class_points=of_class, model_points=of_model), why


def verdict(game: Game, puzzle: Puzzle) -> str:
    """Whom a sentence goes to, and which other words count."""
    (of_class, of_model), others = game.points, [say("“{word}”", word=word) for word in puzzle.answers[1:]]
    text = mark("It was “{word}”. Both score {points}.")
    if of_class > of_model:
        text = mark("It was “{word}”. This one goes to the class.")
    elif of_class < of_model:
        text = mark("It was “{word}”. This one goes to the model.")
    elif not of_class:
        text = mark("It was “{word}”. Neither of them found it.")
    also = mark("{words} also counts.") if len(others) == 1 else mark("{words} also count.")
    also = say(also, words=", ".join(others)) if others else ""
    return f"{say(text, word=puzzle.answer, points=numbers.count(of_class))} {also}".strip()


def obstacle(model: ModelInfo | None, puzzle: Puzzle) -> str:
    """Why a model could never find the word: one mask hides one token. Empty where it could."""
    if model is None:
        return ""
    encoding = model.tokenizer.encode(puzzle.whole)
    tokens = positions_of(encoding, [puzzle.place])
    if len(tokens) > 1:
        text = mark("This model cuts “{word}” into {count} tokens, and one mask hides one: hide another word.")
        return say(text, word=puzzle.answer, count=len(tokens))
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
    for puzzle, *both in game.played:
        word = f"<b style='color:{good}'>{escape(puzzle.answer)}</b>"
        points = "".join(f"<td align='right'>{count}</td>" for count in both)
        rows.append(f"<tr><td>{escape(puzzle.before)}{word}{escape(puzzle.after)}</td>{points}</tr>")
    return f"<table align='center' cellspacing='{theme.px(6)}'><tr><td></td>{heads}</tr>{''.join(rows)}</table>"
