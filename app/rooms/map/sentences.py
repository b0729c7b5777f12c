"""What each part of the map is, in one plain sentence with the numbers of this pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...look import numbers
from ...look.say import isolated, mark, say
from ...state.baseline_names import where_compared
from ...state.verdicts import verdict_of
from .content import SECTIONS, Caption, embedding
from .plan import MapPart

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...compute.feed_forward import FeedForwardActivity
    from ...state.readings import Reading
    from .compared import ComparedLines
    from .content import Answer
HABITS = {  # kind of a head -> what it does
    "previous token": mark("Each token looks at the one before it: {share} of the attention."),
    "next token": mark("Each token looks at the one after it: {share} of the attention."),
    "same token": mark("Each token looks at itself: {share} of the attention."),
    "same word in the other sentence": mark("It finds the same word in the other sentence."),
    "same word elsewhere": mark("It finds other places with the same word."),
    "[CLS]/[SEP] sink": mark(
        "Tokens look at the special tokens: {share} of the attention. Often that means: nothing to do here."
    ),
    "local": mark("Each token looks at its neighbours."),
    "broad": mark("Each token looks at nearly everything at once."),
    "mixed": mark("It has no single habit in this text."),
}


def caption_of(
    part: MapPart, reading: Reading, answer: Answer, activity: FeedForwardActivity | None, rows: list[int]
) -> Caption:
    """activity: of the positions `rows`."""
    match part.kind:
        case "head":
            return _head(part, reading, answer.position)
        case "feed_forward":
            return _feed_forward(part, reading, answer.position, activity, rows)
        case "attention_sum" | "feed_forward_sum":
            return _sum(part, reading)
        case "state":
            return _state(part, reading, answer)
        case "embedding":
            return _embedding(part, reading)
        case "word" | "token":
            return _token(part, reading)
        case "layer":
            title = say("Layer {layer}, step by step", layer=part.layer + 1)
            return Caption(title, say("Every number between what enters this layer and what leaves it."))
        case "answer":
            title = say("All predictions")
            return Caption(title, say("The line is compared with every token of the vocabulary."))
        case "verdict":
            first = reading.shown_tokens[0]
            text = say("Read from the line of {token} alone.", token=isolated(first))
            return Caption(say("The two sentences"), text)
        case "section":
            return Caption("", "")


def _head(part: MapPart, reading: Reading, position: int) -> Caption:
    from bertcore.analysis.attention_heads import classify_heads

    name = say("Layer {layer} · Head {head}", layer=part.layer + 1, head=part.head + 1)
    what_if = reading.request.what_if
    if (part.layer, part.head) in what_if.heads_off or part.layer in what_if.layers_off:
        return Caption(name, say("Switched off: it adds nothing."))
    attention, tokens = reading.trace.attentions[part.layer, part.head], reading.shown_tokens
    kind = classify_heads(attention[None], reading.encoding)[0]
    habit = say(HABITS[kind.kind], share=numbers.percent(kind.score))
    row = attention[position]
    looks = say(
        "“{token}” looks most at “{other}”: {share}.",
        token=isolated(tokens[position]),
        other=isolated(tokens[int(row.argmax())]),
        share=numbers.percent(float(row.max())),
    )
    return Caption(name, f"{habit} {looks}")


def _feed_forward(
    part: MapPart, reading: Reading, position: int, activity: FeedForwardActivity | None, rows: list[int]
) -> Caption:
    config = reading.request.model.config
    title = say("Layer {layer} · Feed-forward", layer=part.layer + 1)
    text = say(
        "{count} neurons work on each token alone; what they find is added to its line.",
        count=numbers.count(config.intermediate_size),
    )
    if activity is not None and position in rows:
        values = activity.activations[part.layer, rows.index(position)]
        best = int(values.argmax())
        more = say(
            "The picture has those {count} that fire most. At “{token}”: neuron {neuron}, {value}.",
            count=len(values),
            token=isolated(reading.shown_tokens[position]),
            neuron=int(activity.neurons[part.layer, best]),
            value=numbers.decimal(float(values[best])),
        )
        text = f"{text} {more}"
    return Caption(title, text)


def _sum(part: MapPart, reading: Reading) -> Caption:
    is_pre = reading.request.model.config.norm == "pre"
    if part.kind == "attention_sum":
        title = say("Layer {layer} · Attention is added", layer=part.layer + 1)
        text = say("What the heads found is added to each line, so nothing that was there is lost.")
    else:
        title = say("Layer {layer} · Feed-forward is added", layer=part.layer + 1)
        text = say("What the neurons found is added to each line.")
    norm = (
        say("In this model LayerNorm comes before each half of a layer.")
        if is_pre
        else say("LayerNorm then brings every line back to the same scale.")
    )
    return Caption(title, f"{text} {norm}")


def _state(part: MapPart, reading: Reading, answer: Answer) -> Caption:
    token = reading.shown_tokens[part.position]
    width = numbers.count(reading.trace.hidden_states.shape[-1])
    if part.stage:
        title = say("“{token}” after layer {layer}", token=isolated(token), layer=part.stage)
    else:
        title = say("“{token}” before the first layer", token=isolated(token))
    text = say("The line is a list of {width} numbers.", width=width)
    if part.position == answer.position and answer.guesses:
        guess = answer.guesses[part.stage]
        text = say(
            "Best guess if the model stopped here: “{word}”, {share}.",
            word=isolated(guess.token),
            share=numbers.percent(guess.probability),
        )
    return Caption(title, text)


def with_comparison(caption: Caption, part: MapPart, answer: Answer, compared: ComparedLines | None) -> Caption:
    """The same of a line, with what the baseline has there."""
    texts = [caption.text]
    before = answer.guess_before(part.stage) if part.position == answer.position and answer.guesses else None
    if before is not None:
        texts.append(
            say(
                "With the baseline: “{word}”, {share}.",
                word=isolated(before.token),
                share=numbers.percent(before.probability),
            )
        )
    distances = None if compared is None else compared.distances
    if distances is not None:
        distance = float(distances[part.position, part.stage])
        text = say("Its cosine with the baseline’s line is {cosine}.")
        if np.isnan(distance):
            text = say("The baseline has no such token.")
        texts.append(text.format(cosine=numbers.decimal(1 - distance)))
    return Caption(caption.title, " ".join(texts), caption.link)


def _embedding(part: MapPart, reading: Reading) -> Caption:
    token, segment = reading.shown_tokens[part.position], reading.request.segments[part.position]
    vector = embedding(reading, part.name)
    assert vector is not None
    length = numbers.decimal(float(np.linalg.norm(vector[part.position])))
    place = reading.request.positions[part.position] if reading.request.positions else part.position
    match part.name:
        case "token":
            title = say("Token embedding of “{token}”", token=isolated(token))
            text = say("Which token it is, as {width} learned numbers; length {length}.")
        case "segment":
            title = say("Segment {letter}", letter="AB"[min(segment, 1)])
            text = say("Which sentence the token is in, as {width} learned numbers; length {length}.")
        case "position":
            title = say("Position {position}", position=place)
            text = say("Which place the token has, as {width} learned numbers; length {length}.")
        case _:
            title = say("Input of “{token}”", token=isolated(token))
            text = say("The embeddings added up, number by number; length {length}.")
    return Caption(title, text.format(width=numbers.count(vector.shape[1]), length=length))


def _token(part: MapPart, reading: Reading) -> Caption:
    token = reading.shown_tokens[part.position]
    title = say("“{token}” at position {position}", token=isolated(token), position=part.position)
    if reading.encoding.parts[part.position] == "special":
        text = say("A marker that the model adds: not a word, but a place where it can collect information.")
        return Caption(title, text)
    text = say(
        "Number {id} of the {count} tokens in the vocabulary.",
        id=numbers.count(reading.request.input_ids[part.position]),
        count=numbers.count(reading.request.model.config.vocab_size),
    )
    return Caption(title, text)


def intro_of(reading: Reading) -> str:
    """What one sees."""
    if reading.masks:
        text = say(
            "Every line is one token of your text. Follow the thick line of {mask} from left to right: it starts "
            "as a mask and ends as a word; the words on it are the best guess so far. Click any part to open it.",
            mask=reading.request.model.tokenizer.mask_token,
        )
    else:
        text = say(
            "Every line is one token of your text, from left to right through all layers. Hover over a line to "
            "follow it; mask a token (M) to have it guessed. Click any part to open it."
        )
    return text if reading.encoding.text_b is None else f"{text} {say('Blue: A. Orange: B.')}"


def comparison_in_words(reading: Reading, compared: ComparedLines, *, wants_difference: bool) -> str:
    """What a person sees of both; the colours have a key of their own."""
    hold = say("Hold X to see the baseline’s map.")
    baseline = reading.baseline
    words = say("Grey: the guess {there}, where it is a different word.")
    if baseline is not None and len(baseline.trace.hidden_states) != len(reading.trace.hidden_states):
        words = say("Grey: the final guess {there}, if it is a different word.")
    words = words.format(there=where_compared(reading))
    lines = compared.problem or say("The stronger a line’s colour, the more that token differs.")
    parts = (lines if wants_difference else "", words if "mlm" in reading.request.model.output_heads else "", hold)
    return " ".join(part for part in parts if part)


def section_captions(reading: Reading, words: Mapping[tuple[int, ...], str]) -> dict[str, Caption]:
    """What happens in each part, below it. words: as they were typed, by the positions of their tokens."""
    config = reading.request.model.config
    masked = set(reading.request.masked)
    parts = (found for found in words if len(found) > 1 and not masked.intersection(found))
    split = next(parts, None)
    if split is None:
        cut = say("Text is cut into tokens; rare words into several pieces.")
    else:
        pieces = " + ".join(reading.shown_tokens[position] for position in split)
        cut = say("Rare words are cut: “{word}” is {pieces}.", word=words[split], pieces=pieces)
        if "##" in pieces:
            continues = say("##: it continues the word.")
            cut = f"{cut} {continues}"
    texts = {
        "cut": cut,
        "add": say(
            "Each token becomes {count} numbers (red: above 0, blue: below): its learned vectors, added up.",
            count=numbers.count(config.embedding_width),
        ),
        "look": say(
            "Above the lines, {heads} heads per layer let each token look at the others; what they find is added "
            "(⊕) to the lines at the pale bar below. Blue frame: the selected head.",
            heads=config.num_attention_heads,
        ),
        "think": say(
            "Below, {neurons} neurons per layer work on each token alone, and ⊕ adds that too. Row: token. Column: "
            "active neuron.",
            neurons=numbers.count(config.intermediate_size),
        ),
        "answer": _reads(reading),
    }
    return {name: Caption(say(title), texts[name], say(link)) for name, (title, link, _door) in SECTIONS.items()}


def _reads(reading: Reading) -> str:
    """Which lines lead to an answer."""
    tokens = [reading.shown_tokens[0]] if verdict_of(reading) is not None else []
    tokens += [reading.shown_tokens[mask.position] for mask in reading.masks[:1]]
    if not tokens:
        return say("After the last layer the lines can be read: as words, as a yes or no.")
    count = numbers.count(reading.request.model.config.vocab_size)
    if not reading.masks and "mlm" in reading.request.model.output_heads:
        return say(
            "Each answer comes from one line: yes or no from {token}, “What fits?” from the word.", token=tokens[0]
        )
    if len(tokens) == 1:
        return say("Here the model uses only the line of {token}.", token=tokens[0])
    return say(
        "Here the model uses only the lines of {first} and {mask}. It picks the likeliest of {count} tokens.",
        first=tokens[0],
        mask=tokens[1],
        count=count,
    )
