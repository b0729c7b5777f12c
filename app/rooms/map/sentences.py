"""What each part of the map is, in one plain sentence with the numbers of this pass."""

from collections.abc import Mapping

import numpy as np

from ...look import mark, numbers, say
from ...look.say import isolated
from ...state.baseline_names import beside, is_earlier, where_compared
from ...state.readings import Reading
from ...state.verdicts import first_token, question_for, verdict_of
from .content import EMBEDDINGS, SECTIONS, Answer, Caption, Content, Distances, embedding
from .plan import MapPart
from .task_end import has_task_end, lines_of_task

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


def caption_of(part: MapPart, reading: Reading, answer: Answer, content: Content) -> Caption:
    """What a part is; of what is of one token, with the numbers of that token or of the followed one."""
    layer, tokens, config = part.layer + 1, reading.shown_tokens, reading.request.model.config
    token = isolated(tokens[part.position]) if part.position >= 0 else ""
    match part.kind:
        case "head":
            title = say("Layer {layer} · Head {head}", layer=layer, head=part.head + 1)
            return Caption(title, _head(part, reading, answer))
        case "feed_forward":
            text = say(
                "{count} neurons work on each token alone; what they find is added to its line.",
                count=numbers.count(config.intermediate_size),
            )
            activity, rows = content.activity, content.activity_rows
            if activity is not None and answer.position in rows:
                values = activity.activations[part.layer, rows.index(answer.position)]
                best = int(values.argmax())
                strongest = say(
                    "The picture has those {count} that fire most. At “{token}”: neuron {neuron}, {value}.",
                    count=len(values),
                    token=isolated(tokens[answer.position]),
                    neuron=int(activity.neurons[part.layer, best]),
                    value=numbers.decimal(float(values[best])),
                )
                text = f"{text} {strongest}"
            return Caption(say("Layer {layer} · Feed-forward", layer=layer), text)
        case "attention_sum" | "feed_forward_sum":
            title = say("Layer {layer} · Feed-forward is added", layer=layer)
            text = say("What the neurons found is added to each line.")
            if part.kind == "attention_sum":
                title = say("Layer {layer} · Attention is added", layer=layer)
                text = say("What the heads found is added to each line, so nothing that was there is lost.")
            norm = say("LayerNorm then brings every line back to the same scale.")
            if config.norm == "pre":
                norm = say("In this model LayerNorm comes before each half of a layer.")
            return Caption(title, f"{text} {norm}")
        case "state":
            title = say("“{token}” before the first layer", token=token)
            if part.stage:
                title = say("“{token}” after layer {layer}", token=token, layer=part.stage)
            return Caption(title, _state(part, reading, answer, content.distances))
        case "embedding":
            return _embedding(part, reading, token)
        case "word" | "token":
            text = say("A marker that the model adds: not a word, but a place where it can collect information.")
            if reading.encoding.parts[part.position] != "special":
                text = say(
                    "Number {id} of the {count} tokens in the vocabulary.",
                    id=numbers.count(reading.request.input_ids[part.position]),
                    count=numbers.count(config.vocab_size),
                )
            return Caption(say("“{token}” at position {position}", token=token, position=part.position), text)
        case "layer":
            title = say("Layer {layer}, step by step", layer=layer)
            return Caption(title, say("Every number between what enters this layer and what leaves it."))
        case "answer" | "end" if answer.task:
            return Caption(answer.ends.get(part.position) or answer.title, lines_of_task(reading))
        case "answer":
            text = say("The line is compared with every token of the vocabulary.")
            return Caption(say("All predictions"), text)
        case "verdict":
            text = say("Read from the line of {token} alone.", token=isolated(tokens[0]))
            return Caption(say("The two sentences"), text)
    return Caption()


