"""Examples to token ids, batches of them, and scores back to answers."""

import itertools
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bertcore.data.pairs import NO_LABEL
from bertcore.errors import BertcoreError
from bertcore.model.output_heads import LinearChainCrf
from bertcore.tasks.batches import TaskBatches, shuffled_order, sorted_order
from bertcore.tasks.kinds import make_features
from bertcore.tasks.kinds.base import DecodeSettings
from bertcore.tasks.kinds.choice import ChoiceExample
from bertcore.tasks.kinds.span import AnswerExample
from bertcore.tasks.kinds.summarise import SummaryExample
from bertcore.tasks.kinds.tag import TaggedExample
from bertcore.tasks.kinds.texts import TextExample
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.engine.family_tokenizers import WRITERS, byte_level
from tests.engine.models import TOKENIZER, decode, epoch_of, word_tokenizer

# --- as `Tokenizer.encode` frames them one by one, words to pieces as `transformers` has them

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
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("families")
    made = {family: root / str(i) for i, family in enumerate(FAMILIES)}
    for family, folder in made.items():
        WRITERS[family](folder)
    return made


def assert_same(features, encodings):
    assert [row.tolist() for row in features.ids] == [encoding.ids for encoding in encodings]
    assert [row.tolist() for row in features.segments] == [encoding.segments for encoding in encodings]


@pytest.mark.parametrize("family", FAMILIES)
class TestEveryFamily:
    def test_texts_and_pairs_as_one_by_one(self, folders, family):
        tokenizer = Tokenizer.from_folder(folders[family])
        examples = [TextExample(a, b) for a in TEXTS for b in (None, *TEXTS)]
        for most in (512, 24, 11, 5):
            features = make_features("classify", examples, tokenizer, ("x",), max_length=most)
            assert_same(features, [tokenizer.encode(e.text_a, e.text_b, max_length=most) for e in examples])
            assert not features.labelled

    def test_choices_as_one_by_one(self, folders, family):
        tokenizer = Tokenizer.from_folder(folders[family])
        examples = [ChoiceExample("The cat", ("sat on", "", "[MASK] the mat")), ChoiceExample("", ("on", "the mat"))]
        features = make_features("choice", examples, tokenizer, max_length=9)
        assert_same(features, [tokenizer.encode(e.context, end, max_length=9) for e in examples for end in e.endings])
        assert features.unit_starts.tolist() == [0, 3, 5] and features.example_of.tolist() == [0, 0, 0, 1, 1]

    @given(words=st.lists(st.text("the catsé日🙂.,'", min_size=1, max_size=7), min_size=1, max_size=8))
    def test_tokens_are_of_the_word_they_stand_in(self, folders, family, words):
        """Also where a token is nothing but the space before a word, and where a word has spaces inside."""
        words = [word.strip() or "the" for word in words]
        tokenizer = Tokenizer.from_folder(folders[family])
        found = make_features("tag", [TaggedExample(tuple(words))], tokenizer, TAGS, max_length=512)
        text, begins, at = " ".join(words), [], 0
        for word in words:
            begins.append(at)
            at += len(word) + 1
        encoding = tokenizer.encode(text)
        firsts = {}
        for place, ((start, _), part) in enumerate(zip(encoding.offsets, encoding.parts, strict=True)):
            if part == "a":
                firsts.setdefault(max(i for i, begin in enumerate(begins) if begin <= start), place)
        row = found.words[0]
        assert found.ids[0].tolist() == encoding.ids
        assert {word: row.tolist().index(word) for word in firsts} == firsts


