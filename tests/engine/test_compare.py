"""Two passes side by side against scipy and the formulas; two models or texts in one result; many texts at once."""

import os
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from bertcore.analysis.align import Alignment, align
from bertcore.analysis.compare import (
    compared,
    linear_cka,
    matched_heads,
    moved_words,
    parameter_changes,
    state_similarity,
)
from bertcore.analysis.find_target import find_target
from bertcore.analysis.passes import as_text
from bertcore.analysis.targets import Target
from bertcore.analysis.trace import trace
from bertcore.checkpoint.checkpoint import save_checkpoint
from bertcore.errors import BertcoreError
from bertcore.evaluation.score_texts import listed_texts, mean_by_choice, read_listed_texts, score_texts
from bertcore.loaded_model import load
from bertcore.tokenizer.tokenizer import Tokenizer
from bertcore.tokenizer.vocabularies import raw_from_words
from tests.engine.models import TOKENIZER, VOCABULARY, tiny_checkpoint, tiny_model
from tests.limited import needs_limits, run_limited
from tests.text_file import text_file

# --- against scipy, the formulas written out, and cases whose answer is known

RNG = np.random.default_rng(3)
OURS = RNG.dirichlet(np.full(6, 0.4), size=(2, 3, 6)).astype(np.float32)  # (L,N,S,S)
SHORTER = RNG.dirichlet(np.full(5, 0.4), size=(2, 3, 5)).astype(np.float32)
ALIGNMENT = Alignment((0, 1, None, None, 3, 4), 5)  # their token 2 has no counterpart
IDENTITY = Alignment(tuple(range(6)), 6)
NOTHING = Alignment((0, None), 2, "other_text")


def divergence(first, second):
    """Of two heads (R,C), by scipy."""
    return float(np.mean(jensenshannon(first.astype(np.float64), second.astype(np.float64), base=2, axis=-1) ** 2))


def with_rest(attention, kept):
    """(S,S) -> (P,P+1): the other tokens as one."""
    other = [i for i in range(len(attention)) if i not in kept]
    return np.column_stack([attention[np.ix_(kept, kept)], attention[np.ix_(kept, other)].sum(axis=1)])


class TestHeads:
    def test_of_the_same_tokens_it_is_scipys_divergence(self):
        theirs = RNG.dirichlet(np.full(6, 0.4), size=(2, 3, 6)).astype(np.float32)
        found = matched_heads(OURS, theirs, IDENTITY).divergences
        expected = [[divergence(OURS[i, j], theirs[i, j]) for j in range(3)] for i in range(2)]
        assert np.abs(found - expected).max() < 1e-6
        assert np.abs(matched_heads(OURS, OURS, IDENTITY).divergences).max() == 0
        assert (compared(OURS, OURS, IDENTITY)[0][..., -1] == 0).all()

    def test_tokens_without_a_counterpart_count_together(self):
        found = matched_heads(OURS, SHORTER, ALIGNMENT).divergences
        ours, theirs = compared(OURS, SHORTER, ALIGNMENT)
        assert ours.shape == theirs.shape == (2, 3, 4, 5)
        for at in np.ndindex(2, 3):
            by_hand = with_rest(OURS[at], [0, 1, 4, 5]), with_rest(SHORTER[at], [0, 1, 3, 4])
            assert ours[at] == pytest.approx(by_hand[0], abs=1e-6) and theirs[at] == pytest.approx(by_hand[1], abs=1e-6)
            assert found[at] == pytest.approx(divergence(*by_hand), abs=1e-6)

    def test_heads_in_another_order_are_found(self):
        shuffled = np.concatenate([OURS[::-1, [2, 0, 1]], OURS[:1]])  # a layer more: of equals, the first is found
        found = matched_heads(OURS, shuffled, IDENTITY)
        assert found.layers.tolist() == [[1, 1, 1], [0, 0, 0]]
        assert found.heads.tolist() == [[1, 2, 0], [1, 2, 0]]
        assert np.abs(found.divergences).max() < 1e-6
        # and in a model of another shape
        more = RNG.dirichlet(np.full(6, 0.4), size=(3, 5, 6)).astype(np.float32)
        more[2, 4] = OURS[0, 1]
        found = matched_heads(OURS, more, IDENTITY)
        assert (found.layers[0, 1], found.heads[0, 1]) == (2, 4)
        best = min(divergence(OURS[1, 2], head) for head in more.reshape(-1, 6, 6))
        assert found.divergences[1, 2] == pytest.approx(best, abs=1e-6)


