"""What a run would learn from and what it would take, in sentences."""

from bertcore.training.data_facts import FileLayout, Lengths, TaskFacts, TextFacts
from bertcore.training.run_estimate import RunEstimate

from ...look import numbers
from ...look.say import mark, say

LEAST_S = 0.5  # what takes less is not worth a word
_TITLES = {  # layout -> titles of text A, text B and label
    "conll": (
        mark("Sentence"),
        "",
        mark("Tags"),
    ),
    "squad": (
        mark("Question"),
        mark("Passage"),
        mark("Answer"),
    ),
    "choices": (
        mark("Beginning"),
        mark("Endings"),
        mark("Right ending"),
    ),
    "summaries": (
        mark("Text"),
        "",
        mark("Its summary"),
    ),
}
_TEXTS = (
    mark("Text A"),
    mark("Text B"),
    mark("Label"),
)
_LAYOUTS = {
    "cola": mark("CoLA’s own layout: four columns without names, with the label second and the sentence last."),
    "conll": mark(
        "One word per line, with a blank line after each sentence. Words are in column {text}, tags in column {label}."
    ),
    "squad": mark("SQuAD’s JSON: passages, each with its questions and answers."),
    "choices": mark("CommonsenseQA’s JSON: a question, its choices and the right one."),
    "blocks": mark("Plain text: each line is a paragraph, and a blank line ends a document."),
    "lines": mark("Plain text without blank lines, so each line counts as a document."),
    "records": mark("One JSON object per line: a document, with its text in the field “{text}”."),
    "files": mark("Plain text: each file is one document."),
}
_ENDINGS = {
    ".csv": mark("A CSV table; its first line names the columns."),
    ".jsonl": mark("One JSON object per line."),
    ".ndjson": mark("One JSON object per line."),
    ".parquet": mark("A Parquet table."),
}
_TABS = mark("A tab-separated table; its first line names the columns.")
_LABELS = {  # of tasks whose labels have no names in the file
    "answered": mark("answered"),
    "not answered": mark("no answer"),
    "picked": mark("in the summary"),
    "left out": mark("left out"),
}
_BUSY = 0.6  # of the machine, by other programs


def titles(layout: FileLayout) -> tuple[str, str, str]:
    """Of the columns of a table of examples; "" where the layout has none."""
    first, second, label = (say(title) if title else "" for title in _TITLES.get(layout.name, _TEXTS))
    return first, second, label


def label_name(label: str, layout: FileLayout) -> str:
    """A label as it is shown."""
    if layout.name == "choices":
        return say("ending {number}", number=label)
    known = _LABELS.get(label) if layout.name in ("squad", "summaries") else None
    return say(known) if known else label


def layout_in_words(layout: FileLayout) -> str:
    """How the file is laid out, and which of its columns are read as what."""
    is_table = layout.name in ("table", "squad", "choices", "summaries") and bool(layout.columns)
    if not is_table:
        return say(_LAYOUTS[layout.name]).format(**layout.columns)
    names = dict(zip(("text", "text_b", "label"), titles(layout), strict=True))
    if layout.name == "squad":  # its text is the passage
        names["text"], names["text_b"] = names["text_b"], names["text"]
    shown = (
        say("{title} is the column “{column}”", title=names[role] or role, column=column)
        for role, column in layout.columns.items()
        if names.get(role)
    )
    ending = say(_ENDINGS.get(layout.ending, _TABS))
    return f"{ending} {', '.join(shown)}." if layout.columns else ending


def held_out_in_words(facts: TaskFacts) -> str:
    """Where the held-out examples come from."""
    if facts.held_out_file is not None:
        text = say("The held-out examples come from {file}.")
        return text.format(file=facts.held_out_file)
    return say("There is no dev file next to it, so some of the examples are held out.")


def lengths_in_words(lengths: Lengths, layout: FileLayout, total: int) -> str:
    """What is cut, or read in parts."""
    longer, limit = lengths.longer, numbers.count(lengths.cut_at)
    counted = numbers.count(lengths.counted)
    is_text = layout.name in ("blocks", "lines", "records", "files")
    if not longer and is_text:
        text = say("Nothing is cut: the longest of {counted} sentences has {longest} tokens, and up to {limit} fit.")
    elif not longer:
        text = say("Nothing is cut: the longest of {counted} examples has {longest} tokens, and up to {limit} fit.")
    elif layout.name == "squad":
        text = say(
            "%n of {counted} (is|are) longer than {limit} tokens, so the model reads (it|them) in overlapping windows.",
            n=longer,
        )
    elif is_text:
        text = say("%n of {counted} sentences (is|are) longer than {limit} tokens and read in pieces.", n=longer)
    else:
        text = say("%n of {counted} (is|are) longer than {limit} tokens and will be cut.", n=longer)
    found = text.format(counted=counted, longest=numbers.count(lengths.longest), limit=limit)
    if lengths.counted < total:
        sampled = say("Counted on a sample of {counted} out of {total}.")
        found += " " + sampled.format(counted=counted, total=numbers.count(total))
    return found


def text_in_words(facts: TextFacts) -> str:
    """How much there is of it."""
    text = say("{documents} documents, {sentences} sentences, {words} words.")
    shown = text.format(
        documents=numbers.count(facts.documents),
        sentences=numbers.count(facts.sentences),
        words=numbers.count(facts.words),
    )
    if facts.share < 1.0:
        sample = say("Counted in the first {share} of the text.")
        shown += " " + sample.format(share=numbers.percent(facts.share))
    return shown


def time_in_words(found: RunEstimate) -> str:
    """What the time goes into, and what may change it."""
    steps = found.steps  # lupdate wants a plain name
    parts = (
        (say("{time} to read the data"), found.preparing),
        (say("{time} for %Ln step(s)", n=steps), found.training),
        (say("{time} to measure"), found.measuring),
        (say("{time} to save"), found.saving),
    )
    worth_saying = [text.format(time=numbers.duration(part.seconds)) for text, part in parts if part.seconds >= LEAST_S]
    words = [", ".join(worth_saying) + "."] if worth_saying else []
    if found.epochs is not None:
        passes = say("It reads the data {times} times.")
        words.append(passes.format(times=numbers.number(found.epochs, 2)))
    if found.is_sampled:
        words.append(say("Estimated from part of the data."))
    if found.load is not None and found.load > _BUSY:
        words.append(say("Other programs are keeping the machine busy right now; without them the run will be faster."))
    else:
        words.append(say("It takes longer if other programs keep the machine busy."))
    return " ".join(words)
