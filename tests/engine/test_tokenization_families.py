"""Every family's tokenizers, found or learned: the same as `transformers`, and what they have in common for us."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertcore.errors import BertcoreError
from bertcore.tokenizer import LEAST_BPE, VOCABULARIES
from bertcore.tokenizer.framing import fit_pair
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.engine.corpora import STORIES
from tests.engine.family_tokenizers import BERT_WORDS, NO_FRAME, WRITERS, byte_level

TEXTS = [
    "The cat sat on the mat.",
    "été ÉTÉ garçon Straße naïve, e\u0301",
    "🙂 the 👩‍👩‍👧 cat🙂",
    "two  spaces   three \t tab\nline",
    " leading and trailing ",
    "",
    "   ",
    "日本語 と 中文 mixed",
    "the [MASK] sat, a[MASK]b [MASK]",
    "<mask> <s> </s> [CLS] [SEP] <pad>",
    "don't it's (so?) 3.14",
    "zero\u200bwidth \u00a0 nbsp",
]
FAMILIES = list(WRITERS)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("families")
    made = {family: root / str(i) for i, family in enumerate(FAMILIES)}
    for family, folder in made.items():
        WRITERS[family](folder)
    return made


@pytest.fixture(scope="module")
def pairs(folders):
    """Each folder opened here, and by `transformers`."""
    return {family: (Tokenizer.from_folder(folder), _theirs(folder)) for family, folder in folders.items()}


def _theirs(folder):
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder)


def _assert_same(ours, theirs, a, b):
    encoding = ours.encode(a, b, max_length=10_000)
    typed_a, typed_b = (_as_they_type(text, theirs) for text in (a, b or None))
    expected = theirs(typed_a, typed_b, return_offsets_mapping=True, return_token_type_ids=True)
    assert encoding.ids == expected["input_ids"]
    assert encoding.segments == expected["token_type_ids"]
    assert encoding.tokens == theirs.convert_ids_to_tokens(expected["input_ids"])
    sequences = expected.sequence_ids(0)
    assert encoding.parts == ["special" if part is None else "ab"[part] for part in sequences]
    texts = (a, b or "")
    spans = zip(expected["offset_mapping"], sequences, strict=True)
    assert encoding.offsets == [_without_space(span, texts[part or 0]) for span, part in spans]
    assert _groups(encoding.words) == _groups(list(zip(sequences, expected.word_ids(0), strict=True)))


def _as_they_type(text, theirs):
    return text and text.replace("[MASK]", theirs.mask_token)


def _without_space(span, text):
    """A mask that takes the space before it is shown without; BERT's tokens never begin with one."""
    start, end = span
    cut = text[start:end]
    return (start + len(cut) - len(cut.lstrip()), end) if cut[:1] == " " or cut.isspace() else (start, end)


def _groups(words):
    """Positions of each word's tokens, in the order of the words; special tokens are in none."""
    found = {}
    for i, word in enumerate(words):
        if word not in (None, (None, None)):
            found.setdefault(word, []).append(i)
    return list(found.values())


