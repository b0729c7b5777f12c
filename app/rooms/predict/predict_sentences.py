"""The sentences of the room Predict that depend on numbers: each a function from values to words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...compute.head_questions import HeadTarget, odds
from ...compute.masks import FilledMask, MaskLens
from ...compute.text_scores import ScoredPairs, ScoredTexts
from ...look import mark, numbers, say
from ...look.say import isolated, quoted
from ...state import OtherText
from ...state.baseline_names import baseline_name, beside, where_compared, where_first
from ...state.readings import ComparedMask, MaskReading, Reading, WordChange

if TYPE_CHECKING:
    from bertcore.analysis.effects import Attribution
    from bertcore.analysis.predict import WordGuess
    from bertcore.analysis.words import Surprise
    from bertcore.evaluation.sets import Estimate

    from ...figures.values import Values


MOST_ROWS = 4  # of a template: words that have a sentence of their own
LEAST_FACTOR = 1.05  # less is no difference
LEAST_CHANGE = 0.05  # of a probability, as a share of it: less is not worth an arrow
LEAST_EXACT = 0.001  # of a probability: what is less has an exponent, or is "under 0.1%"
MOST_NAMED = 6
A_LOT = 1 / 3  # of the largest share

# Masks.


def masking_runs_sentence(shares: np.ndarray) -> str:
    """shares (4,W): for each fate, where models find the token; trained with 80 / 10 / 10, with [MASK] alone, ..."""
    both, alone, kept, kept_alone = map(numbers.percent, (*shares[0, :2].tolist(), *shares[2, :2].tolist()))
    return say(
        "At [MASK] there is hardly a difference, and it may be chance: trained with 80 / 10 / 10, {both} are right, "
        "with [MASK] alone {alone}. But where the token is left as it is, these are {kept} and {kept_alone}: with "
        "[MASK] alone, the model never had to predict anything there, and real texts have no [MASK]. Means of three "
        "runs each.",
        both=both,
        alone=alone,
        kept=kept,
        kept_alone=kept_alone,
    )


def mask_token(reading: Reading) -> str:
    """What the model's vocabulary calls its mask."""
    return reading.request.model.tokenizer.mask_token or ""


def mask_name(reading: Reading, mask: MaskReading) -> str:
    """One of several: "[MASK] (2) hides “boy”"."""
    name = reading.mask_name(mask.position)
    return name if mask.was is None else say("{mask} hides “{word}”", mask=name, word=isolated(mask.was.token))


def missing_words(reading: Reading) -> str:
    """Why this model predicts no words; empty where it does."""
    model = reading.request.model
    if "mlm" in model.output_heads:
        return ""
    return model.missing.get("mlm", say("This model has no masked-word (MLM) head."))


def hidden_word(reading: MaskReading, mask: str) -> str:
    """Which word a mask hides, and how the model takes it. mask: what the model calls its mask."""
    if reading.was is None or reading.rank is None:
        return say("{mask} is in the text", mask=mask)
    rank, is_technical = reading.rank, numbers.is_technical()
    # What the model puts first does not surprise it, however unsure it is.
    bits = numbers.surprise(rank.surprise_bits if is_technical or rank.rank > 1 else 0.0)
    surprise, chance = say("surprise {bits}", bits=bits) if is_technical else bits, numbers.percent(rank.probability)
    text, word = mark("hides “{word}” · rank {rank} · probability {probability} · {surprise}"), reading.was.token
    return say(text, word=isolated(word), rank=numbers.count(rank.rank), probability=chance, surprise=surprise)


def change_of(before: WordChange | WordGuess, now: WordGuess) -> tuple[int, str]:
    """Its sign, and how many times as likely: "▲ ×2.2"; nothing where it is the same but for rounding."""
    factor = now.probability / before.probability if before.probability > 0 else float("inf")
    if abs(factor - 1) < LEAST_CHANGE:
        return 0, ""
    return (1 if factor > 1 else -1), f"{'▲' if factor > 1 else '▼'} ×{numbers.number(factor, 2)}"


def first_guesses(reading: Reading, compared: ComparedMask, now: WordGuess) -> str:
    """The likeliest word with the baseline and now."""
    was, text = compared.words[0], mark("{where}: “{word}” {probability} → now: “{new_word}” {new_probability}")
    words: dict[str, Any] = {"word": isolated(was.token), "new_word": isolated(now.token)}
    return say(text, where=where_first(reading), probability=fine(was), new_probability=fine(now), **words)