class TestStates:
    def test_cosines_of_paired_tokens(self):
        ours, theirs = RNG.normal(size=(3, 6, 8)), RNG.normal(size=(3, 5, 8))
        theirs[1, 3] = 0
        found = state_similarity(ours, theirs, ALIGNMENT)
        assert found.shape == (3, 4)
        expected = ours[2, 4] @ theirs[2, 3] / np.linalg.norm(ours[2, 4]) / np.linalg.norm(theirs[2, 3])
        assert found[2, 2] == pytest.approx(expected)
        assert found[1, 2] == 0  # a vector without a direction
        with pytest.raises(BertcoreError, match="2 layers of width 8 and 2 layers of width 7"):
            state_similarity(ours, theirs[..., :7], ALIGNMENT)

    def test_cka_is_the_ratio_of_unbiased_hsic(self):
        """Song et al. 2012, equation 5, term by term."""

        def hsic(first, second):
            k, m = first @ first.T, second @ second.T
            n, one = len(k), np.ones(len(k))
            np.fill_diagonal(k, 0)
            np.fill_diagonal(m, 0)
            sums = (one @ k @ one) * (one @ m @ one) / ((n - 1) * (n - 2))
            return float((np.trace(k @ m) + sums - 2 / (n - 2) * (one @ k @ m @ one)) / (n * (n - 3)))

        ours, theirs = RNG.normal(size=(3, 6, 8)) + 1, RNG.normal(size=(2, 6, 4))
        theirs[1] = ours[1, :, :4]
        found = linear_cka(ours, theirs, IDENTITY)
        assert found.shape == (3, 2)
        for i, j in np.ndindex(3, 2):
            x, y = ours[i], theirs[j]
            assert found[i, j] == pytest.approx(hsic(x, y) / np.sqrt(hsic(x, x) * hsic(y, y)), abs=1e-9)

    def test_too_few_tokens_say_so(self):
        states = RNG.normal(size=(2, 3, 4))
        with pytest.raises(BertcoreError, match="needs 4 tokens that both texts have, and there are 3"):
            linear_cka(states, states, Alignment((0, 1, 2), 3))
        for compare, values in ((state_similarity, states[:, :2]), (matched_heads, OURS[..., :2, :2])):
            with pytest.raises(BertcoreError, match="no word in common"):
                compare(values, values, NOTHING)


class TestParameters:
    def test_each_change_is_of_the_part_that_changed(self):
        before, after = tiny_model(), tiny_model()
        with torch.no_grad():
            after.encoder.layer(1).attention.query_key_value.weight[32:64] += 0.5  # the keys' matrix (H,H)
            after.embeddings.token.weight[7] += 2
            after.mlm.bias[0] += 3
        changes = {(each.layer, each.part): each for each in parameter_changes(before, after)}
        changed = {place: each.change for place, each in changes.items() if each.change}
        expected = {(1, "key"): 0.5 * 32, (None, "token"): 2 * 32**0.5, (None, "word head"): 3}
        assert changed == pytest.approx(expected, rel=1e-6)
        assert sum(each.other_norm**2 for each in changes.values()) == pytest.approx(
            sum(float((p.double() ** 2).sum()) for name, p in before.named_parameters() if not name.startswith("nsp")),
            rel=1e-6,
        )
        token = changes[None, "token"]
        assert token.relative == token.change / token.other_norm

    def test_words_that_moved_come_farthest_first(self):
        before, after = tiny_model(), tiny_model()
        with torch.no_grad():
            after.embeddings.token.weight[7] *= -1
            after.embeddings.token.weight[9] *= 2
        words = moved_words(before, after, TOKENIZER)
        assert {word.id for word in words} == {7, 9}  # the others did not move
        assert words[0].distance >= words[1].distance
        by_id = {word.id: word for word in words}
        assert by_id[7].cosine == pytest.approx(-1) and by_id[9].cosine == pytest.approx(1)
        assert by_id[7].token == TOKENIZER.word(7)

    def test_shared_layers_are_listed_once_and_other_shapes_say_what_differs(self):
        model = tiny_model(model_type="albert", num_hidden_groups=1)
        assert [each.layer for each in parameter_changes(model, model) if each.part == "query"] == [0]
        with pytest.raises(BertcoreError, match="one model has 2 layers, the other 3"):
            parameter_changes(tiny_model(), tiny_model(num_hidden_layers=3))


