"""Examples to token ids: as `Tokenizer.encode` frames them one by one, words to pieces as `transformers` has them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertcore.data.pairs import NO_LABEL
from bertcore.errors import BertcoreError
from bertcore.tasks.kinds import make_features
from bertcore.tasks.kinds.base import Features
from bertcore.tasks.kinds.choice import ChoiceExample
from bertcore.tasks.kinds.tag import TagFeatures, TaggedExample
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tokenizer.tokenizer import Encoding, Tokenizer
from tests.engine.family_tokenizers import WRITERS, byte_level
from tests.engine.models import word_tokenizer

FAMILIES = ["bert, cased", "roberta", "roberta, space before", "xlm-roberta", "camembert", "albert"]
TEXTS = [
    "The cat sat on the mat.",
    "été ÉTÉ garçon Straße naïve, e\u0301",
    "🙂 the 👩‍👩‍👧 cat🙂",
    " two  spaces   three \t tab\n",
    "",
    "the [MASK] sat, a[MASK]b [MASK]",
    "<mask> <s> </s> [CLS] [SEP] <pad>",
    "日本語 と 中文 mixed " * 4,
]
WORDS = ("don't", "the", "garçon", "sat", "3.14", "日本語", "U.S.A.", "🙂", "on", "naïve", ",")
TAGS = ("O", "B-X", "I-X")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("families")
    made = {family: root / str(i) for i, family in enumerate(FAMILIES)}
    for family, folder in made.items():
        WRITERS[family](folder)
    return made


def assert_same(features: Features, encodings: Sequence[Encoding]) -> None:
    assert [row.tolist() for row in features.ids] == [encoding.ids for encoding in encodings]
    assert [row.tolist() for row in features.segments] == [encoding.segments for encoding in encodings]


@pytest.mark.parametrize("family", FAMILIES)
class TestEveryFamily:
    def test_texts_and_pairs_as_one_by_one(self, folders: dict[str, Path], family: str) -> None:
        tokenizer = Tokenizer.from_folder(folders[family])
        examples = [TextExample(a, b) for a in TEXTS for b in (None, *TEXTS)]
        for most in (512, 24, 11, 5):
            features = make_features("classify", examples, tokenizer, ("x",), max_length=most)
            assert_same(features, [tokenizer.encode(e.text_a, e.text_b, max_length=most) for e in examples])
            assert not features.labelled

    def test_choices_as_one_by_one(self, folders: dict[str, Path], family: str) -> None:
        tokenizer = Tokenizer.from_folder(folders[family])
        examples = [ChoiceExample("The cat", ("sat on", "", "[MASK] the mat")), ChoiceExample("", ("on", "the mat"))]
        features = make_features("choice", examples, tokenizer, max_length=9)
        assert_same(features, [tokenizer.encode(e.context, end, max_length=9) for e in examples for end in e.endings])
        assert features.unit_starts.tolist() == [0, 3, 5] and features.example_of.tolist() == [0, 0, 0, 1, 1]

    @given(words=st.lists(st.text("the catsé日🙂.,'", min_size=1, max_size=7), min_size=1, max_size=8))
    def test_every_token_is_of_the_word_it_stands_in(
        self, folders: dict[str, Path], family: str, words: list[str]
    ) -> None:
        """Also where a token is nothing but the space before a word, and where a word has spaces inside."""
        words = [word.strip() or "the" for word in words]
        tokenizer = Tokenizer.from_folder(folders[family])
        found = tagged(make_features("tag", [TaggedExample(tuple(words))], tokenizer, TAGS, max_length=512))
        text, begins, at = " ".join(words), [], 0
        for word in words:
            begins.append(at)
            at += len(word) + 1
        encoding = tokenizer.encode(text)
        firsts: dict[int, int] = {}
        for place, ((start, _), part) in enumerate(zip(encoding.offsets, encoding.parts, strict=True)):
            if part == "a":
                firsts.setdefault(max(i for i, begin in enumerate(begins) if begin <= start), place)
        row = found.words[0]
        assert found.ids[0].tolist() == encoding.ids
        assert {word: row.tolist().index(word) for word in firsts} == firsts


def tagged(features: Features) -> TagFeatures:
    assert isinstance(features, TagFeatures)
    return features


class TestTagsAgainstTransformers:
    @pytest.mark.parametrize("family", ["bert, cased", "roberta, space before", "xlm-roberta", "albert"])
    @pytest.mark.parametrize("most", [512, 12])
    def test_first_pieces(self, folders: dict[str, Path], family: str, most: int) -> None:
        theirs: Any = pytest.importorskip("transformers").AutoTokenizer.from_pretrained(folders[family])
        tokenizer = Tokenizer.from_folder(folders[family])
        tags = tuple(TAGS[i % 3] for i in range(len(WORDS)))
        found = tagged(make_features("tag", [TaggedExample(WORDS, tags)], tokenizer, TAGS, max_length=most))
        expected = theirs(list(WORDS), is_split_into_words=True, truncation=True, max_length=most)
        of_token = expected.word_ids(0)
        firsts = [word if word is not None and of_token.index(word) == i else -1 for i, word in enumerate(of_token)]
        assert found.ids[0].tolist() == expected["input_ids"] and found.words[0].tolist() == firsts
        labels = [NO_LABEL if word < 0 else TAGS.index(tags[word]) for word in firsts]
        assert found.answers[0].tolist() == labels
        assert (len({word for word in firsts if word >= 0}) < len(WORDS)) == (most == 12)

    def test_a_byte_level_vocabulary_reads_words_as_in_running_text(self, folders: dict[str, Path]) -> None:
        """Without a space before the first word, and with one before each other, which then belongs to its token."""
        tokenizer = Tokenizer.from_folder(folders["roberta"])
        found = tagged(make_features("tag", [TaggedExample(("the", "cat", "sat"))], tokenizer, TAGS, max_length=99))
        pieces = [tokenizer.label(token) for token in found.ids[0]]
        words = found.words[0].tolist()
        assert "".join(pieces) == "<s>the·cat·sat</s>"
        assert [pieces[words.index(i)][0] for i in range(3)] == ["t", "·", "·"]


class TestWords:
    def test_words_that_leave_no_token_are_not_seen(self) -> None:
        example = TaggedExample(("the", "\u200b", "", "cat"), ("O", "B-X", "B-X", "I-X"))
        found = tagged(make_features("tag", [example], word_tokenizer(), TAGS, max_length=20))
        assert found.words[0].tolist() == [-1, 0, 3, -1]
        assert found.answers[0].tolist() == [NO_LABEL, 0, 2, NO_LABEL]

    def test_a_typed_mask_longer_than_the_vocabulary_writes_it(self) -> None:
        raw = byte_level()
        raw.add_special_tokens(["<a long mask>"])
        tokenizer = Tokenizer(raw, names={"mask": "<a long mask>"})
        found = tagged(make_features("tag", [TaggedExample(("a", "[MASK]", "b", "c"))], tokenizer, TAGS, max_length=99))
        assert found.ids[0].tolist() == tokenizer.encode("a [MASK] b c").ids
        assert [word for word in found.words[0].tolist() if word >= 0] == [0, 1, 2, 3]

    def test_no_words_at_all(self) -> None:
        found = tagged(make_features("tag", [TaggedExample((), ())], word_tokenizer(), TAGS, max_length=20))
        assert found.words[0].tolist() == [-1, -1]


class TestLabels:
    def test_every_kind_of_label(self) -> None:
        def answers(kind: Any, *labels: Any) -> np.ndarray:
            examples = [TextExample("the cat", None, label) for label in labels]
            features = make_features(kind, examples, word_tokenizer(), ("no", "yes"), max_length=9)
            assert features.labelled == (None not in labels)
            return features.answers

        assert answers("classify", "yes", "no", None).tolist() == [1, 0, NO_LABEL]
        np.testing.assert_array_equal(answers("regress", 2.5, "3", None), np.array([2.5, 3.0, np.nan], np.float32))
        table = answers("multilabel", ("yes", "no"), (), None)
        np.testing.assert_array_equal(table, [[1, 1], [0, 0], [np.nan, np.nan]])

    @pytest.mark.parametrize(
        ("kind", "example", "message"),
        [
            ("classify", TextExample("a", None, "maybe"), "Example 2 has the label “maybe”.*it has no, yes"),
            ("multilabel", TextExample("a", None, ("yes", "maybe")), "Example 2 has the label “maybe”"),
            ("multilabel", TextExample("a", None, "yes"), "Example 2 has “yes” where a list"),
            ("regress", TextExample("a", None, "much"), "Example 2 has “much” where a number"),
            ("regress", TextExample("a", None, "nan"), "Example 2 has “nan”"),
            ("classify", TextExample("a"), "Example 2 has no answer to learn from"),
            ("classify", TextExample("a \ud800", None, "yes"), "“a .”.*not valid Unicode"),
            ("classify", TextExample("a", "b [MASK] \ud800", "yes"), "not valid Unicode"),
        ],
    )
    def test_what_does_not_fit_is_named(self, kind: Any, example: TextExample, message: str) -> None:
        good = TextExample("a", None, {"classify": "yes", "regress": 1.0, "multilabel": ("yes",)}[kind])
        with pytest.raises(BertcoreError, match=message):
            make_features(kind, [good, example], word_tokenizer(), ("no", "yes"), max_length=9, need_answers=True)

    def test_other_kinds_too(self) -> None:
        tokenizer = word_tokenizer()
        for kind, example, message in (
            ("tag", TaggedExample(("a",), ("B-Y",)), "Example 1 has the tag “B-Y”"),
            ("tag", TaggedExample(("a", "b"), ("O",)), "2 words and 1 tags"),
            ("tag", TaggedExample(("a", "\udfff"), ("O", "O")), "not valid Unicode"),
            ("choice", ChoiceExample("a", ("b", "c"), 2), "ending 3 is right, but has 2"),
            ("choice", ChoiceExample("a", ()), "Example 1 has no endings"),
            ("choice", ChoiceExample("a", ("b",)), "no answer to learn from"),
        ):
            with pytest.raises(BertcoreError, match=message):
                make_features(kind, [example], tokenizer, TAGS, max_length=9, need_answers=True)  # type: ignore[arg-type]
        with pytest.raises(BertcoreError, match="no examples"):
            make_features("tag", [], tokenizer, TAGS, max_length=9)
        with pytest.raises(ValueError, match="takes TextExample"):
            make_features("classify", [TaggedExample(("a",))], tokenizer, max_length=9)