@pytest.mark.parametrize("family", FAMILIES)
class TestAgainstTransformers:
    def test_single_texts_and_pairs(self, pairs, family):
        for text in TEXTS:
            _assert_same(*pairs[family], text, None)
            _assert_same(*pairs[family], "the cat  sat", text)
            _assert_same(*pairs[family], text, "[MASK] the cat")

    @given(a=st.text("the catsé日🙂.,' \n[]", max_size=30), b=st.none() | st.text("ab .é", min_size=1, max_size=20))
    def test_any_text(self, pairs, family, a, b):
        _assert_same(*pairs[family], a, b)

    def test_special_tokens(self, pairs, family):
        ours, theirs = pairs[family]
        names = ("pad", "unk", "cls", "sep", "mask")
        assert ours.special_ids == tuple(getattr(theirs, f"{name}_token_id") for name in names)
        assert (ours.pad_id, ours.mask_id) == (theirs.pad_token_id, theirs.mask_token_id)
        assert ours.mask_token == theirs.mask_token
        assert ours.largest_id == max(theirs.get_vocab().values()) and ours.vocab_size == len(theirs)
        assert ours.numbered_by_line == (family in ("electra, vocab.txt", "distilbert, vocab.txt alone"))

    def test_what_is_too_long_is_cut(self, pairs, family):
        ours, theirs = pairs[family]
        a, b = "the cat sat on the mat, " * 3, "don't you think so? "
        whole = ours.encode(a, b)
        of_a, of_b = whole.parts.count("a"), whole.parts.count("b")
        for most in (20, 31):
            cut = ours.encode(a, max_length=most)
            assert cut.ids == theirs(a, truncation=True, max_length=most)["input_ids"]
            cut = ours.encode(a, b, max_length=most)
            keep_a, keep_b = fit_pair(of_a, of_b, most - theirs.num_special_tokens_to_add(pair=True))
            assert len(cut) == most and (cut.parts.count("a"), cut.parts.count("b")) == (keep_a, keep_b)
            assert cut.dropped == of_a + of_b - keep_a - keep_b
            first_b = whole.parts.index("b")
            kept = [i for i, part in enumerate(cut.parts) if part == "b"]
            assert [cut.ids[i] for i in kept] == whole.ids[first_b : first_b + keep_b]

    def test_saved_and_opened_by_both(self, pairs, folders, family, tmp_path):
        ours, theirs = pairs[family]
        ours.save(tmp_path, 128)
        (tmp_path / "config.json").write_text((folders[family] / "config.json").read_text())
        again, opened = _theirs(tmp_path), Tokenizer.from_folder(tmp_path)
        assert type(again) is type(theirs) and again.model_max_length == 128
        assert (tmp_path / "vocab.txt").exists() == (ours.kind == "wordpiece")
        assert opened.special_ids == ours.special_ids and opened.lowercase == ours.lowercase
        for text in TEXTS:
            assert opened.encode(text, "the cat") == ours.encode(text, "the cat")
            _assert_same(opened, again, text, "the cat")
            assert again(text)["input_ids"] == theirs(text)["input_ids"]


class TestTypedMasks:
    @pytest.mark.parametrize("family", ["roberta", "xlm-roberta", "camembert", "albert", "bert, cased"])
    def test_a_typed_mask_is_the_mask_in_its_place(self, pairs, family):
        ours, _ = pairs[family]
        encoding = ours.encode("the [MASK] sat", "a[MASK]b")
        at = [i for i, token_id in enumerate(encoding.ids) if token_id == ours.mask_id]
        assert [encoding.parts[i] for i in at] == ["a", "b"] and encoding.text_a == "the [MASK] sat"
        assert [encoding.offsets[i] for i in at] == [(4, 10), (1, 7)]
        assert len({encoding.words[i] for i in at}) == 2

    @pytest.mark.parametrize("mask", ["<m>", "<a long mask>", "?"])
    def test_a_mask_of_another_length(self, mask):
        raw = byte_level()
        raw.add_special_tokens([mask])
        tokenizer = Tokenizer(raw, names={"mask": mask})
        text = "[MASK] the [MASK][MASK] cat"
        encoding = tokenizer.encode(text)
        typed = [text[start:end] for start, end in encoding.offsets if end > start]
        assert "".join(typed).replace(" ", "") == text.replace(" ", "") and typed.count("[MASK]") == 3
        assert encoding.ids.count(tokenizer.mask_id or -1) == 3

    def test_a_vocabulary_with_an_own_entry_for_it_keeps_it(self):
        raw = byte_level()
        raw.add_special_tokens(["[MASK]"])
        tokenizer = Tokenizer(raw, names={"mask": "<mask>"})
        assert tokenizer.encode("the [MASK]").tokens[-2] == "[MASK]" and tokenizer.mask_token == "<mask>"

    def test_an_encoder_without_a_mask(self, folders, tmp_path):
        values = json.loads((folders["bert, cased"] / "tokenizer.json").read_text())
        values["model"]["vocab"] = {"X" if word == "[MASK]" else word: i for i, word in enumerate(BERT_WORDS)}
        values["added_tokens"] = [token for token in values["added_tokens"] if token["content"] != "[MASK]"]
        (tmp_path / "tokenizer.json").write_text(json.dumps(values))
        tokenizer = Tokenizer.from_folder(tmp_path)
        assert tokenizer.mask_id is None and tokenizer.mask_token is None and tokenizer.special_ids == (0, 1, 2, 3)
        assert None not in tokenizer.encode("the [MASK]").ids
        tokenizer.save(tmp_path / "again")
        (tmp_path / "again" / "config.json").write_text('{"model_type": "bert"}')
        assert len(_theirs(tmp_path / "again")) == tokenizer.vocab_size == len(BERT_WORDS)