def fine(word: WordGuess) -> str:
    """A probability beside another, which it differs from by little."""
    return numbers.probability(word.probability, fine=True)


def shift_intro(compared: ComparedMask) -> str:
    """What lines between two lists of words mean."""
    kept = {change.baseline_id for change in compared.changes.values()}
    is_any_lost = any(word.id not in kept for word in compared.words)
    sentences = (
        say("Red: more likely now. Blue: less likely. Thicker line: more percentage points."),
        say("Grey on the left: not in the list any more.") if is_any_lost else "",
        say("Click a word on the right to insert it."),
    )
    return " ".join(filter(None, sentences))


def replaced_sentence(judged: Sequence[str], count: int) -> str:
    """judged: the tokens judged to be replaced, likeliest first, out of `count` without special ones."""
    if not judged:
        return say("It judges every token to be original.")
    named = ", ".join(judged[:MOST_NAMED]) + (" …" if len(judged) > MOST_NAMED else "")
    text = mark("It judges {number} of {count} tokens to be replaced: {tokens}")
    return say(text, number=len(judged), count=count, tokens=named)


def joint_probability(steps: Sequence[FilledMask]) -> str:
    """The product of the steps, which depends on their order."""
    if not steps:
        return ""
    probability = numbers.number(math.prod(step.word.probability for step in steps), 2)
    return say("All words together, in this order: probability {probability}.", probability=probability)


# Layer by layer.


def stage_name(stage: int) -> str:
    """0 is what enters the first layer."""
    return say("layer {layer}", layer=stage) if stage else say("embeddings")


def describe(stage: int, words: Sequence[WordGuess], baseline: WordGuess | None = None) -> str:
    """The likeliest words after a layer, and the likeliest with the baseline."""
    listed = f"{stage_name(stage)}: {', '.join(map(_guess, words))}"
    if baseline is None:
        return listed
    text = mark("{now}; with the baseline: {word} {probability}")
    return say(text, now=listed, word=baseline.token, probability=numbers.decimal(baseline.probability, 4))


def _guess(word: WordGuess) -> str:
    return f"{word.token} {numbers.decimal(word.probability, 4)}"


def cell_texts(guess: WordGuess, baseline: WordGuess | None, *, earlier: bool) -> list[str]:
    """What a cell says, the longest first; the last one is shown even where it is too long."""
    texts = [f"{guess.token}  {numbers.probability(guess.probability)}", guess.token]
    if baseline is None:
        return texts
    now, theirs = (f"{quoted(one.token)} {fine(one)}" for one in (guess, baseline))
    return [f"{now}  ({beside(theirs, earlier)})", *texts]


def exact(probability: float, *, fine: bool) -> str:
    """Small ones too, where numbers are technical: on their way words come from far below."""
    if numbers.is_technical() and probability < LEAST_EXACT:
        return numbers.number(probability, 2)
    return numbers.probability(probability, fine=fine)


def rank_note(rank: int | None, baseline: float | None, *, earlier: bool) -> str:
    """Behind a probability: the word's rank, and the baseline's probability."""
    parts = [] if rank is None else [say("rank {rank}", rank=numbers.count(rank))]
    if baseline is not None and baseline >= LEAST_EXACT:
        parts.append(f"({beside(numbers.probability(baseline, fine=True), earlier)})")
    return "  ".join(parts)


def stage_names(lens: MaskLens) -> list[str]:
    return [stage_name(stage) for stage in range(len(lens.words))]


def top_guesses(lens: MaskLens, mask: int) -> list[str]:
    """(L+1) the likeliest word at a mask at each stage."""
    return [stage[mask][0].token for stage in lens.words]


def decided_sentence(lens: MaskLens, mask: int) -> str:
    """Of the word that is likeliest in the end."""
    tops = top_guesses(lens, mask)
    return word_sentence(tops[-1], lens.probability[:, mask], lens.rank[:, mask], tops)