# --- from names to targets; two models or texts in one result; many texts at once

TAGS = ("O", "B-PER", "I-PER")
MOODS = ("bad", "so so", "good")
SCORE = {"labels": ("stars",), "problem_type": "regression"}
MASKED, OTHER = "The cat sat on [MASK].", "The dog sat on [MASK]."


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """A small model with some heads; the same ones are made once."""

    @cache
    def model(*tasks, **changes):
        return load(tiny_checkpoint(tmp_path_factory.mktemp("model"), output_heads=tasks or ("mlm", "nsp"), **changes))

    return model


def number(m, target, a, b=None):
    encoding = m.encode(a, b)
    text = as_text(m.bert, encoding.ids, encoding.segments)
    with torch.inference_mode():
        return float(target.of(m.bert, text.hidden(m.bert)))


class TestTargets:
    def test_a_word_at_the_mask(self, opened):
        m = opened()
        cat, dog = map(m.tokenizer.id, ("cat", "dog"))
        found = find_target(m.checkpoint, m.encode(MASKED), wanted="Cat", against="dog")
        assert found.target == Target("mlm", cat, 5, against=dog) and found.name == "cat against dog"
        likeliest = m.fill(MASKED)[0][0]
        assert find_target(m.checkpoint, m.encode(MASKED)).target == Target("mlm", likeliest.id, 5)
        at = find_target(m.checkpoint, m.encode("The cat sat."), wanted="cat", position=3)
        assert at.target == Target("mlm", cat, 3)

    def test_of_two_texts_it_is_what_distinguishes_their_answers(self, opened):
        m = opened()
        ours, theirs = "[MASK] cat very very", "[MASK] bird sat !"
        best = [m.fill(text)[0][0] for text in (ours, theirs)]
        assert best[0].id != best[1].id
        found = find_target(m.checkpoint, m.encode(ours), m.encode(theirs))
        assert found.target == Target("mlm", best[1].id, 1, against=best[0].id)
        assert number(m, found.target, theirs) > 0 > number(m, found.target, ours)

    @pytest.mark.parametrize(
        ("task", "changes", "texts", "options", "target"),
        [
            ("classify", {"labels": MOODS}, [("A cat",)], {"wanted": "good"}, Target("classify", 2)),
            ("classify", SCORE, [("A cat",)], {}, Target("classify", measure="logit")),
            ("tag", {"labels": TAGS}, [("The cat sat",), ("The cat sang",)], {"wanted": "B-PER"}, Target("tag", 1, 3)),
            ("span", {}, [("a cat", "the cat sat on a mat")], {"position": 6}, Target("span", 0, 6)),
            ("choice", {}, [("A", "cat")], {}, Target("choice", measure="logit")),
            ("nsp", {}, [("A cat", "A dog")], {}, Target("nsp")),
            ("nsp", {}, [("A", "A")], {"wanted": "random sentence"}, Target("nsp", 1)),
        ],
    )
    def test_labels_tags_answers_and_verdicts(self, opened, task, changes, texts, options, target):
        m = opened(task, **changes)
        assert find_target(m.checkpoint, *(m.encode(*text) for text in texts), **options).target == target

    def test_names_and_what_is_likeliest(self, opened):
        m = opened("classify", labels=MOODS)
        assert find_target(m.checkpoint, m.encode("A cat")).name == m.predict("A cat").label
        m = opened("tag", labels=TAGS)
        found = find_target(m.checkpoint, m.encode("The cat sat"), m.encode("The cat sang"), wanted="B-PER")
        assert found.name == "B-PER at sat"
        m = opened("span")
        question = m.encode("a cat", "the cat sat on a mat")
        found = find_target(m.checkpoint, question, wanted="end")
        assert (found.target.head, found.target.index) == ("span", 1)
        assert question.parts[found.target.position] == "b"

    @pytest.mark.parametrize(
        ("tasks", "changes", "text", "options", "sentence"),
        [
            ((), {}, ("A cat", None), {}, "There is no [MASK] in the text"),
            ((), {}, (MASKED, None), {"wanted": "comfortable"}, "is 2 tokens in this vocabulary"),
            ((), {}, (MASKED, None), {"position": 40}, "There is no token 40"),
            ((), {}, (MASKED, None), {"wanted": "cat", "against": "cat"}, "'cat' is compared with itself"),
            ((), {}, ("A", "B"), {"wanted": "maybe"}, "has no label 'maybe'; it has next sentence, random sentence"),
            (("nsp",), {}, (MASKED, None), {}, "has no masked-word (MLM) head"),
            (("tag",), {"labels": TAGS}, ("A", None), {"wanted": "B-LOC"}, "it has O, B-PER, I-PER"),
            (("tag",), {"labels": TAGS}, ("", None), {}, "There is no text"),
            (("span",), {}, ("a", "b"), {"wanted": "middle"}, "has a start and an end"),
            (("span",), {}, ("a", None), {}, "There is no passage"),
            (("choice",), {}, ("a", "b"), {"wanted": "x"}, "gives one number"),
        ],
    )
    def test_what_is_not_there_says_so(self, opened, tasks, changes, text, options, sentence):
        m = opened(*tasks, **changes)
        with pytest.raises(BertcoreError) as error:
            find_target(m.checkpoint, m.encode(*text), **options)
        assert sentence in str(error.value)