class TestLabelsAndWords:
    def test_byte_level_tokens_and_sentence_pieces_read_as_text(self, pairs):
        tokenizer = Tokenizer(byte_level())
        shown = {token: tokenizer.label(tokenizer.id(token) or 0) for token in ("Ġthe", "Ã", "Ċ", "a", "<mask>", "Ġ")}
        assert shown == {"Ġthe": "·the", "Ã": "\\xC3", "Ċ": "\\n", "a": "a", "<mask>": "<mask>", "Ġ": "·"}
        encoding = tokenizer.encode("the café")
        assert "".join(encoding.labels) == "<s>the·café</s>" and "Ã©" in "".join(encoding.tokens)
        encoding = pairs["albert"][0].encode("The cat")
        assert "".join(encoding.labels) == "[CLS]·the·cat[SEP]" and "".join(encoding.tokens) == "[CLS]▁the▁cat[SEP]"
        broken = set()
        for i in range(tokenizer.vocab_size):  # every byte-level token against the library
            text = tokenizer.raw.decode([i], skip_special_tokens=False)
            if "\ufffd" in text:
                broken.add(tokenizer.label(i)[:4])
            elif text.replace(" ", "").isprintable():
                assert tokenizer.label(i) == text.replace(" ", "·")
        assert broken >= {f"\\x{byte:02X}" for byte in range(0x80, 0x100)}

    def test_word_pieces_stay_as_they_are(self, pairs):
        tokenizer = pairs["bert, cased"][0]
        encoding = tokenizer.encode("aabing", "The cat")
        assert encoding.labels == encoding.tokens
        assert " ".join(encoding.tokens) == "[CLS] a ##a ##b ##ing [SEP] The cat [SEP]"
        assert encoding.words == [None, 0, 0, 0, 0, None, 1, 2, None]
        beyond = len(BERT_WORDS) + 7
        assert tokenizer.label(beyond) == tokenizer.word(beyond) == f"[no token {beyond}]"

    def test_words_where_the_library_sees_one_stretch(self, folders, tmp_path):
        values = json.loads((folders["xlm-roberta"] / "tokenizer.json").read_text())
        values["pre_tokenizer"] = {
            "type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": False
        }  # fmt: skip
        (tmp_path / "tokenizer.json").write_text(json.dumps(values))
        encoding = Tokenizer.from_folder(tmp_path).encode("the cat sat", "on the mat")
        starts = [token.startswith("▁") for token in encoding.tokens]
        assert [word for word, start in zip(encoding.words, starts, strict=True) if start] == [0, 1, 2, 3, 4, 5]
        assert {word for word in encoding.words if word is not None} == {0, 1, 2, 3, 4, 5}