class TestTagsAgainstTransformers:
    @pytest.mark.parametrize("family", ["bert, cased", "roberta, space before", "xlm-roberta", "albert"])
    @pytest.mark.parametrize("most", [512, 12])
    def test_first_pieces(self, folders, family, most):
        theirs = pytest.importorskip("transformers").AutoTokenizer.from_pretrained(folders[family])
        tokenizer = Tokenizer.from_folder(folders[family])
        tags = tuple(TAGS[i % 3] for i in range(len(WORDS)))
        found = make_features("tag", [TaggedExample(WORDS, tags)], tokenizer, TAGS, max_length=most)
        expected = theirs(list(WORDS), is_split_into_words=True, truncation=True, max_length=most)
        of_token = expected.word_ids(0)
        firsts = [word if word is not None and of_token.index(word) == i else -1 for i, word in enumerate(of_token)]
        assert found.ids[0].tolist() == expected["input_ids"] and found.words[0].tolist() == firsts
        labels = [NO_LABEL if word < 0 else TAGS.index(tags[word]) for word in firsts]
        assert found.answers[0].tolist() == labels
        assert (len({word for word in firsts if word >= 0}) < len(WORDS)) == (most == 12)

    def test_a_byte_level_vocabulary_reads_words_as_in_running_text(self, folders):
        """Without a space before the first word, and with one before each other, which then belongs to its token."""
        tokenizer = Tokenizer.from_folder(folders["roberta"])
        found = make_features("tag", [TaggedExample(("the", "cat", "sat"))], tokenizer, TAGS, max_length=99)
        pieces = [tokenizer.label(token) for token in found.ids[0]]
        words = found.words[0].tolist()
        assert "".join(pieces) == "<s>the·cat·sat</s>"
        assert [pieces[words.index(i)][0] for i in range(3)] == ["t", "·", "·"]


def test_words_that_leave_no_token_are_not_seen():
    example = TaggedExample(("the", "\u200b", "", "cat"), ("O", "B-X", "B-X", "I-X"))
    found = make_features("tag", [example, TaggedExample((), ())], word_tokenizer(), TAGS, max_length=20)
    assert [row.tolist() for row in found.words] == [[-1, 0, 3, -1], [-1, -1]]
    assert found.answers[0].tolist() == [NO_LABEL, 0, 2, NO_LABEL]


def test_a_typed_mask_longer_than_the_vocabulary_writes_it():
    raw = byte_level()
    raw.add_special_tokens(["<a long mask>"])
    tokenizer = Tokenizer(raw, names={"mask": "<a long mask>"})
    found = make_features("tag", [TaggedExample(("a", "[MASK]", "b", "c"))], tokenizer, TAGS, max_length=99)
    assert found.ids[0].tolist() == tokenizer.encode("a [MASK] b c").ids
    assert [word for word in found.words[0].tolist() if word >= 0] == [0, 1, 2, 3]


def test_every_kind_of_label():
    def answers(kind, *labels):
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
        ("classify", TextExample("a", None, "maybe"), "Example 1 has the label “maybe”.*it has O, B-X, I-X"),
        ("multilabel", TextExample("a", None, ("O", "maybe")), "Example 1 has the label “maybe”"),
        ("multilabel", TextExample("a", None, "O"), "Example 1 has “O” where a list"),
        ("regress", TextExample("a", None, "much"), "Example 1 has “much” where a number"),
        ("regress", TextExample("a", None, "nan"), "Example 1 has “nan”"),
        ("classify", TextExample("a"), "Example 1 has no answer to learn from"),
        ("classify", TextExample("a \ud800", None, "O"), "“a .”.*not valid Unicode"),
        ("classify", TextExample("a", "b [MASK] \ud800", "O"), "not valid Unicode"),
        ("tag", TaggedExample(("a",), ("B-Y",)), "Example 1 has the tag “B-Y”"),
        ("tag", TaggedExample(("a", "b"), ("O",)), "2 words and 1 tags"),
        ("tag", TaggedExample(("a", "\udfff"), ("O", "O")), "not valid Unicode"),
        ("choice", ChoiceExample("a", ("b", "c"), 2), "ending 3 is right, but has 2"),
        ("choice", ChoiceExample("a", ()), "Example 1 has no endings"),
        ("choice", ChoiceExample("a", ("b",)), "no answer to learn from"),
    ],
)
def test_what_does_not_fit_is_named(kind, example, message):
    with pytest.raises(BertcoreError, match=message):
        make_features(kind, [example], word_tokenizer(), TAGS, max_length=9, need_answers=True)
    if kind == "classify":  # counted from 1
        with pytest.raises(BertcoreError, match=message.replace("Example 1", "Example 2")):
            both = [TextExample("a", None, "O"), example]
            make_features(kind, both, word_tokenizer(), TAGS, max_length=9, need_answers=True)
    with pytest.raises(BertcoreError, match="no examples"):
        make_features(kind, [], word_tokenizer(), TAGS, max_length=9)
    with pytest.raises(ValueError, match="takes "):
        make_features("span", [example], word_tokenizer(), max_length=9)


