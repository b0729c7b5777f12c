"""Tokenising: the same as `transformers`, offsets into what was typed, and the paper's way of making a pair fit."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertcore.analysis.tokenisations import lacking
from bertcore.errors import BertcoreError
from bertcore.tokenizer.framing import fit_pair
from bertcore.tokenizer.special_tokens import SPECIAL_TOKENS
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.engine.models import VOCABULARY, word_tokenizer

WHOLE = "\n".join(VOCABULARY).encode()  # a vocab.txt
TEXTS = [
    "The cat sat on the mat.",
    "It was very comfortable!",
    "unaffable ran-down don't 3.14 U.S.A.",
    "Ünïcödé façade ÅNGSTRÖM naïve İstanbul ẞ ﬁne Ǆ",
    "e\u0301 combining, a\u0308 too",
    "日本語 と 中文 mixed 한국어 텍스트",
    "🙂 👩‍👩‍👧 🇩🇪 a🙂b",
    "שלום עולם مرحبا بالعالم \u202ert\u202c",
    "tab\tnew\nline\r\ncarriage \u00a0nbsp\u3000wide\u2028sep",
    "con\x00trol\x01 \x7f\x85 \ufffd \ufeffbom \u200bzero",
    "write [MASK] here, [mask] there[MASK]joined",
    "[CLS] [SEP] [PAD] [UNK]",
    "x" * 99 + " " + "y" * 101,
    "   ",
    "",
    "a" * 5000,
    "«quotes» — dash… ‹x› ¿que? 100% $5 ~`^|",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𠀀𠀁 ①② ½ ²",
]
# On rarer characters the two differ by their Unicode versions, and by a wrong digit in the Rust table of CJK blocks.
COMMON_CHARACTERS = st.characters(max_codepoint=0x06FF, exclude_categories=("Cn", "Cf")) | st.sampled_from(
    "日本語한—…“”🙂ﬁ"
)
LEARNED_FROM = [*TEXTS, "the cat and the dog sat on the mat", "comfort comfortable comforting", "été café ñandú"] * 3


@pytest.fixture(scope="module", params=[True, False], ids=["uncased", "cased"])
def both(request, tmp_path_factory):
    """A learned tokenizer of ours, and what `AutoTokenizer` makes of its folder."""
    from transformers import AutoTokenizer

    ours = Tokenizer.train(LEARNED_FROM, 600, lowercase=request.param)
    folder = tmp_path_factory.mktemp("tokenizer")
    ours.save(folder)
    (folder / "config.json").write_text('{"model_type": "bert"}')
    return ours, AutoTokenizer.from_pretrained(folder)


def _assert_same(both, a, b):
    ours, theirs = both
    encoding = ours.encode(a, b, max_length=100_000)
    expected = theirs(a, b or None, return_offsets_mapping=True)
    assert encoding.ids == expected["input_ids"]
    assert encoding.segments == expected["token_type_ids"]
    assert encoding.tokens == theirs.convert_ids_to_tokens(encoding.ids)
    assert encoding.offsets == [tuple(pair) for pair in expected["offset_mapping"]]


class TestAgainstTransformers:
    @pytest.mark.parametrize("a", TEXTS)
    def test_texts(self, both, a):
        _assert_same(both, a, None)
        _assert_same(both, "The cat sat.", a)
        _assert_same(both, a, "The cat sat.")

    @given(a=st.text(max_size=60), b=st.none() | st.text(max_size=60))
    def test_any_text(self, both, a, b):
        _assert_same(both, a, b)

    @given(text=st.text(COMMON_CHARACTERS, max_size=60))
    def test_any_text_against_the_python_original(self, text):
        """BasicTokenizer and WordpieceTokenizer are google-research/bert's own, character by character."""
        from transformers.models.bert.tokenization_bert_legacy import BasicTokenizer, WordpieceTokenizer

        text = text.replace("[", " ")  # the original knows nothing of typed special tokens
        vocab = {word: i for i, word in enumerate(VOCABULARY)}
        pieces = WordpieceTokenizer(vocab, unk_token="[UNK]")
        words = BasicTokenizer(do_lower_case=True).tokenize(text)
        expected = [piece for word in words for piece in pieces.tokenize(word)]
        assert word_tokenizer().encode(text, max_length=10_000).tokens[1:-1] == expected

    def test_an_opened_cased_tokenizer_json_stays_cased_when_saved(self, tmp_path):
        from transformers import AutoTokenizer

        Tokenizer.train(LEARNED_FROM, 600, lowercase=False).save(tmp_path / "a")
        (tmp_path / "a" / "tokenizer_config.json").unlink()
        (tmp_path / "a" / "vocab.txt").unlink()
        opened = Tokenizer.from_folder(tmp_path / "a")
        assert not opened.lowercase
        opened.save(tmp_path / "b")
        theirs = AutoTokenizer.from_pretrained(tmp_path / "b")
        text = "The CAT, the Été."
        assert opened.encode(text).ids == theirs(text)["input_ids"]
        assert opened.encode(text).ids != opened.encode(text.lower()).ids