class TestFolders:
    @pytest.mark.parametrize(
        ("family", "settings"),
        [
            ("roberta", {"add_prefix_space": True}),
            ("roberta, space before", {"add_prefix_space": False}),
            ("bert, cased", {"do_lower_case": True, "strip_accents": None}),
            ("bert, accents kept", {"strip_accents": True, "tokenize_chinese_chars": True}),
        ],
    )
    def test_settings_win_over_tokenizer_json(self, folders, tmp_path, family, settings):
        for file in folders[family].iterdir():
            (tmp_path / file.name).write_bytes(file.read_bytes())
        before = json.loads((tmp_path / "tokenizer_config.json").read_text())
        (tmp_path / "tokenizer_config.json").write_text(json.dumps({**before, **settings}))
        ours, theirs, unchanged = Tokenizer.from_folder(tmp_path), _theirs(tmp_path), _theirs(folders[family])
        text = "The été, 日本"
        _assert_same(ours, theirs, text, "the cat")
        assert theirs(text)["input_ids"] != unchanged(text)["input_ids"]

    def test_a_tokenizer_that_frames_nothing_is_framed_as_its_family_is(self, tmp_path):
        NO_FRAME(tmp_path)
        tokenizer = Tokenizer.from_folder(tmp_path)
        encoding = tokenizer.encode("the cat", "sat")
        specials = [token for token, part in zip(encoding.tokens, encoding.parts, strict=True) if part == "special"]
        assert specials == ["<s>", "</s>", "</s>", "</s>"] and set(encoding.segments) == {0}
        tokenizer.save(tmp_path / "again")
        (tmp_path / "again" / "config.json").write_text('{"model_type": "roberta"}')
        _assert_same(tokenizer, _theirs(tmp_path / "again"), "the cat", "sat")

    def test_a_mask_takes_the_space_before_it_where_the_files_are_silent(self, tmp_path):
        """As in RoBERTa's training, where it stands for a word with its space."""
        byte_level().model.save(str(tmp_path))
        tokens = Tokenizer.from_folder(tmp_path).encode("the <mask> cat").tokens
        assert tokens[:3] == ["<s>", "the", "<mask>"] and tokens[3] != "Ġ"

    def test_added_tokens_of_older_folders(self, folders, tmp_path):
        for name in ("vocab.txt", "config.json"):
            (tmp_path / name).write_text((folders["distilbert, vocab.txt alone"] / name).read_text())
        (tmp_path / "added_tokens.json").write_text(json.dumps({"[E1]": len(BERT_WORDS), "[/E1]": len(BERT_WORDS) + 1}))
        (tmp_path / "special_tokens_map.json").write_text('{"mask_token": {"content": "[MASK]", "lstrip": true}}')
        ours, theirs = Tokenizer.from_folder(tmp_path), _theirs(tmp_path)
        _assert_same(ours, theirs, "the [E1] cat [/E1] sat [MASK]", None)
        assert ours.largest_id == len(BERT_WORDS) + 1
        (tmp_path / "added_tokens.json").write_text(json.dumps({"[E1]": 5000}))
        with pytest.raises(BertcoreError, match=r"\[E1\] should be number 5,000"):
            Tokenizer.from_folder(tmp_path)


