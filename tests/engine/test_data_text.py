"""Text files of every kind become the same documents, and what does not fit is named."""

import gzip
import json
import lzma
import sys
from pathlib import Path

import pytest

from bertcore.data.corpus import corpus_key, load_corpus
from bertcore.data.text import Documents, Paragraphs, TextFormat, text_files
from bertcore.errors import BertcoreError
from tests.engine.corpora import STORIES
from tests.engine.models import TOKENIZER

zstandard = pytest.importorskip("zstandard")
PACKERS = {
    ".txt": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: zstandard.ZstdCompressor().compress(data),
}
DOCUMENTS = [document.split("\n") for document in STORIES.split("\n\n")]


def _records(documents):
    return "".join(json.dumps({"id": i, "text": "\n".join(d)}) + "\n" for i, d in enumerate(documents))


class TestFiles:
    @pytest.mark.parametrize("suffix", PACKERS)
    def test_packed_text_is_the_same_text_in_one_part_and_in_two(self, tmp_path, suffix):
        file, cut = tmp_path / f"packed{suffix}", len(STORIES) // 2
        for parts in ([STORIES], [STORIES[:cut], STORIES[cut:]]):
            file.write_bytes(b"".join(PACKERS[suffix](part.encode()) for part in parts))
            assert list(Documents([file])) == DOCUMENTS

    def test_without_zstandard_it_says_what_to_install(self, tmp_path, monkeypatch):
        (tmp_path / "a.zst").write_bytes(PACKERS[".zst"](STORIES.encode()))
        monkeypatch.setitem(sys.modules, "zstandard", None)
        with pytest.raises(BertcoreError, match="install the Python package zstandard"):
            list(Documents([tmp_path / "a.zst"]))

    def test_several_files_one_after_the_other_or_a_document_each(self, tmp_path):
        (tmp_path / "a.txt").write_text("one\ntwo\n \nthree")
        (tmp_path / "b.txt").write_text("\n\nfour\r\n\r\nfive\n\n")
        (tmp_path / "c.txt").write_text("\n\n")
        assert list(Documents([tmp_path])) == [["one", "two"], ["three"], ["four"], ["five"]]
        form = TextFormat(document_per_file=True)
        assert list(Documents([tmp_path], form)) == [["one", "two", "three"], ["four", "five"]]
        assert list(Paragraphs([tmp_path], form)) == ["one", "two", "three", "four", "five"]

    def test_a_folder_is_all_text_files_below_it_sorted(self, tmp_path):
        folder = tmp_path / "texts"
        names = ["b.txt", "a/z.txt.gz", "a/wiki_00", "c.jsonl.xz", ".hidden.txt", ".git/x.txt", "picture.png", "d.zst"]
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(b"x")
        found = [file.relative_to(folder).as_posix() for file in text_files([folder, folder / "picture.png"])]
        assert found == ["a/wiki_00", "a/z.txt.gz", "b.txt", "c.jsonl.xz", "d.zst", "picture.png"]  # one was named
        (tmp_path / "empty").mkdir()
        with pytest.raises(BertcoreError, match="no text file .* in the folder .*empty"):
            text_files([tmp_path / "empty"])

    @pytest.mark.parametrize("suffix", [".txt", ".xz"])
    def test_the_share_read_rises_from_0_to_1(self, tmp_path, suffix):
        files = [tmp_path / f"{name}{suffix}" for name in "ab"]
        for file in files:
            file.write_bytes(PACKERS[suffix](b"".join(b"%d. \n\n" % i for i in range(50_000))))
        texts = Documents(files)
        shares = [texts.fraction for _ in texts]
        assert shares == sorted(shares) and 0 <= shares[0] < 0.3 and shares[-1] > 0.9
        assert 0.4 < shares[len(shares) // 2] < 0.8
        assert texts.fraction == 1.0


class TestRecords:
    @pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.jsonl.gz", "a.json.zst"])
    def test_each_record_is_a_document(self, tmp_path, name):
        packed = PACKERS.get(Path(name).suffix, bytes)
        (tmp_path / name).write_bytes(packed(_records(DOCUMENTS).encode()))
        assert list(Documents([tmp_path / name])) == DOCUMENTS  # as of blocks

    def test_blank_lines_inside_a_record_do_not_end_its_document(self, tmp_path):
        file = tmp_path / "a.jsonl"
        file.write_text('\ufeff{"body": "one\\n\\ntwo "}\n\n{"body": " "}\n{"body": "lone \\ud800 half"}\n', "utf-8")
        assert list(Documents([file], TextFormat(text_field="body"))) == [["one", "two"], ["lone ? half"]]

    @pytest.mark.parametrize(
        ("line", "says"),
        [
            ('{"title": "x"}', "line 2: expected text in the field 'text', but there are 'title'"),
            ("{}", "line 2: expected text in the field 'text', but there are none"),
            ('{"text": 7}', "line 2: expected text in the field 'text', but it is 7"),
            ("[1]", r"line 2: expected one JSON object on each line, found '\[1\]'"),
            ("A plain line.", "line 2: expected one whole JSON object .*, found 'A plain line.'"),
            ("[" * 100_000, "line 2: expected one whole JSON object"),
        ],
    )
    def test_a_line_that_does_not_fit_is_named(self, tmp_path, line, says):
        (tmp_path / "a.jsonl").write_text('{"text": "fine"}\n' + line + "\n")
        with pytest.raises(BertcoreError, match=f"a.jsonl, {says}") as error:
            list(Documents([tmp_path / "a.jsonl"]))
        assert len(str(error.value)) < 400 + len(str(tmp_path))

    def test_the_key_follows_how_documents_are_found(self, tmp_path):
        plain, records = tmp_path / "a.txt", tmp_path / "a.jsonl"
        plain.write_text("x")
        records.write_text("x")
        body, whole = TextFormat(text_field="body"), TextFormat(document_per_file=True)
        assert corpus_key([plain], TOKENIZER) == corpus_key([plain], TOKENIZER, body)
        assert corpus_key([plain], TOKENIZER) != corpus_key([plain], TOKENIZER, whole)
        assert len({corpus_key([records], TOKENIZER, form) for form in (TextFormat(), body)}) == 2
        assert corpus_key([records], TOKENIZER) != corpus_key([plain], TOKENIZER)


BAD_TEXTS = {
    "missing": ("gone.txt", None, "gone.txt"),
    "empty": ("a.txt", b"", "too little text in a.txt"),
    "blank": ("a.txt", b"\n \n\t\n", "too little text in a.txt"),
    "one line": ("a.txt", b"The cat sat on the mat.", "too little text in a.txt"),
    "one document": ("a.txt", b"The cat sat. The dog sat. A bird sang." * 9, "too little text in a.txt"),
    "control characters only": ("a.txt", b"\x01\x02\x03\n\n" * 40, "too little text"),
    "no UTF-8": ("a.txt", b"The cat \xff sat.\n\n" * 9, "a.txt is not UTF-8"),
    "UTF-16": ("a.txt", STORIES.encode("utf-16"), "a.txt is not UTF-8"),
    "cut off gz": ("a.gz", gzip.compress(STORIES.encode())[:-20], "a.gz cannot be read"),
    "no gz": ("a.gz", STORIES.encode(), "a.gz cannot be read"),
    "damaged gz": ("a.gz", gzip.compress(STORIES.encode())[:40] + b"\xff" * 400, "a.gz cannot be read"),
    "cut off xz": ("a.xz", lzma.compress(STORIES.encode())[:-30], "a.xz cannot be read"),
    "no xz": ("a.xz", STORIES.encode(), "a.xz cannot be read"),
    "cut off zst": ("a.zst", PACKERS[".zst"](STORIES.encode())[:-30], "a.zst cannot be read: it ends in the middle"),
    "no zst": ("a.zst", STORIES.encode(), "a.zst cannot be read"),
    "empty zst": ("a.zst", b"", "too little text"),
}


@pytest.mark.parametrize("case", BAD_TEXTS)
def test_text_that_cannot_be_trained_on_is_named(case, tmp_path):
    name, content, says = BAD_TEXTS[case]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(BertcoreError, match=says):
        load_corpus([tmp_path / name], TOKENIZER)