class TestEncoding:
    def test_a_pair_as_the_paper_lays_it_out(self):
        encoding = word_tokenizer().encode("The cat sat.", "It was comfortable!")
        assert encoding.tokens == (
            ["[CLS]", "the", "cat", "sat", ".", "[SEP]", "it", "was", "comfort", "##able", "!", "[SEP]"]
        )
        assert encoding.segments == [0] * 6 + [1] * 6
        assert encoding.positions == list(range(12)) and len(encoding) == 12
        assert encoding.parts == ["special", *"aaaa", "special", *"bbbbb", "special"]
        assert encoding.offsets[1:5] == [(0, 3), (4, 7), (8, 11), (11, 12)]
        assert encoding.offsets[8:10] == [(7, 14), (14, 18)]
        assert (encoding.text_a, encoding.text_b) == ("The cat sat.", "It was comfortable!")
        assert encoding.dropped == 0 and encoding.unknown == []

    def test_an_empty_second_sentence_is_none_and_what_is_not_in_the_vocabulary_is_said(self):
        tokenizer = word_tokenizer()
        for b in (None, ""):
            encoding = tokenizer.encode("The cat.", b)
            assert encoding.tokens.count("[SEP]") == 1 and encoding.text_b is None
        encoding = tokenizer.encode("the 🙂 cat", "日本")
        assert encoding.unknown == [i for i, token in enumerate(encoding.tokens) if token == "[UNK]"] == [2, 5, 6]
        assert all(tokenizer.id(tokenizer.word(i)) == i for i in range(tokenizer.vocab_size))
        assert tokenizer.id("no such word") is None

    @given(a=st.text(max_size=40), b=st.text(min_size=1, max_size=40), most=st.integers(3, 30))
    def test_offsets_point_at_what_was_typed(self, a, b, most):
        tokenizer = word_tokenizer()
        encoding = tokenizer.encode(a, b, max_length=most)
        assert len(encoding) <= most
        for token, part, (start, end) in zip(encoding.tokens, encoding.parts, encoding.offsets, strict=True):
            if part == "special":
                assert (start, end) == (0, 0) and token in ("[CLS]", "[SEP]")
                continue
            typed = (a if part == "a" else b)[start:end]
            assert typed
            if token not in SPECIAL_TOKENS:
                assert tokenizer.raw.normalizer.normalize_str(typed).strip() == token.removeprefix("##")

    @pytest.mark.parametrize("text", ["\ud800", "a \udcff b"])
    def test_text_that_is_no_unicode_is_refused_with_a_sentence(self, text):
        with pytest.raises(BertcoreError, match="Text A is not valid Unicode"):
            word_tokenizer().encode(text)
        with pytest.raises(BertcoreError, match="Text B is not valid Unicode"):
            word_tokenizer().encode("the cat", text)

    def test_batches_of_ids_are_those_of_single_texts(self):
        tokenizer = word_tokenizer()
        alone = [tokenizer.encode(text, max_length=99_999).ids[1:-1] for text in TEXTS]
        assert tokenizer.encode_batch_ids(TEXTS) == alone


def _popped(a, b, room):
    """`_truncate_seq_pair` of google-research/bert, run_classifier.py."""
    while a + b > room:
        if a > b:
            a -= 1
        else:
            b -= 1
    return a, b


class TestTruncation:
    @given(a=st.integers(0, 60), b=st.integers(0, 60), room=st.integers(0, 60))
    def test_the_longer_part_loses_first(self, a, b, room):
        assert fit_pair(a, b, room) == _popped(a, b, room)

    def test_what_is_kept_is_the_beginning_and_even_a_book_is_counted_to_its_end(self):
        encoding = word_tokenizer().encode("the cat sat on the mat", "it was very", max_length=9)
        assert encoding.tokens == ["[CLS]", "the", "cat", "sat", "[SEP]", "it", "was", "very", "[SEP]"]
        assert encoding.dropped == 3
        encoding = word_tokenizer().encode("cat " * 100_000, "dog")
        assert len(encoding) == 512 and encoding.dropped == 100_001 - 509


