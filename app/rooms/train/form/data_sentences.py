"""What a run would learn from and what it would take. Functions from values to a sentence."""

from dataclasses import dataclass, field
from typing import Any

from bertcore.training.data_facts import FileLayout, Lengths, RunEstimate, TaskFacts, TextFacts

from ....look import mark, numbers, say

LEAST_S = 0.5  # what takes less is not worth a word
BUSY = 0.6  # of the machine, by other programs
_TEXT_AND_LABEL = mark("Text A"), mark("Text B"), mark("Label")
_FITTING = mark("Nothing is cut: the longest of {counted} examples has {longest} tokens, and up to {limit} fit.")
_WINDOWS = mark(
    "%n of {counted} (is|are) longer than {limit} tokens, so the model reads (it|them) in overlapping windows."
)


@dataclass(frozen=True)
class Layout:
    """How a file may be laid out: what is said of it, what the columns of its examples are called, what is too long."""

    sentence: str = ""  # "": its columns are named
    titles: tuple[str, str, str] = _TEXT_AND_LABEL  # of text A, text B and label; "" where there is none
    roles: tuple[str, str, str] = ("text", "text_b", "label")  # of the columns with these titles
    labels: dict[str, str] = field(default_factory=dict)  # of labels that have no names in the file
    longer: str = mark("%n of {counted} (is|are) longer than {limit} tokens and will be cut.")
    fitting: str = _FITTING


def _plain(sentence: str) -> Layout:
    return Layout(
        sentence,
        ("", "", ""),
        longer=mark("%n of {counted} sentences (is|are) longer than {limit} tokens and read in pieces."),
        fitting=mark("Nothing is cut: the longest of {counted} sentences has {longest} tokens, and up to {limit} fit."),
    )


_LAYOUTS = {
    "table": Layout(),
    "cola": Layout(mark("CoLA’s own layout: four columns without names, with the label second and the sentence last.")),
    "conll": Layout(
        mark(
            "One word per line, with a blank line after each sentence. Words are in column {text}, tags in column "
            "{label}."
        ),
        (mark("Sentence"), "", mark("Tags")),
    ),
    "squad": Layout(
        mark("SQuAD’s JSON: passages, each with its questions and answers."),
        (mark("Question"), mark("Passage"), mark("Answer")),
        ("text_b", "text", "label"),
        {"answered": mark("answered"), "not answered": mark("no answer")},
        longer=_WINDOWS,
    ),
    "choices": Layout(
        mark("CommonsenseQA’s JSON: a question, its choices and the right one."),
        (mark("Beginning"), mark("Endings"), mark("Right ending")),
    ),
    "summaries": Layout(
        titles=(mark("Text"), "", mark("Its summary")),
        labels={"picked": mark("in the summary"), "left out": mark("left out")},
    ),
    "blocks": _plain(mark("Plain text: each line is a paragraph, and a blank line ends a document.")),
    "lines": _plain(mark("Plain text without blank lines, so each line counts as a document.")),
    "records": _plain(mark("One JSON object per line: a document, with its text in the field “{text}”.")),
    "files": _plain(mark("Plain text: each file is one document.")),
}
_NAMED_COLUMNS = ("table", "squad", "choices", "summaries")  # layouts whose columns have names, if they have columns
_ENDINGS = {
    ".csv": mark("A CSV table; its first line names the columns."),
    ".jsonl": mark("One JSON object per line."),
    ".ndjson": mark("One JSON object per line."),
    ".parquet": mark("A Parquet table."),
}
_TABS = mark("A tab-separated table; its first line names the columns.")


def titles(layout: FileLayout) -> tuple[str, str, str]:
    """Of the columns of a table of examples; "" where the layout has none."""
    first, second, label = (say(title) if title else "" for title in _LAYOUTS[layout.name].titles)
    return first, second, label


def label_name(label: str, layout: FileLayout) -> str:
    """A label as it is shown."""
    if layout.name == "choices":
        return say("ending {number}", number=label)
    known = _LAYOUTS[layout.name].labels.get(label)
    return say(known) if known else label


def about_layout(layout: FileLayout) -> str:
    """How the file is laid out, and which of its columns are read as what."""
    known = _LAYOUTS[layout.name]
    if not (layout.columns and layout.name in _NAMED_COLUMNS):
        read_as: dict[str, Any] = dict(layout.columns)
        return say(known.sentence, **read_as)
    names = dict(zip(known.roles, titles(layout), strict=True))
    columns = (
        say("{title} is the column “{column}”", title=names[role], column=column)
        for role, column in layout.columns.items()
        if names.get(role)
    )
    return f"{say(_ENDINGS.get(layout.ending, _TABS))} {', '.join(columns)}."


def about_held_out(facts: TaskFacts) -> str:
    """Where the held-out examples come from."""
    if facts.held_out_file is not None:
        return say("The held-out examples come from {file}.", file=facts.held_out_file)
    return say("There is no dev file next to it, so some of the examples are held out.")


def about_lengths(lengths: Lengths, layout: FileLayout, total: int) -> str:
    """What is cut, or read in parts."""
    known, counted, limit = _LAYOUTS[layout.name], numbers.count(lengths.counted), numbers.count(lengths.cut_at)
    sentence = say(known.fitting, counted=counted, longest=numbers.count(lengths.longest), limit=limit)
    if lengths.longer:
        sentence = say(known.longer, n=lengths.longer, counted=counted, limit=limit)
    if lengths.counted < total:
        sampled = say("Counted on a sample of {counted} out of {total}.", counted=counted, total=numbers.count(total))
        return f"{sentence} {sampled}"
    return sentence


def about_text(facts: TextFacts) -> str:
    """How much there is of it."""
    counts: dict[str, Any] = {name: numbers.count(getattr(facts, name)) for name in ("documents", "sentences", "words")}
    sentence = say("{documents} documents, {sentences} sentences, {words} words.", **counts)
    if facts.share < 1.0:
        part = say("Counted in the first {share} of the text.", share=numbers.percent(facts.share))
        return f"{sentence} {part}"
    return sentence


def about_time(found: RunEstimate) -> str:
    """What the time goes into, and what may change it."""
    parts = (
        (mark("{time} to read the data"), found.preparing, None),
        (mark("{time} for %Ln step(s)"), found.training, found.steps),
        (mark("{time} to measure"), found.measuring, None),
        (mark("{time} to save"), found.saving, None),
    )
    times = [say(text, n=n, time=numbers.duration(part.seconds)) for text, part, n in parts if part.seconds >= LEAST_S]
    sentences = [", ".join(times) + "."] if times else []
    if found.epochs is not None:
        sentences.append(say("It reads the data {times} times.", times=numbers.number(found.epochs, 2)))
    if found.is_sampled:
        sentences.append(say("Estimated from part of the data."))
    is_busy = found.load is not None and found.load > BUSY
    sentences.append(
        say("Other programs are keeping the machine busy right now; without them the run will be faster.")
        if is_busy
        else say("It takes longer if other programs keep the machine busy.")
    )
    return " ".join(sentences)
