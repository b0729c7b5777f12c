"""Rows of CSV, TSV, JSONL and Parquet files, whose columns have names; and the examples that are made of them.

A .tsv (or .txt) file is read as GLUE writes it: a tab between two columns, and quotes are text like any other. A .csv
file may quote its fields (RFC 4180); between its columns stands what its header has most: comma, semicolon or tab.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from bertcore.data.tokenising import split_sentences
from bertcore.errors import BertcoreError
from bertcore.json_text import parse_object
from bertcore.limits import TASK_FILE_BYTES, TASK_LINE_BYTES, TASK_LINES
from bertcore.tasks.kinds import TASK_KINDS
from bertcore.tasks.kinds.choice import ChoiceExample
from bertcore.tasks.kinds.summarise import SummaryExample
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tasks.readers.lines import label_text, layout_suffix, line_of, numbered_lines, quoted, refuse, too_large
from bertcore.tasks.spec import LABELS_SHOWN, Contents, Request
from bertcore.trial import TrialFailed, try_file

TABLES = (".tsv", ".txt", ".csv", ".jsonl", ".ndjson", ".parquet")
_PARQUET_ROWS = 1024  # at once


class Row(NamedTuple):
    place: str  # "train.tsv, line 17"
    fields: Mapping[str, Any]  # by column; text, unless the file is JSONL or Parquet

    def text(self, column: str) -> str:
        return text_in(self.place, column, self.fields.get(column))


def read_rows(file: Path, names: Sequence[str] | None = None, broken: list[str] | None = None) -> Iterator[Row]:
    """All rows of a table, in order; blank lines are passed over.

    `names` are the columns of a TSV file without a header. Rows with another number of columns than the header are
    refused, or, where `broken` is given, left out and their places put there.
    Raises BertcoreError with file, line, what was expected and what was found.
    """
    suffix = layout_suffix(file)
    if suffix in (".tsv", ".txt"):
        yield from _tsv_rows(file, names, broken)
    elif suffix == ".csv":
        yield from _csv_rows(file, broken)
    elif suffix in (".jsonl", ".ndjson", ".json"):
        for number, line in numbered_lines(file):
            if line.strip():
                yield Row(line_of(file, number), parse_object(line, line_of(file, number)))
    elif suffix == ".parquet":
        yield from _parquet_rows(file)
    else:
        raise BertcoreError(
            f"The file {file} is not a table that can be read: its name must end in {', '.join(TABLES)}."
        )


def text_in(place: str, what: str, value: object) -> str:
    """A piece of text from a file, without spaces around it. Raises BertcoreError if it is none, or empty."""
    text = value.strip() if isinstance(value, str) else ""
    if not text:
        raise refuse(place, f"text ({what})", value)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON can write and UTF-8 cannot
        raise refuse(place, f"text ({what}) of whole characters", text) from None
    return text


def read_labelled_texts(request: Request, names: Sequence[str] | None = None) -> Contents:
    """Texts or pairs with a label, a number or several labels each: the layout "table". `names` as in `read_rows`.

    The labels are those that are known, or all that were found, sorted.
    """
    kind, broken = TASK_KINDS[request.spec.kind], list[str]() if request.spec.drops_broken_rows else None
    examples: list[TextExample] = []
    disagreed = 0
    columns: tuple[str | None, str | None, str | None] | None = None
    for row in read_rows(request.file, names, broken):
        available = list(row.fields)
        text_a, text_b, label = columns = columns or (
            request.column("text", available),
            request.column("text_b", available),
            request.column("label", available, request.needs_labels),
        )
        if label and row.fields.get(label) in request.spec.no_label:
            disagreed += 1
            continue
        try:
            texts = row.text(text_a or ""), row.text(text_b) if text_b else None
        except BertcoreError:
            if broken is None:
                raise
            broken.append(row.place)
            continue
        known = kind.read_label(request, row.place, label, row.fields.get(label)) if label else None
        examples.append(TextExample(*texts, label=known))
    if not examples:
        raise BertcoreError(f"The file {request.file} has no examples; choose one with rows below its header.")
    notes = [f"Rows left out, since they have no agreed label: {disagreed}."] if disagreed else []
    notes += [f"Broken rows left out: {len(broken)}, the first: {broken[0]}."] if broken else []
    return Contents(examples, kind.labels_of(request, examples), disagreed + len(broken or ()), tuple(notes))


def _tsv_rows(file: Path, names: Sequence[str] | None, broken: list[str] | None) -> Iterator[Row]:
    header = _header(file, names) if names else None
    for number, line in numbered_lines(file):
        if not line.strip(" "):  # a tab parts two columns, empty as they may be
            continue
        cells = line.split("\t")
        if header is None:
            header = _header(file, cells)
        elif _fits(header, cells, line_of(file, number), broken):
            yield Row(line_of(file, number), dict(zip(header, cells, strict=True)))


def _csv_rows(file: Path, broken: list[str] | None) -> Iterator[Row]:
    lines = (line + "\n" for _, line in numbered_lines(file))
    csv.field_size_limit(max(csv.field_size_limit(), TASK_LINE_BYTES))  # a long document is one field
    first = next(lines)
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader((line for part in ([first], lines) for line in part), delimiter=delimiter, strict=True)
    header: list[str] | None = None
    begins = 1
    try:
        for cells in reader:
            place, begins = line_of(file, begins), reader.line_num + 1
            if not any(cells):
                continue
            if header is None:
                header = _header(file, cells)
            elif _fits(header, cells, place, broken):
                yield Row(place, dict(zip(header, cells, strict=True)))
    except csv.Error as error:
        raise BertcoreError(f"{line_of(file, begins)}: expected fields of CSV, found {_wrong_in(error)}.") from None


def _wrong_in(error: csv.Error) -> str:
    if "field limit" in str(error):
        return f"one of more than {csv.field_size_limit():,} characters; look for a quote that is not closed"
    if "new-line" in str(error):
        return "a carriage return in one without quotes; take it out, or put quotes around the field"
    return (
        f'a quote that is not closed or closed too soon ({error}); inside a quoted field a quote is written twice: ""'
    )


def _parquet_rows(file: Path) -> Iterator[Row]:
    """Tried in another process first: a table whose pages contradict its index ends the process that reads it."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError:
        raise BertcoreError(f"Reading {file.name} needs the package pyarrow: pip install pyarrow.") from None
    if not file.is_file():
        raise BertcoreError(f"There is no file {file}.")
    if file.stat().st_size > TASK_FILE_BYTES:
        raise too_large(file)
    try:
        try_file(read_parquet, file)
    except TrialFailed as failed:
        if failed.why == str(too_large(file)):
            raise too_large(file) from None
        reason = failed.why.rstrip(".") or "it is damaged"
        raise BertcoreError(f"The file {file} cannot be read as Parquet: {reason}; copy or fetch it again.") from None
    number = 0
    for batch in _parquet_batches(file):
        for fields in batch.to_pylist():
            number += 1
            yield Row(f"{file.name}, row {number}", fields)


