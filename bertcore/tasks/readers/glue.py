"""What is particular to the files of GLUE (Wang et al. 2019); the rest of them are plain tables.

CoLA's have no header, but its test file has one. The labels of the nine tasks are in `registry`.
"""

from bertcore.errors import BertcoreError
from bertcore.tasks.readers.lines import line_of, numbered_lines
from bertcore.tasks.readers.spec import Contents, Request
from bertcore.tasks.readers.tables import read_rows, texts_of

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
    return texts_of(request, read_rows(request.file, names))