def _head(part: MapPart, reading: Reading, answer: Answer) -> str:
    from bertcore.analysis.attention_heads import classify_heads

    what_if, tokens = reading.request.what_if, reading.shown_tokens
    if (part.layer, part.head) in what_if.heads_off or part.layer in what_if.layers_off:
        return say("Switched off: it adds nothing.")
    attention = reading.trace.attentions[part.layer, part.head]
    kind, row = classify_heads(attention[None], reading.encoding)[0], attention[answer.position]
    looks = say(
        "“{token}” looks most at “{other}”: {share}.",
        token=isolated(tokens[answer.position]),
        other=isolated(tokens[int(row.argmax())]),
        share=numbers.percent(float(row.max())),
    )
    return f"{say(HABITS[kind.kind], share=numbers.percent(kind.score))} {looks}"


def head_that_looks(reading: Reading, layer: int, position: int) -> tuple[int, int]:
    """The head in which a token looks most at another word, as far as there is one; and what it looks at most there."""
    rows = np.array(reading.trace.attentions[layer, :, position])  # (N,S)
    others = [part != "special" and at != position for at, part in enumerate(reading.encoding.parts)]
    head = int((rows * np.array(others)).max(1).argmax())
    return head, int(rows[head].argmax())


def step_caption(kind: str, layer: int, content: Content, answer: Answer) -> Caption:
    """What happens in a step of the film. kind: of a section; layer: -1 for none."""
    if kind == "cut":
        return content.captions[kind]
    if kind == "answer":
        if answer.words and not content.reading.masks and not answer.task:
            word, share = answer.words[0]
            text = mark(
                "Nothing is masked, so the model can see the word itself. Its first guess: “{word}”, {share}. Mask a "
                "token (M) to hide it."
            )
            shown = say(text, word=isolated(word), share=numbers.percent(share))
            return Caption(content.captions[kind].title, shown)
        words = ", ".join(f"{word} {numbers.percent(share)}" for word, share in answer.words[:3])
        between = " " if answer.title.endswith("?") or not words else ": "
        return Caption(content.captions[kind].title, f"{answer.title}{between}{words}")
    part = MapPart("embedding", position=answer.position, name="sum")
    if kind == "look":
        part = MapPart("head", layer, head_that_looks(content.reading, layer, answer.position)[0])
    elif kind == "think":
        after = MapPart("state", layer, position=answer.position, stage=layer + 1)
        part = after if answer.guesses else MapPart("feed_forward", layer)
    return caption_of(part, content.reading, answer, content)


def _state(part: MapPart, reading: Reading, answer: Answer, distances: Distances | None) -> str:
    """A place of a line: what would be read from it, and what the baseline has there."""
    texts = [say("The line is a list of {width} numbers.", width=numbers.count(reading.trace.hidden_states.shape[-1]))]
    if part.position == answer.position and answer.guesses:
        guess, baseline = answer.guesses[part.stage], answer.baseline_guess(part.stage)
        word, share = isolated(guess.token), numbers.percent(guess.probability)
        texts = [say("Best guess if the model stopped here: “{word}”, {share}.", word=word, share=share)]
        if baseline is not None:
            word, share = isolated(baseline.token), numbers.percent(baseline.probability)
            texts.append(say("With the baseline: “{word}”, {share}.", word=word, share=share))
    if distances is not None and distances.values is not None:
        cosine = 1 - float(distances.values[part.position, part.stage])
        text = say("Its cosine with the baseline’s line is {cosine}.", cosine=numbers.decimal(cosine))
        texts.append(say("The baseline has no such token.") if np.isnan(cosine) else text)
    return " ".join(texts)