def word_sentence(word: str, chances: np.ndarray, ranks: np.ndarray | None, tops: Sequence[str]) -> str:
    """In which layers a word leads at a mask, and where it wins.

    chances, ranks (L+1): of the word; ranks None for a word of several pieces. tops (L+1): the likeliest words.
    """
    from bertcore.analysis.predict import decided_at

    last = len(chances) - 1
    named: dict[str, Any] = {"word": isolated(word), "share": numbers.percent(float(chances[-1]))}
    if ranks is None:
        named["stage"] = stage_name(int(chances.argmax()))
        return say("“{word}” is most likely after {stage}; its final probability is {share}.", **named)
    decided, best, named["rank"] = decided_at(ranks), int(ranks.min()), numbers.count(int(ranks[-1]))
    if decided == 0:
        return say("“{word}” leads from the embeddings to the last layer ({share}).", **named)
    if best > 1:
        text = mark(
            "“{word}” never ranks first; its best rank is {best}, after {stage}. Its final probability is {share}, "
            "rank {rank}."
        )
        return say(text, best=numbers.count(best), stage=stage_name(int(ranks.argmin())), **named)
    first = (ranks == 1).tolist().index(True)
    if decided == first:
        named |= {"layer": first, "before": isolated(tops[first - 1])}
        if first < last:
            text = mark(
                "“{word}” leads from layer {layer} ({at_first}) to the last ({share}); just before, the guess is "
                "“{before}”."
            )
            return say(text, at_first=numbers.percent(float(chances[first])), **named)
        text = mark("“{word}” wins only in the last layer ({share}); {until}, the guess is “{before}”.")
        if first > 1 and tops[first - 2] == tops[first - 1]:
            text = mark("“{word}” wins only in the last layer ({share}); {until}, the guess is still “{before}”.")
        until = say("after layer {layer}", layer=last - 1) if last > 1 else say("before the first layer")
        return say(text, until=until, **named)
    lost = next(stage for stage in range(first, last + 1) if ranks[stage] != 1)  # where it is overtaken
    named |= {"where": _led(first, lost - 1), "other": isolated(tops[lost]), "lost": lost, "layer": decided}
    text = mark(
        "“{word}” leads {where}, “{other}” overtakes it in layer {lost}, and “{word}” leads again from layer "
        "{layer} to the last ({share})."
    )
    if decided is None:
        text = mark("“{word}” leads {where}, but not at the end: its final probability is {share}, rank {rank}.")
    elif decided == last:
        text = mark(
            "“{word}” leads {where}, “{other}” overtakes it in layer {lost}, and “{word}” wins in layer {layer}, the "
            "last ({share})."
        )
    return say(text, **named)


def _led(first: int, last: int) -> str:
    """Where a word leads, as a part of a sentence."""
    if last == 0:
        return say("before the first layer")
    if first == 0:
        return say("up to layer {layer}", layer=last)
    if first == last:
        return say("in layer {layer}", layer=first)
    return say(
        "in layers {first} and {last}" if last == first + 1 else "in layers {first} to {last}", first=first, last=last
    )


# Surprise.


def perplexities(found: Surprise, baseline: Surprise | None, reading: Reading) -> str:
    """Of this reading, and beside it of its baseline; one digit: two would not follow from the mean as it is shown."""

    def written(one: Surprise, of: Reading) -> str:
        number = numbers.decimal(one.pseudo_perplexity, 1)
        is_worse = one.pseudo_perplexity > of.request.model.config.vocab_size
        return say("{perplexity} (worse than guessing at random)", perplexity=number) if is_worse else number

    text = mark("pseudo-perplexity {perplexity}")
    if not numbers.is_technical():
        text = mark("As unsure as among {perplexity} equally likely words")
    text = say(text, perplexity=written(found, reading))
    if baseline is None or not len(baseline.bits) or reading.baseline is None:
        return text
    theirs = mark("baseline {perplexity}")
    if len(baseline.bits) != len(found.bits):
        theirs = mark("baseline {perplexity} (not directly comparable)")
    return f"{text} · {say(theirs, perplexity=written(baseline, reading.baseline))}"