SMILES_WORDS = ["[PAD]", "[unused1]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"cCNO()=.123", "Cl", "Br", ">>", "[C@H]"]


class TestChemicalVocabularies:
    @pytest.fixture
    def folder(self, tmp_path):
        (tmp_path / "vocab.txt").write_text("\n".join(SMILES_WORDS) + "\n")
        (tmp_path / "config.json").write_text('{"model_type": "albert"}')
        return tmp_path

    def test_atoms_and_bonds_are_tokens(self, folder):
        encoding = Tokenizer.from_folder(folder).encode("ClC(=O)[C@H]c1>>[MASK][nH]")
        expected = ["Cl", "C", "(", "=", "O", ")", "[C@H]", "c", "1", ">>", "[MASK]", "[UNK]"]
        assert encoding.tokens == ["[CLS]", *expected, "[SEP]"] and encoding.unknown == [12]
        assert encoding.ids[1:-2] == [SMILES_WORDS.index(token) for token in expected[:-1]]
        assert encoding.words[1:-1] == list(range(12)) and encoding.offsets[7] == (7, 12)

    def test_saved_it_opens_in_transformers(self, folder):
        tokenizer = Tokenizer.from_folder(folder)
        tokenizer.save(folder / "again")
        (folder / "again" / "config.json").write_text('{"model_type": "albert"}')
        _assert_same(tokenizer, _theirs(folder / "again"), "ClC(=O)>>Br", "c1")
        assert Tokenizer.from_folder(folder / "again").encode("CCl") == tokenizer.encode("CCl")
        (folder / "vocab.txt").write_text("\n".join([*SMILES_WORDS, "the"]) + "\n")  # with a word it is of another kind
        assert Tokenizer.from_folder(folder).kind == "wordpiece"


# --- learned vocabularies

STORY_LINES = STORIES.splitlines()
TYPED = ("The cat sat; naïve Überraschung, 3 birds!", "A dog sang on the mat.")
ROOT = Path(__file__).parents[2]


class TestEveryKind:
    @pytest.mark.parametrize("lowercase", [True, False])
    @pytest.mark.parametrize("kind", VOCABULARIES)
    def test_a_saved_one_reads_as_before_and_as_transformers(self, kind, lowercase, tmp_path):
        tokenizer = Tokenizer.train(STORY_LINES, 300, lowercase, kind=kind)
        assert tokenizer.vocab_size <= 300 and tokenizer.lowercase == lowercase
        tokenizer.save(tmp_path)
        again, theirs = Tokenizer.from_folder(tmp_path), _theirs(tmp_path)
        for a, b in (TYPED, (TYPED[1], None)):
            ours = tokenizer.encode(a, b)
            assert ours.ids == again.encode(a, b).ids == theirs(a, b)["input_ids"]
            assert ours.segments == again.encode(a, b).segments
        assert theirs.mask_token_id == tokenizer.mask_id and theirs.pad_token_id == tokenizer.pad_id
        assert again.lowercase == lowercase and again.class_name == tokenizer.class_name

    def test_another_process_learns_the_same(self):
        program = (
            "import sys, hashlib; from bertcore.tokenizer.tokenizer import Tokenizer\n"
            "from tests.engine.corpora import STORIES\n"
            f"for kind in {VOCABULARIES}:\n"
            "    text = Tokenizer.train(STORIES.splitlines(), 310, kind=kind).raw.to_str()\n"
            "    print(hashlib.sha256(text.encode()).hexdigest())"
        )
        one, other = (subprocess.check_output([sys.executable, "-c", program], cwd=ROOT) for _ in range(2))
        assert one == other and len(one.split()) == 3


class TestBytes:
    def test_special_tokens_are_robertas_and_nothing_is_unknown(self):
        tokenizer = Tokenizer.train(STORY_LINES, 300, lowercase=False, kind="bpe")
        assert [tokenizer.word(i) for i in range(5)] == ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
        encoding = tokenizer.encode("Ελλάδα 🐈 [MASK] cat")
        assert not encoding.unknown and tokenizer.mask_id in encoding.ids
        assert tokenizer.raw.decode(encoding.ids, skip_special_tokens=True).split() == ["Ελλάδα", "🐈", "cat"]

    def test_too_small_a_size_and_an_unknown_kind_are_named(self):
        assert Tokenizer.train(STORY_LINES, LEAST_BPE, kind="bpe").vocab_size == LEAST_BPE
        with pytest.raises(BertcoreError, match="at least 261 entries, not 260"):
            Tokenizer.train(STORY_LINES, LEAST_BPE - 1, kind="bpe")
        with pytest.raises(BertcoreError, match="no vocabulary of the kind 'unigram'; choose one of wordpiece"):
            Tokenizer.train(STORY_LINES, 300, kind="unigram")


def test_the_commonest_words_are_kept():
    text = " ".join(f"{word} " * count for count, word in enumerate(["rare", "some", "more", "Most"], 1))
    tokenizer = Tokenizer.train([text], 5 + 3, kind="words")
    assert {tokenizer.word(i) for i in range(5, 8)} == {"some", "more", "most"}
    encoding = tokenizer.encode("most rare some!")
    assert [tokenizer.word(i) for i in encoding.ids] == ["[CLS]", "most", "[UNK]", "some", "[UNK]", "[SEP]"]