def _embedding(part: MapPart, reading: Reading, token: str) -> Caption:
    vector, position = embedding(reading, part.name), part.position
    assert vector is not None
    width, length = numbers.count(vector.shape[1]), numbers.decimal(float(np.linalg.norm(vector[position])))
    title = say("Input of “{token}”", token=token)
    found = (embedding(reading, name) for name in EMBEDDINGS if name not in reading.request.what_if.dropped)
    *first, total = (numbers.decimal(float(one[position, 0]), 3) for one in found if one is not None)
    terms = " + ".join(first).replace("+ −", "− ")
    text = say(
        "Its embeddings added up, number by number; the first of {width}: {terms} ≈ {total}.",
        width=width,
        terms=terms,
        total=total,
    )
    if part.name == "token":
        title = say("Token embedding of “{token}”", token=token)
        text = say("Which token it is, as {width} learned numbers; length {length}.", width=width, length=length)
    elif part.name == "segment":
        title = say("Segment {letter}", letter="AB"[min(reading.request.segments[position], 1)])
        text = say(
            "Which sentence the token is in, as {width} learned numbers; length {length}.", width=width, length=length
        )
    elif part.name == "position":
        title = say("Position {position}", position=(reading.request.positions or range(position + 1))[position])
        text = say(
            "Which place the token has, as {width} learned numbers; length {length}.", width=width, length=length
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
        text = mark("Every line is one token of your text. Hover over a line to follow it, click any part to open it.")
        if "mlm" in reading.request.model.output_heads:
            text = mark(
                "Every line is one token of your text, from left to right through all layers. Hover over a line to "
                "follow it; mask a token (M) to have it guessed. Click any part to open it."
            )
        text = say(text)
    return text if reading.encoding.text_b is None else f"{text} {say('Blue: A. Orange: B.')}"


def comparison_in_words(reading: Reading, distances: Distances, *, wants_difference: bool) -> str:
    """What a person sees of both; the colours have a key of their own."""
    baseline, there = reading.baseline, where_compared(reading)
    words = say("Grey: the guess {there}, where it is a different word.", there=there)
    if baseline is not None and len(baseline.trace.hidden_states) != len(reading.trace.hidden_states):
        words = say("Grey: the final guess {there}, if it is a different word.", there=there)
    lines = distances.problem or say("The stronger a line’s colour, the more that token differs.")
    has_words, hold = "mlm" in reading.request.model.output_heads, say("Hold X to see the baseline’s map.")
    return " ".join([*([lines] if wants_difference else []), *([words] if has_words else []), hold])


def pair_in_words(reading: Reading) -> Caption:
    """The question about A and B; the answer beside that of the baseline, or why there is none."""
    question, verdict = question_for(reading.request.model), verdict_of(reading)
    if verdict is None and has_task_end(reading):
        return Caption()
    baseline = None if reading.baseline is None else verdict_of(reading.baseline)
    text = question.missing or say("Open Predict for the answer.")
    if verdict is not None and baseline is not None:
        share = beside(numbers.percent(baseline.share, fine=True), is_earlier(reading))
        text = f"{verdict.number} ({share})"
    elif verdict is not None:
        text = f"{verdict.number}, {say('from {token}', token=first_token(reading))}"
    elif reading.encoding.text_b is None:
        text = question.missing or question.invitation
    return Caption(question.title, text)


def section_captions(reading: Reading, words: Mapping[tuple[int, ...], str]) -> dict[str, Caption]:
    """What happens in each part, below it. words: as they were typed, by the positions of their tokens."""
    config = reading.request.model.config
    masked = set(reading.request.masked)
    parts = (found for found in words if len(found) > 1 and not masked.intersection(found))
    split = next(parts, None)
    if split is None:
        count = len(reading.encoding)
        text = mark("The text becomes %n token(s). Rare words are cut into several pieces; others are one token.")
        cut = say(text, n=count)
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
            "Above, {heads} heads per layer let each token look at the others. What they find is added (⊕) at the pale "
            "bar. Blue frame: the selected head.",
            heads=config.num_attention_heads,
        ),
        "think": say(
            "Below, {neurons} neurons per layer work on each token alone, and ⊕ adds that too. Row: token. Column: "
            "active neuron.",
            neurons=numbers.count(config.intermediate_size),
        ),
        "answer": _reads(reading),
    }
    links = {name: say(link) for name, (_title, link, _door) in SECTIONS.items()}
    links["answer"] = say("Apply") if has_task_end(reading) and reading.request.model.task else links["answer"]
    return {name: Caption(say(title), texts[name], links[name]) for name, (title, _link, _door) in SECTIONS.items()}


def _reads(reading: Reading) -> str:
    """Which lines lead to an answer."""
    if has_task_end(reading):
        return lines_of_task(reading)
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