def surprise_sentences(
    found: Surprise, baseline: Surprise | None, reading: Reading, *, words: bool, has_gaps: bool
) -> str:
    """What the numbers mean, and where they cannot be compared.

    words: whole words are shown. has_gaps: some of the words that changed have no counterpart.
    """
    sentences = []
    if reading.baseline is not None and baseline is not None:
        sentences.append(say("Left of the arrow: the surprise {there}.", there=where_compared(reading)))
        if has_gaps:
            sentences.append(say("Striped: nothing to compare with in {baseline}.", baseline=baseline_name(reading)))
        if len(baseline.bits) and len(baseline.bits) != len(found.bits):
            counts: dict[str, Any] = {
                "ours": numbers.count(len(found.bits)),
                "theirs": numbers.count(len(baseline.bits)),
            }
            text = mark(
                "The two numbers are taken over {ours} and {theirs} tokens, because {baseline} cuts the "
                "text differently."
            )
            if isinstance(reading.request.baseline, OtherText):
                text = mark("The two numbers are taken over {ours} and {theirs} tokens, because they are of two texts.")
            sentences.append(say(text, baseline=baseline_name(reading), **counts))
    text = mark(
        "0: certain. 1: a coin toss. 10: one in a thousand. The number above says how unsure the model is on average: "
        "as if it chose among that many equally likely words."
    )
    if numbers.is_technical():
        text = mark(
            "0 bits: certain. 1 bit: a coin toss. 10 bits: one in a thousand. Pseudo-perplexity: as if the model chose "
            "among that many equally likely words; 2 to the power of the mean, {mean} bits over {count} tokens."
        )
    text = say(
        text,
        mean=numbers.decimal(float(found.bits.mean()), 3),
        count=numbers.count(len(found.bits)),
    )
    sentences.append(text)
    if words:
        sentences.append(say("Words: all pieces of a word are masked together, and their surprise added up."))
    if reading.request.what_if:
        sentences.append(say("Your changes inside the model are included."))
    return " ".join(sentences)


# Many texts.


def template_means(scored: ScoredTexts) -> str:
    """Which words of a template the model finds more likely, and the means behind that; empty without a template."""
    if not scored.means:
        return ""
    findings = _by_row(scored) or [_finding(scored, *means.items()) for means in scored.means if len(means) == 2]
    listed = (
        ", ".join(f"{word or numbers.MISSING} {written_mean(scored, value)}" for word, value in means.items())
        for means in scored.means
    )
    text = mark("Mean ln p (nearer to 0: more likely): {means}.")
    if scored.is_of_word:
        text = mark("Mean probability of the word at [MASK]: {means}.")
    return " ".join([*filter(None, findings), say(text, means="; ".join(listed))])


def written_mean(scored: ScoredTexts, value: float) -> str:
    return numbers.probability(value) if scored.is_of_word else numbers.decimal(value)


def _by_row(scored: ScoredTexts) -> list[str]:
    """Of two places, two words at the second: what each word at the first does to them."""
    values = scored.pairs()
    if values is None or values.shape[1] != 2 or len(values) > MOST_ROWS:
        return []
    rows, columns = (list(means) for means in scored.means)
    found = [(row, _finding(scored, *zip(columns, pair, strict=True))) for row, pair in zip(rows, values, strict=True)]
    return [say("With “{row}”: {finding}", row=isolated(row), finding=finding) for row, finding in found if finding]


def _finding(scored: ScoredTexts, first: tuple[str, float], second: tuple[str, float]) -> str:
    """(word, mean) of two words at one place; empty where the texts cannot be compared in that way."""
    if scored.is_of_word and (scored.word is None or not min(first[1], second[1]) > 0):
        return ""
    change = float(np.log(first[1] / second[1])) if scored.is_of_word else first[1] - second[1]
    more, less = (first, second) if change >= 0 else (second, first)
    factor = math.exp(min(abs(change), 700.0))
    text = mark("“{more}” makes the text {factor} times as likely as “{less}” does.")
    if factor < LEAST_FACTOR:
        text = mark("“{more}” and “{less}” are equally likely.")
    elif scored.is_of_word:
        text = mark("“{word}” is {factor} times as likely with “{more}” as with “{less}”.")
    named: dict[str, Any] = {"more": isolated(more[0]), "less": isolated(less[0]), "word": isolated(scored.word or "")}
    return say(text, factor=numbers.number(factor, 2), **named)


def standard_error(right: Estimate) -> str:
    """Nothing where all or none are right: the formula's 0 would promise what a few pairs cannot."""
    return f"± {numbers.percent(right.standard_error)}" if 0 < right.value < 1 else ""


def preferred(margin_bits: float) -> str:
    """Which sentence of a pair it finds more likely."""
    margin = numbers.decimal(abs(margin_bits))
    return say("✓ right by {margin}" if margin_bits > 0 else "✗ wrong by {margin}", margin=margin)


def pairs_result(scored: ScoredPairs) -> str:
    """How often the model prefers the right sentence of a minimal pair."""
    right = scored.right
    share = f"{numbers.percent(right.value)} {standard_error(right)}".rstrip()
    sentences = (
        say("It prefers the right sentence in {share} of %n pair(s); chance: 50%.", n=right.count, share=share),
        say("Dotted line: chance.") if any(scored.phenomena) else "",
        say(
            "±: the standard error, by how much the share would differ with other pairs of this kind; with all or none "
            "right it cannot be estimated."
        ),
    )
    return " ".join(filter(None, sentences))