def read_parquet(file: str) -> None:
    """All of it; raises what pyarrow does."""
    for batch in _parquet_batches(Path(file)):
        batch.to_pylist()


def _parquet_batches(file: Path) -> Iterator[Any]:
    import pyarrow.parquet as parquet

    size = 0
    with parquet.ParquetFile(file) as table:
        _check_metadata(table, file)
        columns = (table.schema.column(i) for i in range(len(table.schema)))
        texts = [column.path for column in columns if column.physical_type == "BYTE_ARRAY"]
    # A text that is stored once and meant a million times stays one until its rows are asked for.
    with parquet.ParquetFile(file, read_dictionary=texts) as table:
        for batch in table.iter_batches(batch_size=_PARQUET_ROWS):
            size += sum(map(_unpacked_bytes, batch.columns))
            if size > TASK_FILE_BYTES:
                raise too_large(file)
            yield batch


def _check_metadata(table: Any, file: Path) -> None:
    """Raises BertcoreError where a table says itself that it is too large."""
    groups = [table.metadata.row_group(number) for number in range(table.metadata.num_row_groups)]
    chunks = [group.column(number) for group in groups for number in range(group.num_columns)]
    values = sum(chunk.num_values for chunk in chunks)
    size = sum(chunk.total_uncompressed_size for chunk in chunks)
    if table.metadata.num_rows > TASK_LINES or size > TASK_FILE_BYTES or values > TASK_FILE_BYTES:
        raise too_large(file)


def _unpacked_bytes(array: Any) -> int:
    """Of an Arrow array, with its texts each as often as they are meant."""
    import pyarrow.compute as compute
    from pyarrow import types

    if types.is_dictionary(array.type):
        is_text = types.is_string(array.type.value_type) or types.is_binary(array.type.value_type)
        lengths = compute.binary_length(array.dictionary) if is_text and len(array.dictionary) else None
        meant = 0 if lengths is None else compute.sum(compute.take(lengths, array.indices)).as_py() or 0
        return int(array.indices.nbytes + meant)
    if types.is_list(array.type):
        return int(array.nbytes if not len(array) else _unpacked_bytes(array.flatten()))
    if types.is_struct(array.type):
        return sum(map(_unpacked_bytes, array.flatten()))
    return int(array.nbytes)