# --- batches: every unit once, like lengths together, the same for the same seed and epoch

RNG = np.random.default_rng(0)
LENGTHS = st.lists(st.integers(1, 30), min_size=1, max_size=60).map(np.array)


def texts(count):
    lengths = RNG.geometric(0.12, count).clip(1, 50)
    return [TextExample("a " * int(n), None, ("no", "yes")[i % 2]) for i, n in enumerate(lengths)]


def batches_of(kind, examples, size, labels=("no", "yes"), **settings):
    return TaskBatches(make_features(kind, examples, TOKENIZER, labels, max_length=40), size, 7, **settings)


class TestOrder:
    @given(lengths=LENGTHS, size=st.integers(1, 9), seed=st.integers(0, 99), choices=st.booleans())
    def test_every_unit_once_in_even_batches(self, lengths, size, seed, choices):
        groups = lengths % 3 if choices else None
        for order in (
            shuffled_order(lengths, size, np.random.default_rng(seed), groups), sorted_order(lengths, size, groups)
        ):  # fmt: skip
            assert sorted(np.concatenate(order).tolist()) == list(range(len(lengths)))
            sizes = [len(units) for units in order]
            if groups is None:
                assert len(order) == -(-len(lengths) // size) and max(sizes) - min(sizes) <= 1 and max(sizes) <= size
            else:
                assert all(len(set(groups[units])) == 1 for units in order) and max(sizes) <= size

    def test_the_order_depends_on_seed_and_epoch_alone(self):
        def order(seed, epoch):
            batches = batches_of("classify", examples, 8, seed=seed)
            list(epoch_of(batches, 3))  # what was read before does not matter
            return [units.tolist() for units in batches.order(epoch)]

        examples = texts(100)
        assert order(1, 2) == order(1, 2)
        different = {str(order(seed, epoch)) for seed in (1, 2) for epoch in (0, 1, 2)}
        assert len(different) == 6
        batches = batches_of("classify", examples, 8, seed=5)
        whole, again = list(epoch_of(batches, 1)), list(epoch_of(batches, 1, first=3))
        assert len(whole) == len(batches) and len(again) == len(whole) - 3
        assert all(torch.equal(a.input_ids, b.input_ids) for a, b in zip(whole[3:], again, strict=True))

    def test_batches_are_not_the_same_from_epoch_to_epoch_nor_in_order_of_length(self):
        batches = batches_of("classify", texts(2_000), 8)
        first, second = ({frozenset(units.tolist()) for units in batches.order(epoch)} for epoch in (0, 1))
        assert len(first & second) < 5
        longest = [int(batches.features.unit_lengths[units].max()) for units in batches.order(0)]
        assert abs(np.corrcoef(longest, np.arange(len(longest)))[0, 1]) < 0.25

    def test_little_is_padding(self):
        batches = batches_of("classify", texts(2_000), 16, ("no", "yes"))
        by_hand = [batch.attention_mask for batch in epoch_of(batches, 0)]
        padded = sum(int((mask == 0).sum()) for mask in by_hand if mask is not None)
        read = sum(batch.input_ids.numel() for batch in epoch_of(batches, 0))
        assert 0 < padded / read < 0.03
        unsorted = shuffled_order(np.ones(2_000, int), 16, np.random.default_rng(0))
        lengths = batches.features.unit_lengths
        assert 1 - lengths.sum() / sum(lengths[units].max() * len(units) for units in unsorted) > 0.4
        straight = batches_of("classify", list(batches.features.examples), 16, ("no", "yes"), shuffle=False)
        assert sum(b.input_ids.numel() for b in epoch_of(straight, 0)) < read
        sizes = [batch.input_ids.shape[1] for batch in epoch_of(straight, 4)]
        assert sizes == sorted(sizes, reverse=True) == [batch.input_ids.shape[1] for batch in epoch_of(straight, 0)]


def test_padding_and_labels():
    batches = batches_of("classify", [TextExample("the cat", "a dog sat", "yes"), TextExample("it was", None, "no")], 2)
    batch = batches.batch(np.array([1, 0]))
    pair, single = TOKENIZER.encode("the cat", "a dog sat"), TOKENIZER.encode("it was")
    assert batch.input_ids.dtype == torch.int64
    assert batch.input_ids.tolist() == [single.ids + [7] * 4, pair.ids]
    assert batch.segment_ids.tolist() == [[0] * 8, pair.segments]
    assert batch.attention_mask.tolist() == [[1] * 4 + [0] * 4, [1] * 8]
    assert batch.labels.tolist() == [0, 1]
    without = TaskBatches(batches.features, 2, 7, segments=False).batch(np.array([0]))
    assert without.segment_ids is None and without.attention_mask is None
    with pytest.raises(ValueError, match="at least one"):
        batches_of("classify", texts(3), 0)


def test_words_sentences_and_windows():
    tagged = [TaggedExample(("the", "comfortable", "cat"), ("O", "B", "I")), TaggedExample(("a",), ("B",))]
    batch = batches_of("tag", tagged, 2, ("O", "B", "I")).batch(np.array([0, 1]))
    assert batch.labels.tolist() == [[-100, 0, 1, -100, 2, -100], [-100, 1, -100, -100, -100, -100]]
    documents = [SummaryExample(("the cat", "sat"), (False, True))]
    documents += [SummaryExample(("a", "dog", "on"), (True, True, False))]
    batch = batches_of("summarise", documents, 2, ()).batch(np.array([1, 0]))
    assert (batch.input_ids.flatten()[batch.rows] == TOKENIZER.cls_id).all() and batch.rows.tolist() == [0, 3, 6, 9, 13]
    assert batch.labels.tolist() == [1, 1, 0, 0, 1]
    example = AnswerExample("1", "the cat", "a dog sat on the mat", (("mat", 17),))
    features = make_features("span", [example], TOKENIZER, max_length=10, stride=2)
    [batch] = epoch_of(TaskBatches(features, 8, 7, shuffle=False), 0)
    # [CLS] the cat [SEP] a dog sat on the [SEP], then two tokens further: sat on the mat
    assert batch.labels.tolist() == [[0, 0], [7, 7]]
    assert batch.input_ids.shape == (2, 10) and TOKENIZER.word(int(batch.input_ids[1, 7])) == "mat"


def test_choices_of_unlike_number_are_apart():
    examples = [ChoiceExample("the cat", tuple("abcd"[: 2 + i % 3]), i % 2) for i in range(20)]
    batches = batches_of("choice", examples, 4, ())
    order = batches.order(0)
    assert len(batches) == len(order)
    for units, batch in zip(order, epoch_of(batches, 0), strict=True):
        assert batch.input_ids.shape[0] == batch.choices * len(units)
        assert batch.labels.tolist() == [int(unit) % 2 for unit in units]
        expected = [TOKENIZER.encode("the cat", end).ids for unit in units for end in examples[unit].endings]
        assert batch.input_ids.tolist() == expected


# --- scores back to answers, whichever way the batches were cut

THREE = [TextExample("the cat"), TextExample("a dog sat"), TextExample("it was")]
LABELS = ("a", "b", "c")


def decoded_features(kind, examples, labels=LABELS, most=20):
    return make_features(kind, examples, word_tokenizer(), labels, max_length=most)


class TestAnswersOfTexts:
    def test_probabilities_and_order(self):
        scores = torch.tensor([[0.0, 1.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.0, math.log(2)]], dtype=torch.bfloat16)
        outputs = [(np.array([2, 0]), scores[[2, 0]]), (np.array([1]), scores[[1]])]
        found = decode(decoded_features("classify", THREE), outputs)
        assert [prediction.answer for prediction in found] == ["b", "a", "c"]
        assert dict(found[2].probabilities) == pytest.approx({"a": 0.25, "b": 0.25, "c": 0.5}, abs=2e-3)
        with pytest.raises(ValueError, match="no logits for 1 of 3, the first of them number 1"):
            decode(decoded_features("classify", THREE), outputs[:1])

    def test_every_label_above_the_threshold_and_numbers(self):
        outputs = [(np.arange(3), np.array([[0.0, -0.1, 2.0], [-1, -1, -1], [5, 5, 5]]))]
        found = decode(decoded_features("multilabel", THREE), outputs)
        assert [p.answer for p in found] == [("a", "c"), (), LABELS]
        assert found[0].probabilities["c"] == pytest.approx(1 / (1 + math.exp(-2)))
        outputs = [(np.array([1, 0]), torch.tensor([[2.5], [-1.0]])), (np.array([2]), np.array([[0.0]]))]
        assert [p.answer for p in decode(decoded_features("regress", THREE), outputs)] == [-1.0, 2.5, 0.0]

    def test_choices_of_unlike_number(self):
        examples = [ChoiceExample("a", ("b", "c")), ChoiceExample("a", ("b", "c", "d"))]
        outputs = [(np.array([1]), np.array([[0.0, 0, math.log(8)]])), (np.array([0]), np.array([[1.0, 0]]))]
        found = decode(decoded_features("choice", examples), outputs)
        assert [p.answer for p in found] == [0, 2]
        assert found[1].probabilities == pytest.approx((0.1, 0.1, 0.8))


class TestAnswersOfWords:
    """[CLS] the comfort ##able cat [SEP] and [CLS] a bird sang very [SEP], of five words."""

    @pytest.fixture
    def features(self):
        words = ("the", "comfortable", "cat"), ("a", "bird", "sang", "very", "comfortable")
        return decoded_features("tag", [TaggedExample(each) for each in words], (*LABELS, "d"), most=6)

    @pytest.fixture
    def scores(self):
        best = np.array([[3, 0, 1, 3, 2, 3], [3, 2, 1, 0, 1, 3]])
        return torch.tensor(np.where(np.arange(4) == best[:, :, None], math.log(3), 0.0)).float()

    def test_the_first_piece_decides(self, features, scores):
        found = decode(features, [(np.array([1, 0]), scores.flip(0))])
        assert [p.answer for p in found] == [("a", "b", "c"), ("c", "b", "a", "b", "O")]
        [first, second] = found
        assert (first.words_cut, second.words_cut) == (0, 1)
        assert first.probabilities == pytest.approx((0.5,) * 3) and second.probabilities[-1] == 0

    def test_a_crfs_probabilities_are_over_all_sequences(self, features, scores):
        """Words stand at tokens 1, 2 and 4: all 64 sequences of four tags, added up by hand."""
        crf, words = LinearChainCrf(4), [1, 2, 4]
        generator = torch.Generator().manual_seed(1)
        with torch.no_grad():
            for parameter in crf.parameters():
                parameter.copy_(torch.randn(parameter.shape, generator=generator))
        found = decode(features, [(np.array([0, 1]), scores)], DecodeSettings(crf=crf))[0]
        weights = {}
        with torch.no_grad():
            for tags in itertools.product(range(4), repeat=3):
                moves = sum(crf.transitions[one, other] for one, other in itertools.pairwise(tags))
                emitted = sum(scores[0, word, tag] for word, tag in zip(words, tags, strict=True))
                weights[tags] = math.exp(crf.start[tags[0]] + moves + emitted + crf.end[tags[2]])
        best = max(weights, key=weights.__getitem__)
        assert found.tags == tuple("abcd"[tag] for tag in best)
        share = [sum(w for tags, w in weights.items() if tags[i] == best[i]) / sum(weights.values()) for i in range(3)]
        assert found.probabilities == pytest.approx(share, rel=1e-5)