# Which words decided.


def agreement(methods: Sequence[Values]) -> str:
    """The tokens that support an answer a lot by all methods; empty while one is at work."""
    if not all(one.array.max(initial=0.0) > 0 for one in methods):  # NaN is not, either
        return ""
    strong = [one.array >= A_LOT * one.array.max() for one in methods]
    both = np.flatnonzero(np.all(strong, axis=0)).tolist()
    if not both:
        return say("The methods name different words: trust none of them far.")
    names = ", ".join(quoted(methods[0].rows.labels[row]) for row in both)
    return say("Strong by every method (a third of the strongest, or more): {names}.", names=names)


def shares_note(target: HeadTarget, reading: Reading) -> str:
    """What the numbers on the tokens mean."""
    (first, second), is_technical = target.answers, numbers.is_technical()
    if target.is_score:
        unit = say("Change in the score.")
    elif target.is_contrast and is_technical:
        unit = say("Change in ln p of “{first}” − ln p of “{second}”, in nats.", first=first, second=second)
    elif target.is_contrast:
        text = mark("+0.7 on a word: it doubles the odds of “{first}” against “{second}”; −0.7 halves them.")
        unit = say(text, first=first, second=second)
    elif is_technical:
        unit = say("Change in the log-probability (ln p), in nats: +1 nat makes it 2.7 times as likely.")
    else:
        unit = say("+0.7 on a word: it makes the answer about twice as likely; −0.7: half as likely.")
    text = mark("A {mask} is hidden already, so it gets 0.")
    if is_technical:
        text = mark("A {mask} is hidden already, so two of the methods give it 0.")
    hidden = say(text, mask=mask_token(reading))
    scale = say("Each card has its own scale, symmetric around 0.")
    plain = say("Computed for the model without your changes.") if reading.unchanged is not None else ""
    return " ".join(filter(None, (unit, scale, hidden if reading.masks else "", plain)))


def share_unit(target: HeadTarget) -> str:
    if target.is_contrast:
        return say("share of the log odds, in nats")
    return say("share of the score") if target.is_score else say("share of the log-probability, in nats")


def share_sentence(target: HeadTarget, token: str, share: float, method: str) -> str:
    """One token's share, for the status line."""
    is_plain = target.is_score or not numbers.is_technical()
    text = mark("{token}: {value} · {method}") if is_plain else mark("{token}: {value} nats · {method}")
    return say(text, token=token, value=numbers.signed(share, 5), method=method)


def shares_summary(target: HeadTarget, found: Attribution) -> str:
    """What the shares add up to, and how far the sum is from what it should be; in plain words the probabilities."""
    is_technical, is_alone = target.is_score or numbers.is_technical(), found.baseline is None
    if target.is_score:
        name = say("Score")
    elif target.is_contrast:
        name = say("Log odds in nats") if is_technical else ""
    else:
        name = say("Log-probability in nats") if is_technical else say("Probability")

    def written(value: float | None) -> str:
        if value is None or is_technical:
            return numbers.signed(value, 3)
        return odds(target, value) if target.is_contrast else numbers.percent(math.exp(value), fine=not is_alone)

    of: dict[str, Any] = {"what": name, "now": written(found.value), "then": written(found.baseline)}
    if not name:
        text = (
            say("With this text {now}.", **of)
            if is_alone
            else say("With this text {now}; with every word masked {then}.", **of)
        )
    elif is_alone:
        text = say("{what} with this text: {now}.", **of)
    else:
        text = say("{what}: {now} with this text, {then} with every word masked.", **of)
    if found.baseline is None:
        return text
    if not is_technical:
        return f"{text} {say('The numbers show how much each word adds to the difference.')}"
    change, error = found.value - found.baseline, numbers.signed(found.completeness_error, 4)
    if change and found.completeness_error is not None:
        share = numbers.percent(abs(found.completeness_error / change))
        error = say("{error} ({share} of it)", error=error, share=share)
    total, change_text = numbers.signed(float(found.scores.sum()), 3), numbers.signed(change, 3)
    sums = mark("The tokens’ shares add up to {sum}, the change is {change}: completeness error {error}.")
    return f"{text} {say(sums, sum=total, change=change_text, error=error)}"