def _header(file: Path, names: Sequence[str]) -> list[str]:
    names = [name.strip() for name in names]
    counts = Counter(names)
    twice = next((name for name in names if name and counts[name] > 1), None)
    if twice is not None:
        raise BertcoreError(f"{file.name} has two columns {twice[:40]!r}; give each its own name in the first line.")
    return names


def _fits(header: list[str], cells: list[str], place: str, broken: list[str] | None) -> bool:
    if len(cells) == len(header):
        return True
    if broken is None:
        some = ", ".join(header[:LABELS_SHOWN])[:200]
        expected = f"{len(header)} column{'s' * (len(header) != 1)} ({some})"
        raise BertcoreError(f"{place}: expected {expected}, found {len(cells)}: {quoted(' | '.join(cells))}.")
    broken.append(place)
    return False


COLA_COLUMNS = ("source", "label", "star", "sentence")
_COLA_TEST = ["index", "sentence"]


def read_cola(request: Request) -> Contents:
    """Four columns without a header: source, 0 or 1, the linguist's star, sentence. The layout "cola"."""
    first = next((line for _, line in numbered_lines(request.file) if line.strip()), "").split("\t")
    if len(first) == len(COLA_COLUMNS) and first[1].strip().lower() == "label":
        raise BertcoreError(
            f"{line_of(request.file, 1)}: expected the first sentence, found a header; CoLA's files have none. "
            "Delete that line, or read the file with the task classify."
        )
    names = None if first == _COLA_TEST else COLA_COLUMNS
    return read_labelled_texts(request, names)


# --- a beginning and some endings, one of them right: SWAG (Zellers et al. 2018), CommonsenseQA (Talmor et al. 2019)


_ENDING = re.compile(r"ending_?(\d+)")
_FEWEST = 2


def read_choices(request: Request) -> Contents:
    """Contexts with endings: the layout "choices". All must have as many endings as the first."""
    examples: list[ChoiceExample] = []
    for row in read_rows(request.file):
        is_common_sense = isinstance(row.fields.get("question"), dict)
        example = _common_sense(request, row) if is_common_sense else _swag(request, row)
        count = len(examples[0].endings) if examples else max(_FEWEST, len(example.endings))
        if len(example.endings) != count:
            raise refuse(row.place, f"{count} endings to choose from", list(example.endings))
        examples.append(example)
    if not examples:
        raise BertcoreError(f"The file {request.file} has no examples; choose one with rows below its header.")
    return Contents(examples)


def _swag(request: Request, row: Row) -> ChoiceExample:
    """Columns sent1, sent2, ending0, ending1 ..., label. sent2 is how every ending begins; it may be absent."""
    available = list(row.fields)
    context = request.column("text", available)
    begins = request.column("text_b", available, required=False)
    label = request.column("label", available, request.needs_labels)
    start = f"{row.text(begins)} " if begins and row.fields.get(begins) not in (None, "") else ""
    texts = tuple((start + ending).strip() for ending in _endings(request, row, available))
    value = label_text(row.fields.get(label)) if label else None
    return ChoiceExample(
        row.text(context or ""), texts, _which(request, row.place, value, list(map(str, range(len(texts)))))
    )


def _endings(request: Request, row: Row, available: list[str]) -> list[str]:
    """Those of the columns ending0, ending1 ..., in the order of their numbers; or of one list "endings" in JSON."""
    listed = row.fields.get("endings")
    if isinstance(listed, list):
        return [text_in(row.place, "an ending", ending) for ending in listed]
    endings = {int(match[1]): name for name in available if (match := _ENDING.fullmatch(name))}
    if not endings:
        there_are = ", ".join(repr(name[:40]) for name in available[:20])
        raise BertcoreError(f"{request.file.name} has no columns ending0, ending1 ...; it has {there_are}.")
    return [row.text(name) for _, name in sorted(endings.items())]


def _common_sense(request: Request, row: Row) -> ChoiceExample:
    """{"question": {"stem", "choices": [{"label": "A", "text"}, ...]}, "answerKey": "A"}."""
    question = row.fields.get("question")
    choices = question.get("choices") if isinstance(question, dict) else None
    if not isinstance(question, dict) or not isinstance(choices, list) or not choices:
        raise refuse(row.place, '"question" with "stem" and "choices"', question)
    names = [_key(row, choice, "label") for choice in choices]
    endings = tuple(_key(row, choice, "text") for choice in choices)
    label = _which(request, row.place, label_text(row.fields.get("answerKey")), names)
    return ChoiceExample(text_in(row.place, "stem", question.get("stem")), endings, label)


