"""Learned vocabularies: deterministic, of the size asked for, and read by `transformers` as by us."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from bertcore.errors import BertcoreError
from bertcore.tokenizer import LEAST_BPE, VOCABULARIES
from bertcore.tokenizer.tokenizer import Tokenizer
from tests.engine.corpora import STORIES

TEXTS = STORIES.splitlines()
TYPED = ("The cat sat; naïve Überraschung, 3 birds!", "A dog sang on the mat.")
ROOT = Path(__file__).parents[2]


class TestEveryKind:
    @pytest.mark.parametrize("lowercase", [True, False])
    @pytest.mark.parametrize("kind", VOCABULARIES)
    def test_a_saved_one_reads_text_as_before_and_as_transformers_does(
        self, kind: str, lowercase: bool, tmp_path: Path
    ) -> None:
        from transformers import AutoTokenizer

        tokenizer = Tokenizer.train(TEXTS, 300, lowercase, kind=kind)
        assert tokenizer.vocab_size <= 300 and tokenizer.lowercase == lowercase
        tokenizer.save(tmp_path)
        again, theirs = Tokenizer.from_folder(tmp_path), AutoTokenizer.from_pretrained(tmp_path)
        for a, b in (TYPED, (TYPED[1], None)):
            ours = tokenizer.encode(a, b)
            assert ours.ids == again.encode(a, b).ids == theirs(a, b)["input_ids"]
            assert ours.segments == again.encode(a, b).segments
        assert theirs.mask_token_id == tokenizer.mask_id and theirs.pad_token_id == tokenizer.pad_id
        assert again.lowercase == lowercase and again.class_name == tokenizer.class_name

    def test_another_process_learns_the_same(self) -> None:
        program = (
            "import sys, hashlib; from bertcore.tokenizer.tokenizer import Tokenizer\n"
            "from tests.engine.corpora import STORIES\n"
            f"for kind in {VOCABULARIES}:\n"
            "    text = Tokenizer.train(STORIES.splitlines(), 310, kind=kind).raw.to_str()\n"
            "    print(hashlib.sha256(text.encode()).hexdigest())"
        )
        said = [
            subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True).stdout
            for _ in range(2)
        ]
        assert said[0] == said[1] and len(said[0].split()) == 3

    def test_an_unknown_kind_is_named(self) -> None:
        with pytest.raises(BertcoreError, match="no vocabulary of the kind 'unigram'; choose one of wordpiece"):
            Tokenizer.train(TEXTS, 300, kind="unigram")


class TestBytes:
    def test_special_tokens_are_robertas_and_nothing_is_unknown(self) -> None:
        tokenizer = Tokenizer.train(TEXTS, 300, lowercase=False, kind="bpe")
        assert [tokenizer.word(i) for i in range(5)] == ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
        encoding = tokenizer.encode("Ελλάδα 🐈 [MASK] cat")
        assert not encoding.unknown and tokenizer.mask_id in encoding.ids
        assert tokenizer.raw.decode(encoding.ids, skip_special_tokens=True).split() == ["Ελλάδα", "🐈", "cat"]

    def test_merges_are_those_of_the_commonest_pairs(self) -> None:
        """Byte-pair encoding by hand (Sennrich et al. 2016), on words whose pairs are never equally common."""
        texts = ["ab " * 50 + "abc " * 30 + "cd " * 19 + "dda " * 7]
        words = Counter(("Ġ" + word) for word in texts[0].split())
        pieces = {word: list(word) for word in words}
        merged = []
        for _ in range(4):
            pairs: Counter[tuple[str, str]] = Counter()
            for word, count in words.items():
                for pair in zip(pieces[word], pieces[word][1:], strict=False):
                    pairs[pair] += count
            best = min(pairs, key=lambda pair: (-pairs[pair], pair))
            merged.append("".join(best))
            pieces = {word: _merge(parts, best) for word, parts in pieces.items()}
        tokenizer = Tokenizer.train(texts, LEAST_BPE + 4, kind="bpe")
        assert {tokenizer.word(i) for i in range(LEAST_BPE, LEAST_BPE + 4)} == set(merged)

    def test_too_small_a_size_is_named(self) -> None:
        assert Tokenizer.train(TEXTS, LEAST_BPE, kind="bpe").vocab_size == LEAST_BPE
        with pytest.raises(BertcoreError, match="at least 261 entries, not 260"):
            Tokenizer.train(TEXTS, LEAST_BPE - 1, kind="bpe")


def _merge(parts: list[str], pair: tuple[str, str]) -> list[str]:
    merged: list[str] = []
    for part in parts:
        if merged and (merged[-1], part) == pair:
            merged[-1] += part
        else:
            merged.append(part)
    return merged


class TestWholeWords:
    def test_the_commonest_words_are_kept(self) -> None:
        text = " ".join(f"{word} " * count for count, word in enumerate(["rare", "some", "more", "Most"], 1))
        tokenizer = Tokenizer.train([text], 5 + 3, kind="words")
        assert {tokenizer.word(i) for i in range(5, 8)} == {"some", "more", "most"}
        encoding = tokenizer.encode("most rare some!")
        assert [tokenizer.word(i) for i in encoding.ids] == ["[CLS]", "most", "[UNK]", "some", "[UNK]", "[SEP]"]
