"""The door for Python: equal to `transformers` on the same weights; every example in docstrings and docs runs."""

import copy
import doctest
import json
import math
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import bertcore
from bertcore import loaded_model, progress, results, table
from bertcore.analysis.targets import Target
from bertcore.errors import BertcoreError, CutOffWarning
from bertcore.loaded_model import LoadedModel, load
from bertcore.locations import assets
from bertcore.runs.run_folder import RunFolder
from bertcore.tokenizer import tokenizer
from tests.engine.corpora import STORIES
from tests.engine.models import tiny_checkpoint
from tests.text_file import text_file

ROOT = Path(__file__).resolve().parent.parent.parent
MASKED = ["The cat sat on the [MASK].", "[MASK] bird sang."]
LONG = "the cat sat " * 20  # more than the 40 tokens that the tests' models read
CUT = r"A \[MASK\] was cut off: the model reads 40 tokens of this text and not the last \d+; shorten"
PLAIN = ["The cat sat on the mat.", "A bird.", "It was very comfortable!"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tiny_checkpoint(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="module")
def m(folder):
    return load(folder)


@pytest.fixture
def named_files(tmp_path):
    """A folder with what the examples name."""
    tiny_checkpoint(tmp_path / "runs" / "sentiment", output_heads=("classify",), labels=("negative", "positive"))
    tiny_checkpoint(tmp_path / "models" / "mine", max_position_embeddings=160)
    (tmp_path / "reviews.tsv").write_text("text\nThe cat sat.\nA dog sang.\n")
    (tmp_path / "labelled.tsv").write_text("text\tlabel\n" + "A good film.\t1\nA bad film.\t0\n" * 10)
    shutil.copy(assets() / "tasks" / "sentiment" / "dev.tsv", tmp_path / "held-out.tsv")
    (tmp_path / "templates.txt").write_text("The [cat|dog] [sat|sang].\n")
    (tmp_path / "stories.txt").write_text(STORIES * 20)
    return tmp_path


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    labels = ("good", "bad", "so-so")
    return load(tiny_checkpoint(tmp_path_factory.mktemp("tuned"), output_heads=("classify",), labels=labels))


@pytest.fixture(scope="module")
def theirs(folder):
    """The same weights in `transformers`."""
    from transformers import BertForPreTraining

    return BertForPreTraining.from_pretrained(folder, attn_implementation="eager").eval()


def outputs(theirs, m, a, b=None):
    ids, segments = (torch.tensor([each]) for each in (m.encode(a, b).ids, m.encode(a, b).segments))
    with torch.no_grad():
        return theirs(ids, token_type_ids=segments, output_hidden_states=True, output_attentions=True)


class TestAgainstTransformers:
    @pytest.mark.parametrize("b", [None, "It was warm."])
    def test_fill(self, m, theirs, b):
        for text in MASKED:
            filled, out = m.fill(text, b, top=4), outputs(theirs, m, text, b)
            expected = out.prediction_logits[0, filled.positions[0]].softmax(-1).topk(4)
            assert [word.id for word in filled[0]] == expected.indices.tolist()
            assert [word.probability for word in filled[0]] == pytest.approx(expected.values.tolist(), abs=1e-5)
            if b is None:
                assert filled.next_sentence is None
            else:
                share = out.seq_relationship_logits[0].softmax(-1)[0].item()
                assert filled.next_sentence.is_next == pytest.approx(share, abs=1e-5)

    def test_embed(self, m, theirs):
        hidden = [outputs(theirs, m, text).hidden_states[-1][0] for text in PLAIN]
        for pooling, expected in (("mean", [each.mean(0) for each in hidden]), ("cls", [each[0] for each in hidden])):
            np.testing.assert_allclose(m.embed(PLAIN, pooling=pooling), torch.stack(expected), atol=1e-5)


class TestInMemory:
    def test_what_is_saved_opens_again(self, m, tmp_path):
        edited = LoadedModel.of(copy.deepcopy(m.bert), m.tokenizer)
        with torch.no_grad():
            edited.bert.embeddings.token.weight[7] += 1.0
        edited.save(tmp_path / "edited")
        again = load(tmp_path / "edited")
        assert again.name == "edited" and edited.checkpoint.folder is None
        ids = torch.tensor([m.encode(MASKED[0]).ids])
        before, ours, opened = (each.bert.mlm_logits(each.bert(ids)) for each in (m, edited, again))
        assert torch.equal(ours, opened) and not torch.allclose(ours, before)

    def test_a_model_that_learns_can_be_asked(self, m):
        """Its parameters want gradients, and still do afterwards."""
        mine = LoadedModel.of(copy.deepcopy(m.bert).train().requires_grad_(True), m.tokenizer)
        assert not mine.bert.training
        assert mine.fill(MASKED[0])[0][0].id == m.fill(MASKED[0])[0][0].id
        assert mine.trace(PLAIN[0]).attentions.shape[0] == 2 and len(mine.lens(MASKED[0])) == 3
        assert mine.score(PLAIN[0]) == pytest.approx(m.score(PLAIN[0])) and mine.embed(PLAIN[0]).shape == (32,)
        found = mine.attribute(MASKED[0], wanted="cat")
        np.testing.assert_allclose(found.scores, m.attribute(MASKED[0], wanted="cat").scores, atol=1e-5)
        assert mine.patch("A cat", "It sat", other_a="A dog").map.shape == (3, 7)
        assert mine.compare(PLAIN[0], other_model=m).parameters is not None
        mine.bert.mlm_logits(mine.bert(torch.tensor([[2, 7, 3]]))).sum().backward()
        assert mine.bert.embeddings.token.weight.grad is not None

    def test_a_vocabulary_of_another_size_and_a_run_to_write_over_are_refused(self, m, tmp_path):
        other = bertcore.Bert(bertcore.BertConfig.preset("tiny", vocab_size=50))
        with pytest.raises(BertcoreError, match=f"vocab_size={m.tokenizer.vocab_size}"):
            LoadedModel.of(other, m.tokenizer)
        RunFolder.create(tmp_path / "run", {"kind": "finetune"})
        with pytest.raises(BertcoreError, match="holds a run"):
            m.save(tmp_path / "run")
        (tmp_path / "file").write_text("")
        with pytest.raises(BertcoreError, match="Cannot write the folder"):
            m.save(tmp_path / "file")

    def test_a_sentence_encoder_and_a_fine_tuned_model_stay_what_they_are(self, folder, tmp_path):
        shutil.copytree(folder, tmp_path / "first")
        (tmp_path / "first" / "1_Pooling").mkdir()
        (tmp_path / "first" / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
        (tmp_path / "first" / "2_Normalize").mkdir()
        encoder = load(tmp_path / "first")
        encoder.save(tmp_path / "encoder")
        again = load(tmp_path / "encoder")
        assert again.checkpoint.pooling == encoder.checkpoint.pooling and again.checkpoint.pooling is not None
        first = encoder.embed(PLAIN, pooling="cls")
        expected = first / np.linalg.norm(first, axis=1, keepdims=True)
        for model in (encoder, again):
            np.testing.assert_allclose(model.embed(PLAIN), expected, atol=1e-6)
        tuned = load("bertscope-answers")
        tuned.save(tmp_path / "tuned")
        assert load(tmp_path / "tuned").learned_task == tuned.learned_task


class TestBatches:
    def test_a_single_text_gives_a_single_result_and_no_texts_none(self, m):
        assert m.score(iter(PLAIN)).shape == (3,)
        assert m.fill([]) == [] and m.score([]).shape == (0,) and m.embed([]).shape == (0, 32)
        assert isinstance(m.score(PLAIN[0]), float) and m.score([PLAIN[0]]).shape == (1,)
        assert m.embed(PLAIN[0]).shape == (32,) and m.embed([PLAIN[0]]).shape == (1, 32)
        surprised = m.surprise(PLAIN[0]).scores
        assert len(surprised) == len(m.surprise([PLAIN[0]])[0].scores) and len(m.fill([MASKED[0]], [PLAIN[0]])) == 1
        assert m.score(PLAIN[0]) == pytest.approx(-surprised.sum() * math.log(2))
        pair = m.surprise(*PLAIN[:2]).scores
        assert m.score(PLAIN[:1], PLAIN[1:2]) == pytest.approx(-pair.sum() * math.log(2)) and len(pair) > len(surprised)

    def test_a_text_and_a_list_are_no_pair(self, m):
        for ask in (m.fill, m.score, m.surprise, m.heads):
            for a, b in ((PLAIN[0], [PLAIN[1]]), ([PLAIN[0]], PLAIN[1])):
                with pytest.raises(BertcoreError, match="two lists of the same length"):
                    ask(a, b)
        with pytest.raises(BertcoreError, match="2 texts a, but 1 texts b"):
            m.fill(MASKED, ["It was warm."])


class TestInside:
    @pytest.mark.parametrize("method", ["integrated_gradients", "gradient_x_input", "leave_one_out"])
    def test_attribution_is_of_the_likeliest_word_if_none_is_named(self, m, method):
        best, second = m.fill(MASKED[0], top=2)[0]
        found = m.attribute(MASKED[0], method=method)
        assert found.prediction == best.token and found.value == pytest.approx(math.log(best.probability), abs=1e-4)
        assert len(found.tokens) == len(found.scores)
        assert m.attribute(MASKED[0], against=second.token).prediction == f"{best.token} against {second.token}"
        assert [word.id for word in m.lens(MASKED[0], top=1)[-1][0]] == [best.id]
        if method == "integrated_gradients":
            assert found.scores.sum() - found.completeness_error == pytest.approx(found.value - found.baseline)

    def test_attribution_of_a_verdict_or_a_label(self, m, tuned):
        filled, found = m.fill(PLAIN[0], PLAIN[1]), m.attribute(PLAIN[0], PLAIN[1])
        assert found.prediction == "next sentence"
        assert math.exp(found.value) == pytest.approx(filled.next_sentence.is_next, abs=1e-5)
        said = tuned.predict(PLAIN[0])
        for label in (None, "good", "bad"):
            found = tuned.attribute(PLAIN[0], wanted=label)
            assert found.prediction == (label or said.label)
            assert math.exp(found.value) == pytest.approx(said.probabilities[found.prediction], abs=1e-5)
        with pytest.raises(BertcoreError, match="no label 'great'"):
            tuned.attribute(PLAIN[0], wanted="great")

    @pytest.mark.parametrize(
        ("ask", "sentence"),
        [
            (lambda m: m.lens("The cat."), "no \\[MASK\\]"),
            (lambda m: m.attribute("The cat."), "no \\[MASK\\]"),
            (lambda m: m.fill("The cat."), "no \\[MASK\\]"),
            (lambda m: m.attribute(MASKED[0], wanted="cat", target=Target("nsp")), "not both"),
            (lambda m: m.patch("A cat", other_a="A dog", against="cat", target=Target("nsp")), "not both"),
            (lambda m: load(m.checkpoint.folder, device="cuda:99"), "cannot use the device 'cuda:99'"),
            (lambda m: m.trace("The cat.", heads_off=[(9, 0)]), "no layer 9; this model has layers 0 to 1"),
            (lambda m: m.attribute(MASKED[0], method="occlusion"), "no method 'occlusion'; choose one of integrated"),
            (lambda m: m.embed("The cat.", pooling="max"), "no pooling 'max'; choose one of mean, cls"),
            (lambda m: load(m.checkpoint.folder, random_output_heads=["pos"]), "no output head 'pos'; choose one of"),
            (lambda m: m.predict("The cat."), "not fine-tuned on a task"),
            (lambda m: m.trace(["The cat.", None]), "Not all texts a are texts: the one at place 1 of the list is"),
            (lambda m: m.trace(PLAIN, keep=["attention"]), "no array of a trace 'attention'; choose one of token_emb"),
            (lambda m: m.trace("The cat.", keep=["queries"]).attentions, "no attentions; name it in keep= of the call"),
            (lambda m: m.trace("The cat.")["layer.0.middle"], "does not keep 'layer.0.middle'; ask for it with m.run"),
            (lambda m: m.run("The cat.", keep="layer.0.attention.prob"), "near it are layer.0.attention.probs"),
            (lambda m: m.run("The cat.", keep=["layer.7.*"]), "No point of this model is called 'layer.7.*'"),
            (lambda m: m.fill(MASKED[0], heads_off=[(0, 1)], ablate_with="A cat."), "the same number of tokens"),
            (lambda m: m.fill(MASKED[0], heads_off=[(0, 1)], ablate_with={}), "no value to put at layer.0.att"),
            (lambda m: m.attribute(MASKED[0], steps=0), "1 step or more, not 0"),
            (lambda m: m.attribute(MASKED[0], baseline="comfortable"), "no token 'comfortable' to cover others with"),
            (lambda m: m.embed("The cat.", layer=3), "no layer 3; this model has layers 0 to 2"),
            (lambda m: m.patch(MASKED, other_a=MASKED[:1]), "Give one other text for each text"),
            (lambda m: m.to("cudaa"), "cannot use the device 'cudaa'"),
            (lambda m: m.encode(None), "Text A is not a text but NoneType"),
            (lambda m: m.fill(None), "as a text or a list of texts, not as NoneType"),
            (lambda m: m.score([PLAIN[0], math.nan]), "the one at place 1 of the list is float"),
            (lambda m: m.fill(MASKED[0], top=None), "1 or more, not None"),
            (lambda m: m.lens(MASKED[0], top=0), "1 or more, not 0"),
            (lambda m: m.fill(f"{LONG} [MASK]"), CUT),
            (lambda m: m.fill(f"[MASK] {LONG} [MASK]"), CUT),
            (lambda m: m.lens(f"{LONG} [MASK]"), CUT),
            (lambda m: m.attribute(f"{LONG} [MASK]"), CUT),
            (lambda m: m.patch(f"{LONG} [MASK]", other_a=f"it {LONG} [MASK]", wanted="cat"), CUT),
            (lambda m: m.fill(LONG), "no \\[MASK\\]"),  # has none that is cut off
        ],
    )
    def test_what_cannot_be_answered_is_a_sentence(self, m, ask, sentence):
        with pytest.raises(BertcoreError, match=sentence):
            ask(m)

    def test_a_mask_that_was_cut_off_is_a_note_of_a_comparison(self, m):
        found = m.compare(f"{LONG} [MASK]", other_a=f"it {LONG}").text
        assert [note for note in found.notes if re.match(CUT, note)] == found.notes

    @pytest.mark.parametrize("ask", ["score", "surprise", "embed", "predict"])
    def test_numbers_of_a_text_that_was_cut_off_come_with_a_warning(self, m, tuned, tmp_path, ask):
        method = getattr(tuned if ask == "predict" else m, ask)
        with pytest.warns(CutOffWarning, match="^The text is longer than the 40 tokens") as seen:
            method(LONG)
        assert [warning.filename for warning in seen] == [__file__]
        assert ask == "predict" or " of its beginning" in str(seen[0].message)
        with pytest.warns(CutOffWarning, match="^2 of 3 texts are longer than the 40 tokens"):
            method([LONG, PLAIN[0], LONG])
        if ask == "predict":
            file = text_file(tmp_path / "texts.tsv", f"text\n{PLAIN[0]}\n{LONG}\n")
            with pytest.warns(CutOffWarning, match="^1 of 2 texts is longer"):
                tuned.predict_file(file, "sst2")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            method(PLAIN)

    def test_each_attribute_can_be_looked_up_and_a_run_without_a_snapshot_has_no_model(self, m, tmp_path):
        """As `inspect`, a notebook's completion and `hasattr` do."""
        assert [name for name in dir(m) if not hasattr(m, name)] == []
        assert m.task_kind is None and m.learned_task is None
        tagger = load(tiny_checkpoint(tmp_path, output_heads=("tag",), labels=("O", "B")))
        assert tagger.task_kind == "tag"
        RunFolder.create(tmp_path / "run", {"kind": "finetune"})
        run = bertcore.Run(tmp_path / "run")
        assert not hasattr(run, "model") and hasattr(run, "folder")
        with pytest.raises(BertcoreError, match="has no snapshot yet"):
            run.model  # noqa: B018

    def test_a_prediction_is_a_row(self, tuned):
        one, several = tuned.predict(PLAIN[0]), tuned.predict(PLAIN)
        assert [row["text"] for row in several.rows()] == [0, 1, 2]
        assert json.loads(one.to_json())[0]["answer"] == one.answer == several.rows()[0]["label"]

    def test_a_text_can_be_traced_by_its_ids_alone(self, m):
        encoding = m.encode(PLAIN[0])
        whole = bertcore.trace(m.bert, encoding.ids, encoding.segments)
        for given in ((), (None,), (np.array(encoding.segments),)):
            alone = bertcore.trace(m.bert, encoding.ids, *given)
            assert np.array_equal(alone.segment_ids, whole.segment_ids)
            assert np.array_equal(alone.hidden_states, whole.hidden_states)

    @pytest.mark.parametrize("pooling", ["mean", "cls", None])
    def test_a_model_in_half_precision_can_embed(self, m, pooling):
        half = LoadedModel.of(copy.deepcopy(m.bert).to(torch.bfloat16), m.tokenizer)
        vectors, full = half.embed(PLAIN, pooling=pooling), m.embed(PLAIN, pooling=pooling)
        cosines = (vectors * full).sum(1) / np.linalg.norm(vectors, axis=1) / np.linalg.norm(full, axis=1)
        assert vectors.dtype == np.float32 and cosines.min() > 0.9


def test_one_file_need_not_be_a_list(m, tmp_path):
    file = text_file(tmp_path / "stories.txt", STORIES * 20)
    assert m.evaluate_text(file, sequences=2) == m.evaluate_text([str(file)], sequences=2)
    with pytest.raises(BertcoreError, match="no text file nowhere.txt"):
        m.evaluate_text("nowhere.txt")


class FakePandas(SimpleNamespace):
    @staticmethod
    def DataFrame(rows, **named):
        return (rows, named)


class TestPandas:
    def test_results_become_frames(self, m, monkeypatch):
        monkeypatch.setitem(sys.modules, "pandas", FakePandas())
        rows, _ = m.fill(MASKED, top=2).to_pandas()
        assert [(row["text"], row["place"]) for row in rows] == [(0, 1), (0, 2), (1, 1), (1, 2)]
        attention, named = m.trace(PLAIN[0]).to_pandas(1, 2)
        assert attention.shape == (len(named["index"]),) * 2 and named["columns"][0] == "[CLS]"

    def test_every_result_shows_its_first_rows_and_becomes_json(self, m):
        filled, pair = m.fill(MASKED, top=6), m.fill(MASKED[0], PLAIN[0])
        assert json.loads(filled.to_json()) == filled.rows() and json.loads(filled.to_json())[0]["token"]
        assert repr(m.trace(PLAIN[0])) == "<trace of 9 tokens: 2 layers, 4 heads>"
        assert len(repr(m.compare(PLAIN[0], other_model=m))) < 120
        shown = repr(filled).splitlines()
        assert shown[0] == "<Results: 12 rows" and shown[1].split() == list(filled.rows()[0])
        assert len(shown) == 11 and shown[-1] == "  ...>"
        assert "next_sentence: NextSentence(is_next=" in repr(pair)
        for found in (pair, m.surprise(PLAIN[0]), m.heads(PLAIN[0]), m.lens(MASKED[0]), m.trace(PLAIN[0])):
            assert len(json.loads(found.to_json())) == len(found.rows()) > 0 and len(repr(found).splitlines()) < 16
        assert [row["token"] for row in m.trace(PLAIN[0]).rows()] == m.encode(PLAIN[0]).tokens

    def test_without_pandas_that_is_said(self, m, monkeypatch):
        monkeypatch.setitem(sys.modules, "pandas", None)
        with pytest.raises(BertcoreError, match="pandas is not installed"):
            m.fill(MASKED).to_pandas()


@pytest.mark.parametrize(("is_terminal", "after_s"), [(False, 0.0), (True, 0.0), (True, 1e9)])
def test_a_bar_appears_only_where_someone_can_see_it_and_the_work_is_not_quick(
    capsys, monkeypatch, is_terminal, after_s
):
    monkeypatch.setattr(progress, "SHOWN_AFTER_S", after_s)
    if is_terminal:
        monkeypatch.setenv("FORCE_COLOR", "1")
    with progress.progress_bar("Working") as step:
        step(0.5)
    shown = capsys.readouterr()
    assert shown.out == "" and ("Working" in shown.err if is_terminal and not after_s else not shown.err)
    progress.show_status("Reading the text.")
    assert ("Reading the text." in capsys.readouterr().err) == is_terminal


class TestFrontDoor:
    def test_every_name_is_there(self):
        assert all(getattr(bertcore, name) for name in bertcore.__all__) and set(bertcore.__all__) <= set(dir(bertcore))
        with pytest.raises(AttributeError):
            bertcore.nothing  # noqa: B018
        assert (ROOT / "bertcore" / "py.typed").is_file()

    def test_examples_in_docstrings_hold(self, named_files, monkeypatch):
        monkeypatch.chdir(named_files)
        names = {"m": load(), "bertcore": bertcore}
        finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
        modules = (loaded_model, results, table, tokenizer)
        tests = [test for module in modules for test in finder.find(module, extraglobs=names)]
        failed = [test.name for test in tests if runner.run(test).failed]
        assert failed == [] and sum(bool(test.examples) for test in tests) > 8


PANDAS = """
class DataFrame:
    def __init__(self, rows, index=None, columns=None):
        assert len(rows)

class Series: ...
class Index: ...
"""


@pytest.mark.parametrize("page", ["python.md", "analysis.md"])
def test_the_python_on_a_page_runs(page, named_files):
    """With a pandas that takes whatever it is given."""
    (named_files / "pandas.py").write_text(PANDAS)
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert blocks
    command = [sys.executable, "-c", "\n".join(blocks)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=named_files, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_reference_lists_every_module_that_gives_results():
    page = (ROOT / "docs" / "analysis.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    there = {file.stem for file in (ROOT / "bertcore" / "analysis").glob("*.py")}
    assert there - named == {"__init__", "family_table", "reference_values"}
    assert named <= there