class TestCompare:
    def test_another_text(self, opened):
        m = opened()
        found = m.compare(MASKED, other_a=OTHER)
        assert found.parameters is None
        ours, theirs = (trace(m.bert, e.ids, e.segments) for e in (m.encode(MASKED), m.encode(OTHER)))
        expected = matched_heads(ours.attentions, theirs.attentions, found.text.alignment).divergences
        assert [head.divergence_bits for head in found.text.heads] == pytest.approx(expected.ravel().tolist())
        assert [(head.layer, head.head) for head in found.text.heads[:5]] == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0)]
        assert found.text.states.shape == (3, 8)
        now, then = ({word.token: word for word in m.fill(text, top=40)[0]} for text in (MASKED, OTHER))
        for word in found.text.words:
            assert word.probability == pytest.approx(now[word.token].probability, abs=1e-6)
            assert word.other_probability == pytest.approx(then[word.token].probability, abs=1e-6)
        assert {word.token for word in m.fill(MASKED)[0]} <= {word.token for word in found.text.words}
        assert found.rows() == found.text.heads.rows() and found.rows()[0]["other_layer"] == 0
        text = m.compare("a cat", other_a="it was").text
        assert not text.heads and text.states is None and "no word in common" in text.notes[0]

    def test_another_model_of_the_same_shape(self, opened):
        m, trained = opened(), opened(seed=1)
        found = trained.compare("A cat sat.", "It was warm.", other_model=m)
        assert found.text.alignment.other_positions == tuple(range(len(found.text.other_tokens)))
        for model, share in ((trained, found.text.next_sentence), (m, found.text.other_next_sentence)):
            verdict = model.fill("A cat sat.", "It was warm.").next_sentence
            assert share == pytest.approx(verdict.is_next, abs=1e-6)
        assert found.parameters and found.moved_words and not found.notes
        assert not any(part.change for part in m.compare(other_model=m).parameters)

    def test_a_fine_tuned_one_with_the_pretrained_one(self, opened):
        labels = ("bad", "good")
        found = opened("classify", labels=labels).compare("A cat sat.", other_model=opened())
        assert found.text.other_answer is None
        assert found.text.answer.answer in labels
        assert {part.part for part in found.parameters} >= {"query", "token", "pooler"}

    def test_another_shape_and_another_vocabulary(self, opened, tmp_path):
        words = Tokenizer(raw_from_words((*VOCABULARY, "comfortable"), True), True)
        larger = tiny_model(vocab_size=len(VOCABULARY) + 1, num_hidden_layers=3, num_attention_heads=2)
        save_checkpoint(larger, words, tmp_path)
        found = opened().compare("a comfortable [MASK] sat", other_model=tmp_path)
        assert found.parameters is None and found.moved_words is None
        assert "one model has 3 layers, the other 2" in found.notes[0]
        assert found.text.alignment.other_positions == (0, 1, None, None, 3, 4, 5)
        assert found.text.states is None and found.text.cka.shape == (3, 4)
        assert {head.other_layer for head in found.text.heads} <= {0, 1, 2} and len(found.text.heads) == 8
        assert "most similar one" in found.text.notes[0]
        assert all(word.other_probability is not None for word in found.text.words)

    def test_a_step_of_its_run(self):
        m = load("bertscope-tiny")
        found = m.compare("The cat sat on the [MASK].", other_step=0)
        assert found.parameters and max(part.relative for part in found.parameters) > 0.5
        with pytest.raises(BertcoreError, match="has kept no step 7; choose one of 0, "):
            m.compare(other_step=7)

    @pytest.mark.parametrize(
        ("ask", "says"),
        [
            (lambda m: m.compare("A cat."), "nothing to compare with"),
            (lambda m: m.compare("A cat.", other_step=5), "no training steps"),
            (lambda m: m.compare("A cat.", other_model=m, other_step=5), "Name a model or a step"),
            (lambda m: m.compare(other_a="A cat."), "give both"),
            (lambda m: m.compare("A cat.", other_b="A dog."), "second sentence of the other text A"),
            (lambda m: m.patch("A [MASK] cat.", other_a="A cat [MASK]."), "Only one of the texts has its .MASK. at"),
        ],
    )
    def test_nothing_to_compare_with_says_so(self, opened, ask, says):
        with pytest.raises(BertcoreError, match=says):
            ask(opened())