class TestFolders:
    @pytest.mark.parametrize("content", ["\r\n".join(VOCABULARY) + "\r\n", "\ufeff" + "\n".join(VOCABULARY)])
    def test_windows_line_ends_and_a_byte_order_mark_in_vocab_txt(self, tmp_path, content):
        """Windows' Notepad puts them there."""
        (tmp_path / "vocab.txt").write_bytes(content.encode())
        assert Tokenizer.from_folder(tmp_path).encode("the cat").ids == word_tokenizer().encode("the cat").ids

    @pytest.mark.parametrize("change", ["charsmap", "template"])
    def test_a_panic_of_the_library_is_a_sentence(self, tmp_path, change):
        """It is no `Exception`, and ended the thread that opened the model."""
        word_tokenizer().save(tmp_path)
        values = json.loads((tmp_path / "tokenizer.json").read_text())
        if change == "charsmap":
            values["normalizer"] = {"type": "Precompiled", "precompiled_charsmap": None}
        else:
            a, b = ({"Sequence": {"id": part, "type_id": 0}} for part in "AB")
            lost = {"SpecialToken": {"id": "<lost>", "type_id": 0}}
            values["post_processor"] = {"type": "TemplateProcessing", "single": [lost, a], "pair": [a, lost, b]}
            values["post_processor"] |= {"special_tokens": {}}
        (tmp_path / "tokenizer.json").write_text(json.dumps(values))
        with pytest.raises(BertcoreError, match="tokenizer"):
            Tokenizer.from_folder(tmp_path).encode("the cat")

    @pytest.mark.parametrize("size", [50, 120, 300])
    def test_a_learned_vocabulary_keeps_its_size_and_its_special_ids(self, size):
        tokenizer = Tokenizer.train(LEARNED_FROM, size)
        assert tokenizer.vocab_size <= size and tokenizer.special_ids == (0, 1, 2, 3, 4)
        assert tokenizer.encode("a##b").tokens[1:-1] == ["a", "#", "#", "b"] or tokenizer.id("#") is None
        assert [added.content for added in tokenizer.raw.get_added_tokens_decoder().values()] == list(SPECIAL_TOKENS)

    @pytest.mark.parametrize(
        ("files", "names"),
        [
            ({}, "no vocabulary"),
            *(({"tokenizer.json": content}, "tokenizer.json") for content in (b"{", b"", b"\xff\xfe\x00", b"[]")),
            ({"vocab.txt": b"\xff\xfe"}, "vocab.txt is not UTF-8"),
            ({"vocab.txt": b""}, r"no \[PAD\]"),
            ({"vocab.txt": b"the\ncat\n"}, r"no \[PAD\]"),
            ({"vocab.txt": b"[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\n"}, r"no \[MASK\]"),
            ({"vocab.txt": b"[PAD]\nthe\nthe\n"}, "'the' twice"),
            ({"vocab.txt": b"[PAD]\n", "tokenizer_config.json": b"{"}, "tokenizer_config.json"),
            ({"vocab.txt": b"[PAD]\n", "special_tokens_map.json": b"{"}, "special_tokens_map.json"),
            ({"vocab.txt": WHOLE, "tokenizer_config.json": b"[]"}, "does not hold a JSON object; fetch"),
            ({"vocab.txt": WHOLE, "tokenizer_config.json": b'{"tokenizer_class": "BertJapaneseTokenizer"}'}, "Japa"),
            *(
                ({"vocab.txt": WHOLE, "added_tokens.json": content}, "added tokens")
                for content in (b'{"x": "y"}', b'{"": 99}', b'{"a": [], "b": {}}')
            ),
            *(
                ({"vocab.txt": WHOLE, "tokenizer_config.json": b'{"added_tokens_decoder": %s}' % added}, "added tokens")
                for added in (b'{"8": {"content": ""}}', b'{"x": 1}')
            ),
            ({"vocab.json": b"{}"}, "no merges.txt"),
            ({"vocab.json": b"{", "merges.txt": b""}, "vocab.json and merges.txt cannot be read"),
            *(
                ({name: b"\n\x0e\n\x05<unk>"}, rf"{name}.*AutoTokenizer.*save_pretrained")
                for name in ("spiece.model", "sentencepiece.bpe.model")
            ),
        ],
    )
    def test_what_cannot_be_read_is_named(self, tmp_path, files, names):
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        with pytest.raises(BertcoreError, match=names):
            Tokenizer.from_folder(tmp_path)

    def test_a_tokenizer_json_that_cuts_and_pads_does_neither_here(self, tmp_path):
        word_tokenizer().save(tmp_path)
        values = json.loads((tmp_path / "tokenizer.json").read_text())
        values["truncation"] = {"direction": "Right", "max_length": 4, "strategy": "LongestFirst", "stride": 0}
        values["padding"] = {"strategy": {"Fixed": 16}, "direction": "Right", "pad_to_multiple_of": None}
        values["padding"] |= {"pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"}
        (tmp_path / "tokenizer.json").write_text(json.dumps(values))
        assert len(Tokenizer.from_folder(tmp_path).encode("the cat sat on the mat")) == 8


def test_what_a_vocabulary_lacks_is_named():
    letters = word_tokenizer()
    assert lacking(letters, ["cat🙂", "猫", "🙂"]) == ["🙂", "猫"]
    assert lacking(letters, ["a" * 150]) == ["a" * 150]  # every letter is there, but so long a word is not cut
    words = Tokenizer.train(["the cat sat on the mat"] * 20, 40, kind="words")
    assert lacking(words, ["dog"]) == ["dog"]
