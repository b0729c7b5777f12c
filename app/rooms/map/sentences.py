"""What each part of the map is, in one plain sentence with the numbers of this pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QCoreApplication

from ...look import numbers
from ...look.bidi import isolated
from ...look.language import QT_TRANSLATE_NOOP
from .content import Caption, embedding
from .plan import MapPart

if TYPE_CHECKING:
    from ...compute.feed_forward import FeedForwardActivity
    from ...state.readings import Reading
    from .compared import ComparedLines
    from .content import Answer

translate = QCoreApplication.translate
HABITS = {  # kind of a head -> what it does
    "previous token": QT_TRANSLATE_NOOP("Map", "Each token looks at the one before it: {share} of the attention."),
    "next token": QT_TRANSLATE_NOOP("Map", "Each token looks at the one after it: {share} of the attention."),
    "same token": QT_TRANSLATE_NOOP("Map", "Each token looks at itself: {share} of the attention."),
    "same word in the other sentence": QT_TRANSLATE_NOOP("Map", "It finds the same word in the other sentence."),
    "same word elsewhere": QT_TRANSLATE_NOOP("Map", "It finds other places with the same word."),
    "[CLS]/[SEP] sink": QT_TRANSLATE_NOOP(
        "Map", "Tokens look at the special tokens: {share} of the attention. Often that means: nothing to do here."
    ),
    "local": QT_TRANSLATE_NOOP("Map", "Each token looks at its neighbours."),
    "broad": QT_TRANSLATE_NOOP("Map", "Each token looks at nearly everything at once."),
    "mixed": QT_TRANSLATE_NOOP("Map", "It has no single habit in this text."),
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
            title = translate("Map", "Layer {layer}, step by step").format(layer=part.layer + 1)
            return Caption(title, translate("Map", "Every number between what enters this layer and what leaves it."))
        case "answer":
            title = translate("Map", "All predictions")
            return Caption(title, translate("Map", "The line is compared with every token of the vocabulary."))
        case "verdict":
            first = reading.shown_tokens[0]
            text = translate("Map", "Read from the line of {token} alone.").format(token=isolated(first))
            return Caption(translate("Map", "The two sentences"), text)
        case "section":
            return Caption("", "")


def _head(part: MapPart, reading: Reading, position: int) -> Caption:
    from bertcore.analysis.attention_heads import classify_heads

    name = translate("Map", "Layer {layer} · Head {head}").format(layer=part.layer + 1, head=part.head + 1)
    what_if = reading.request.what_if
    if (part.layer, part.head) in what_if.heads_off or part.layer in what_if.layers_off:
        return Caption(name, translate("Map", "Switched off: it adds nothing."))
    attention, tokens = reading.trace.attentions[part.layer, part.head], reading.shown_tokens
    kind = classify_heads(attention[None], reading.encoding)[0]
    habit = translate("Map", HABITS[kind.kind]).format(share=numbers.percent(kind.score))
    row = attention[position]
    looks = translate("Map", "“{token}” looks most at “{other}”: {share}.").format(
        token=isolated(tokens[position]),
        other=isolated(tokens[int(row.argmax())]),
        share=numbers.percent(float(row.max())),
    )
    return Caption(name, f"{habit} {looks}")


def _feed_forward(
    part: MapPart, reading: Reading, position: int, activity: FeedForwardActivity | None, rows: list[int]
) -> Caption:
    config = reading.request.model.config
    title = translate("Map", "Layer {layer} · Feed-forward").format(layer=part.layer + 1)
    text = translate("Map", "{count} neurons work on each token alone; what they find is added to its line.").format(
        count=numbers.count(config.intermediate_size)
    )
    if activity is not None and position in rows:
        values = activity.activations[part.layer, rows.index(position)]
        best = int(values.argmax())
        fires = translate(
            "Map", "The picture has those {count} that fire most. At “{token}”: neuron {neuron}, {value}."
        )
        more = fires.format(
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
        title = translate("Map", "Layer {layer} · Attention is added").format(layer=part.layer + 1)
        text = translate("Map", "What the heads found is added to each line, so nothing that was there is lost.")
    else:
        title = translate("Map", "Layer {layer} · Feed-forward is added").format(layer=part.layer + 1)
        text = translate("Map", "What the neurons found is added to each line.")
    norm = (
        translate("Map", "In this model LayerNorm comes before each half of a layer.")
        if is_pre
        else translate("Map", "LayerNorm then brings every line back to the same scale.")
    )
    return Caption(title, f"{text} {norm}")


def _state(part: MapPart, reading: Reading, answer: Answer) -> Caption:
    token = reading.shown_tokens[part.position]
    width = numbers.count(reading.trace.hidden_states.shape[-1])
    if part.stage:
        title = translate("Map", "“{token}” after layer {layer}").format(token=isolated(token), layer=part.stage)
    else:
        title = translate("Map", "“{token}” before the first layer").format(token=isolated(token))
    text = translate("Map", "The line is a list of {width} numbers.").format(width=width)
    if part.position == answer.position and answer.guesses:
        guess = answer.guesses[part.stage]
        text = translate("Map", "Best guess if the model stopped here: “{word}”, {share}.").format(
            word=isolated(guess.token), share=numbers.percent(guess.probability)
        )
    return Caption(title, text)


def with_comparison(caption: Caption, part: MapPart, answer: Answer, compared: ComparedLines | None) -> Caption:
    """The same of a line, with what the baseline has there."""
    texts = [caption.text]
    before = answer.guess_before(part.stage) if part.position == answer.position and answer.guesses else None
    if before is not None:
        texts.append(
            translate("Map", "With the baseline: “{word}”, {share}.").format(
                word=isolated(before.token), share=numbers.percent(before.probability)
            )
        )
    distances = None if compared is None else compared.distances
    if distances is not None:
        distance = float(distances[part.position, part.stage])
        text = translate("Map", "Its cosine with the baseline’s line is {cosine}.")
        if np.isnan(distance):
            text = translate("Map", "The baseline has no such token.")
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
            title = translate("Map", "Token embedding of “{token}”").format(token=isolated(token))
            text = translate("Map", "Which token it is, as {width} learned numbers; length {length}.")
        case "segment":
            title = translate("Map", "Segment {letter}").format(letter="AB"[min(segment, 1)])
            text = translate("Map", "Which sentence the token is in, as {width} learned numbers; length {length}.")
        case "position":
            title = translate("Map", "Position {position}").format(position=place)
            text = translate("Map", "Which place the token has, as {width} learned numbers; length {length}.")
        case _:
            title = translate("Map", "Input of “{token}”").format(token=isolated(token))
            text = translate("Map", "The embeddings added up, number by number; length {length}.")
    return Caption(title, text.format(width=numbers.count(vector.shape[1]), length=length))


def _token(part: MapPart, reading: Reading) -> Caption:
    token = reading.shown_tokens[part.position]
    title = translate("Map", "“{token}” at position {position}").format(token=isolated(token), position=part.position)
    if reading.encoding.parts[part.position] == "special":
        text = translate(
            "Map", "A marker that the model adds: not a word, but a place where it can collect information."
        )
        return Caption(title, text)
    text = translate("Map", "Number {id} of the {count} tokens in the vocabulary.").format(
        id=numbers.count(reading.request.input_ids[part.position]),
        count=numbers.count(reading.request.model.config.vocab_size),
    )
    return Caption(title, text)