class TestPatch:
    def test_the_map_is_the_engines(self, opened):
        m = opened()
        found = m.patch(MASKED, other_a=OTHER, wanted="cat", against="dog")
        assert found.map.shape == (3, 8) and found.map[0].tolist() == pytest.approx([0, 0, 1, 0, 0, 0, 0, 0], abs=1e-4)
        target = find_target(m.checkpoint, m.encode(MASKED), wanted="cat", against="dog").target
        assert found.score == pytest.approx(number(m, target, MASKED), abs=1e-5)
        assert found.other_score == pytest.approx(number(m, target, OTHER), abs=1e-5)
        rows = found.rows()
        assert len(rows) == 24 and rows[2] == {"layer": 0, "position": 2, "token": "cat", "share": found.map[0, 2]}
        heads = m.patch(MASKED, other_a=OTHER, wanted="cat", part="head")
        assert heads.map.shape == (2, 4) and heads.rows()[5].keys() == {"layer", "head", "share"}

    def test_similarity_of_a_sentence_encoder(self, tmp_path):
        tiny_checkpoint(tmp_path)
        (tmp_path / "1_Pooling").mkdir()
        (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
        m = load(tmp_path)
        found = m.patch("A cat sat", "a very comfortable mat", other_a="! very .")
        assert found.target == "similarity"
        assert found.score == pytest.approx(m.fill("A cat sat", "a very comfortable mat").similarity, abs=1e-5)
        with pytest.raises(BertcoreError, match="leave out the other B"):
            m.patch("A cat", "a mat", other_a="A dog", other_b="a bird")


class TestManyTexts:
    def test_a_template_stands_for_every_combination(self):
        found = list(listed_texts("The [cat|dog] sat.\t[It|He] [MASK] [very |]warm."))
        assert len(found) == 8
        assert (found[1].a, found[1].b) == ("The cat sat.", "It [MASK] warm.")
        assert found[-1].choices == ("dog", "He", "")
        assert [each.choices for each in listed_texts("No place, [MASK] and [one word].")] == [()]

    def test_scores_are_those_of_the_single_methods(self, opened, tmp_path):
        file = text_file(tmp_path / "texts.txt", f"{MASKED}\tIt was warm.\n\nThe [cat|dog] sat.\n")
        m = opened()
        first, second, third = m.score_file(file)
        assert first.next_sentence == m.fill(MASKED, "It was warm.").next_sentence.is_next
        best = m.fill(MASKED, "It was warm.")[0][0]
        assert (first.word, first.word_probability) == (best.token, pytest.approx(best.probability, abs=1e-6))
        assert [second.log_likelihood, third.log_likelihood] == pytest.approx(m.score(["The cat sat.", "The dog sat."]))
        assert second.surprise_bits == pytest.approx(m.surprise("The cat sat.").scores[1:-1].mean())
        assert (second.word, second.next_sentence, second.answer, second.similarity) == (None,) * 4
        assert mean_by_choice([second, third]) == [{"cat": second.log_likelihood, "dog": third.log_likelihood}]
        assert mean_by_choice([first, second]) == []
        (score,) = score_texts(m.checkpoint, list(listed_texts(MASKED)), "comfortable")  # of several pieces
        assert score.word == "comfortable" and score.word_probability is not None and 0 < score.word_probability < 1

    def test_a_fine_tuned_model_answers(self, opened):
        m = opened("classify", labels=("bad", "good"))
        (score,) = score_texts(m.checkpoint, list(listed_texts("A cat")))
        predicted = m.predict("A cat")
        assert score.answer == predicted.label
        assert score.answer_probability == predicted.probabilities[score.answer]
        (score,) = score_texts(opened("tag", labels=TAGS).checkpoint, list(listed_texts("A cat")))
        assert set(str(score.answer).split()) <= set(TAGS)

    @pytest.mark.parametrize(
        ("content", "sentence"),
        [
            ("a\tb\tc\n", "texts.txt, line 1: expected a text, or two with a tab between them, found 2 tabs."),
            ("\n \n", "has no texts"),
            ("[a|b]" * 500_000, "line 1: this makes more than 10,000 texts"),
            ("[" + "|" * 2_000_000 + "]\n", "line 1: this makes more than 10,000 texts"),
            ("a\n[a|b]" + "x" * 4_000 + "[a|b]" * 12, "line 2: this makes texts of more than 20,000,000 characters"),
            (("x" * 4_000_000 + "\n") * 6, "line 6: this makes texts of more than 20,000,000 characters"),
            ("x" * 5_000_000, "line 1: expected a line of at most"),
            ("[" * 1_000_000 + "\na\tb\tc", "line 2: expected a text"),
            ("a\0b\n", "texts.txt"),
            ("cat\n\udcff\n", "texts.txt, line 2"),
        ],
        ids=range(10),
    )
    def test_a_file_that_does_not_fit_says_so(self, tmp_path, content, sentence):
        file = tmp_path / "texts.txt"
        file.write_bytes(content.encode("utf-8", "surrogateescape"))
        with pytest.raises(BertcoreError) as error:
            read_listed_texts(file)
        assert sentence in str(error.value)
        file.unlink()
        os.mkfifo(file)
        with pytest.raises(BertcoreError, match="texts.txt"):
            read_listed_texts(file)

    @needs_limits
    def test_a_template_of_gigabytes_is_refused_before_it_takes_memory(self, tmp_path):
        (tmp_path / "texts.txt").write_text("x" * 3_900_000 + "[a|b]" * 13)  # 8,192 texts: 32 GB
        code = """
from bertcore.errors import BertcoreError
from bertcore.evaluation.score_texts import read_listed_texts
limit(100)
try:
    read_listed_texts(Path(sys.argv[1]))
except BertcoreError as error:
    print(error)
"""
        (said,) = run_limited(code, tmp_path / "texts.txt")
        assert "line 1: this makes texts of more than 20,000,000 characters in all; give fewer choices" in said

    @pytest.mark.parametrize(
        ("tasks", "text", "word", "says"),
        [
            ((), "A cat", ("cat",), r"texts.txt, line 4: there is no \[MASK\] for the word 'cat'"),
            (("nsp",), "A cat", (), "no masked-word"),
            (("span",), "A cat", (), "texts.txt, line 4: There is no passage"),
            ((), "[ | ]", (), "there is no text"),
        ],
    )
    def test_what_a_model_cannot_say_says_so(self, opened, tasks, text, word, says):
        texts = list(listed_texts(text, "texts.txt, line 4"))
        with pytest.raises(BertcoreError, match=says):
            score_texts(opened(*tasks).checkpoint, texts, *word)


# --- which tokens of two texts, or of one text in two vocabularies, are compared with each other

WORDS = TOKENIZER
# The same words and more of them: what WORDS has to spell is one token here
MORE = Tokenizer(raw_from_words((*VOCABULARY, "comfortable", "house"), lowercase=True), lowercase=True)
BYTES = Tokenizer.train(["a cat sat"], 300, lowercase=False, kind="bpe")


class TestAlignment:
    @pytest.mark.parametrize(
        ("ours", "theirs", "positions", "reason"),
        [
            ("the cat sat on a mat.", "the dog sat on a mat.", (0, 1, 2, 3, 4, 5, 6, 7, 8), None),  # a word replaced
            ("the cat sat.", "the very cat sat.", (0, 1, 3, 4, 5, 6), None),  # a word more
            ("the very cat sat.", "the cat sat.", (0, 1, None, 2, 3, 4, 5), None),
            ("the cat sat", "the comfortable sat", (0, 1, None, 4, 5), None),  # replaced by one of more pieces
            ("the cat\tit sat", "the cat", (0, 1, 2, 3, None, None, None), None),
            ("the cat", "the cat\tit sat", (0, 1, 2, 3), None),
            ("the cat\tit was", "it was\tthe cat", (0, None, None, 3, None, None, 6), "other_text"),
            ("the cat.", "it was!", (0, None, None, None, 4), "other_text"),  # not even signs, which say nothing
            ("", "the cat", (0, 3), "no_text"),
            ("the cat", "", (0, None, None, 1), "no_text"),
            ("", "", (0, 1), "no_text"),
        ],
    )
    def test_of_other_texts(self, ours, theirs, positions, reason):
        first, second = (WORDS.encode(*text.split("\t")) for text in (ours, theirs))
        found = align(first, second)
        assert found.other_positions == positions and found.reason == reason and bool(found.sentence) == bool(reason)
        if reason is None:
            assert tuple(pair[::-1] for pair in found.pairs) == align(second, first).pairs

    def test_a_word_in_other_pieces_has_no_counterpart(self):
        found = align(WORDS.encode("comfortable"), MORE.encode("comfortable"))
        assert found.reason == "other_pieces" and found.sentence and found.pairs == ((0, 0), (3, 2))  # [CLS] and [SEP]

    def test_special_tokens_are_paired_by_role(self):
        """RoBERTa has two between A and B, of which BERT has one; `<mask>` is what a typed [MASK] becomes."""
        ours, theirs = WORDS.encode("[MASK] a", "a"), BYTES.encode("[MASK] a", "a")
        found = align(ours, theirs)
        assert [theirs.labels[j] for _, j in found.pairs] == ["<s>", "<mask>", "·a", "</s>", "·a", "</s>"]
        assert found.other_positions == (0, 1, 2, 3, 5, 6)

    def test_bytes_of_one_letter_are_not_that_letter(self):
        """Both bytes of é have its characters: neither is the token é of another vocabulary."""
        letters, encoding = WORDS.encode("a é"), BYTES.encode("a é")
        assert encoding.offsets[-3:-1] == [letters.offsets[2]] * 2
        assert align(letters, encoding).other_positions == (0, 1, None, len(encoding) - 1)
        assert align(encoding, encoding).other_positions == tuple(range(len(encoding)))

    def test_without_special_tokens(self):
        """As a view shows a text whose special tokens are hidden."""
        whole = WORDS.encode("the cat sat.", "it was")
        words = [at for at, part in enumerate(whole.parts) if part != "special"]
        lists = ("tokens", "ids", "segments", "positions", "offsets", "parts", "words", "labels")
        bare = replace(whole, **{name: [getattr(whole, name)[at] for at in words] for name in lists})
        assert align(bare, whole).other_positions == tuple(words)
        assert align(whole, bare).other_positions == (None, 0, 1, 2, 3, None, 4, 5, None)

    @given(st.lists(st.sampled_from(["the", "cat", "dog", "sat", "comfortable", "a", ".", "[MASK]"])), st.data())
    def test_pairs_are_in_order_and_of_one_part(self, words, data):
        other = data.draw(st.lists(st.sampled_from([*words, "mat", "house"])))
        cut = data.draw(st.integers(0, len(words)))
        ours = WORDS.encode(" ".join(words[:cut]), " ".join(words[cut:]))
        theirs = MORE.encode(" ".join(other[:cut]), " ".join(other[cut:]))
        found = align(ours, theirs)
        assert len(found.other_positions) == len(ours) and found.other_length == len(theirs)
        assert [j for _, j in found.pairs] == sorted({j for _, j in found.pairs})
        assert all(ours.parts[i] == theirs.parts[j] for i, j in found.pairs)
        assert (found.reason is None) == any(ours.parts[i] != "special" for i, _ in found.pairs)