def _key(row: Row, choice: Any, key: str) -> str:
    return text_in(row.place, f"{key} of a choice", choice.get(key) if isinstance(choice, dict) else choice)


def _which(request: Request, place: str, label: str | None, names: Sequence[str]) -> int | None:
    """Which ending is the right one, from 0."""
    if label in names:
        return names.index(label)
    if not request.needs_labels and label in (None, "-1"):
        return None
    raise refuse(place, f"the right ending, one of {', '.join(names)}", label)


# --- documents to be summarised by sentences of their own
# A row has its sentences as a list ("sentences"), or a text that is split here ("document"); and labels, one for each
# sentence, or a reference ("summary"). Where the reference is made of the document's own sentences, these are the
# labels; else it is kept, and `Summarise.labelled` makes the best of it.


_SPACES = re.compile(r"\s+")
_SHORTEST_RUN = 20  # characters that the reference and the document share; fewer may be chance
_LEFT_OVER = 0.1  # share of the reference that may not stand in the document; above that it is someone's own words


def read_summaries(request: Request) -> Contents:
    """Documents with labels, or a reference, or on a test file neither: the layout "summaries"."""
    examples = [_example(request, row) for row in read_rows(request.file)]
    if not examples:
        raise BertcoreError(f"The file {request.file} has no documents; it needs one JSON object in each line.")
    return Contents(examples)


def verbatim_labels(sentences: Sequence[str], reference: str) -> tuple[bool, ...] | None:
    """Which sentences the reference is made of; None if it is not made of the document's own text.

    The reference is covered with the longest runs of characters that the document has too; a sentence is labelled
    if such runs hold more than half of it. So it does not matter where someone else's splitter ended a sentence.
    Spaces do not count: extracts have often lost those between their sentences.
    """
    parts = [_SPACES.sub("", sentence) for sentence in sentences]
    document, target = "".join(parts), _SPACES.sub("", reference)
    covered = bytearray(len(document))
    left_over = begin = 0
    while begin < len(target):
        size = _longest_shared(document, target, begin)
        place = document.find(target[begin : begin + size])
        covered[place : place + size] = b"\1" * size
        left_over += not size
        begin += max(1, size)
    if left_over > _LEFT_OVER * len(target):
        return None
    ends = list(accumulate(map(len, parts)))
    return tuple(2 * sum(covered[end - len(part) : end]) > len(part) for part, end in zip(parts, ends, strict=True))


def _longest_shared(document: str, target: str, begin: int) -> int:
    """How many characters of `target` from `begin` on stand in the document in one run; 0 if it is a short run."""
    low, high = _SHORTEST_RUN, len(target) - begin
    if target[begin : begin + low] not in document:
        return 0
    low = min(low, high)
    while low < high:
        middle = (low + high + 1) // 2
        if target[begin : begin + middle] in document:
            low = middle
        else:
            high = middle - 1
    return low


def _example(request: Request, row: Row) -> SummaryExample:
    available = list(row.fields)
    text = request.column("text", available)
    label = request.column("label", available, request.needs_labels)
    sentences = _sentences(row, text or "")
    value = row.fields.get(label) if label else None
    if isinstance(value, list):
        reference = row.fields.get("summary")
        return SummaryExample(
            sentences, _labels(row, value, len(sentences)), reference if isinstance(reference, str) else None
        )
    if value is None and not request.needs_labels:
        return SummaryExample(sentences)
    reference = text_in(row.place, label or "", value)
    return SummaryExample(sentences, verbatim_labels(sentences, reference), reference)


def _sentences(row: Row, column: str) -> tuple[str, ...]:
    value = row.fields.get(column)
    if isinstance(value, list) and value:
        return tuple(text_in(row.place, "a sentence", sentence) for sentence in value)
    paragraphs = row.text(column).split("\n")
    return tuple(sentence for paragraph in paragraphs for sentence in split_sentences(paragraph))


def _labels(row: Row, values: list[object], count: int) -> tuple[bool, ...]:
    if len(values) != count or any(value not in (0, 1) for value in values):
        raise refuse(row.place, f"{count} labels of 0 or 1, one for each sentence", values)
    return tuple(bool(value) for value in values)
