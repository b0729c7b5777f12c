"""How results show themselves: nothing of a text becomes HTML, no network is needed, and all of it can be read."""

import base64
import json
import re
from html.parser import HTMLParser

import notebook
import numpy as np
import pytest

from bertcore import table as html
from bertcore.errors import BertcoreError
from bertcore.loaded_model import load
from bertcore.locations import assets
from bertcore.training_api import Run
from tests.engine.models import tiny_checkpoint

HOSTILE = 'the cat </script><script>alert(1)</script> <img src=x onerror="alert(2)"> &amp; sat'
VOID = {"meta", "img", "br"}


class Page(HTMLParser):
    """Elements with their attributes, the words outside scripts and styles, and whether everything is closed."""

    def __init__(self, source):
        super().__init__()
        self.elements = []
        self.words = ""
        self.scripts = []
        self._open = []
        self.feed(source)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open and self._open[-1] == "script":
            self.scripts.append(data)
        elif not self._open or self._open[-1] != "style":
            self.words += data


@pytest.fixture(scope="module")
def m(tmp_path_factory):
    return load(tiny_checkpoint(tmp_path_factory.mktemp("model"), max_position_embeddings=200))


@pytest.fixture(scope="module")
def shown(m):
    """One of each, of a text that would like to be HTML."""
    masked, short = f"[MASK] {HOSTILE}", "[MASK] <b> cat"
    return {
        "fill": m.fill(masked, "A dog sang."),
        "texts": m.fill([masked, "A [MASK]."]),
        "lens": m.lens(masked),
        "surprise": m.surprise(HOSTILE),
        "attribute": m.attribute(masked),
        "patch": m.patch(short, other_a=short.replace("cat", "dog")),
        "patched heads": m.patch(short, other_a=short.replace("cat", "dog"), part="head"),
        "trace": m.trace(HOSTILE, "A dog sang."),
        "heads": m.heads(HOSTILE),
        "effects": m.head_effects(masked),
        "links": m.link_effects(masked, layer=0, head=0, from_position=1),
        "norms": m.attention_norms(HOSTILE),
        "stream": m.residual_stream(HOSTILE),
        "logit": m.logit_parts(masked),
        "pushed": m.neuron_words(0, 1),
        "nearest": m.nearest("cat"),
        "run": Run(assets() / "runs" / "bertscope-tiny"),
    }


def test_nothing_of_a_text_becomes_html_and_a_page_stands_alone(shown, tmp_path):
    for name, found in shown.items():
        page = Page(found._repr_html_())
        tags = [tag for tag, _ in page.elements]
        assert tags.count("script") == (2 if name in ("trace", "norms") else 0) and "img" not in tags, name
        assert not any(key.startswith("on") for _, attributes in page.elements for key in attributes), name
        assert not any("alert(1)" in script for script in page.scripts if not script.startswith("{")), name
        source = found.save_html(tmp_path / "page.html").read_text(encoding="utf-8")
        page = Page(source.partition("\n")[2])
        assert not re.search(r"https?:|//\w|url\(|@import|\bfetch\(|XMLHttp", source.replace("// ", "")), name
        assert not {"src", "href"} & {key for _, attributes in page.elements for key in attributes}, name
        assert found.picture().title in page.words and found.model_name in page.words, name
    with pytest.raises(BertcoreError):
        shown["fill"].save_html(tmp_path / "nowhere" / "page.html")


def test_a_name_that_would_like_to_be_html_is_only_a_name(m):
    filled = m.fill("A [MASK] sat.").by('<b onclick="x">')
    filled[0][0] = type(filled[0][0])("<i>", 0, 0.5)
    page = Page(filled._repr_html_())
    assert {"b", "i"}.isdisjoint(tag for tag, _ in page.elements)
    assert '<b onclick="x">' in page.words and "<i>" in page.words


def test_what_is_on_the_pictures(shown):
    def words(name):
        return Page(shown[name]._repr_html_()).words

    assert "B follows A" in words("fill") and words("fill").count("%") == 5 + 1
    assert "cat / dog" in words("patch") and "embeddings" in words("patch")
    assert "head 3" in words("patched heads") and "embeddings" not in words("patched heads")
    assert "bits" in words("surprise") and "nats" in words("attribute") and "embeddings" in words("lens")
    assert "kind_score" in words("heads") and "mlm_accuracy" in words("run") and "step" in words("run")


def test_attention_comes_back_from_its_bytes(shown, m):
    trace = m.trace(HOSTILE)
    body, _ = html.attention(trace.attentions, trace.tokens, ["a"] * len(trace.tokens))
    data = json.loads(Page(body).scripts[0])
    stored = np.frombuffer(base64.b64decode(data["weights"]), np.uint8).reshape(trace.attentions.shape) / 255
    np.testing.assert_allclose(stored, trace.attentions, atol=0.5 / 255 + 1e-6)
    assert data["tokens"] == trace.tokens


@pytest.mark.parametrize(
    ("layers", "heads", "tokens", "kept"), [(12, 12, 64, 64), (12, 12, 512, 83), (24, 16, 128, 51)]
)
def test_a_view_stays_small(layers, heads, tokens, kept):
    weights = np.full((layers, heads, tokens, tokens), 1 / tokens, np.float32)
    body, note = html.attention(weights, ["word"] * tokens, ["a"] * tokens)
    assert len(body) < 1_500_000 and len(json.loads(Page(body).scripts[0])["tokens"]) == kept
    assert (f"the first {kept}" in note) == (kept < tokens)


def test_text_on_every_color_can_be_read():
    def luminance(color):
        parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return float(np.dot([0.2126, 0.7152, 0.0722], linear))

    light, _, dark = html._file("style.css").partition("@media (prefers-color-scheme: dark)")
    sheets = {"light": light, "dark": dark}
    rule = r"\.bertscope \.(\w+) \{ background: (#\w{6}); color: (#\w{6}); \}"
    scales = [*(f"q{step}" for step in range(16)), *(f"{sign}{step}" for sign in "np" for step in range(1, 8)), "z"]
    for theme, sheet in sheets.items():
        rules = re.findall(rule, sheet)
        assert {name for name, _, _ in rules} == {*scales, "a", "b", "special", "mask"}
        for name, back, ink in rules:
            low, high = sorted((luminance(back), luminance(ink)))
            assert (high + 0.05) / (low + 0.05) >= 4.5, (theme, name)


def test_colors_are_of_the_share_of_the_largest_and_numbers_have_decimals_that_suit_it():
    assert [html._color(share, signed=False) for share in (0, 0.5, 1, 2)] == ["q0", "q8", "q15", "q15"]
    assert [html._color(share, signed=True) for share in (-1, 0.01, 0.6)] == ["n7", "z", "p4"]
    assert html._color(float("nan"), signed=True) == ""
    numbers = ((-0.001, 1), (3.14159, 20), (250.4, 900))
    assert [html._number(value, most) for value, most in numbers] == ["0.00", "3.1", "250"]


def test_no_text_and_no_numbers_are_pictures_too():
    assert html.curves("Loss", {"training": []}) == ""
    assert "0 rows" in html.plain_table([])
    Page(html.valued_tokens([], [], "bits", signed=False))
    Page(html.cells(np.full((1, 1), np.nan), ["a"], ["b"], "", signed=True))


# --- docs/notebook.ipynb: every cell runs, it is the page's notebook, and what it shows is there and small

STORED = json.loads(notebook.NOTEBOOK.read_text(encoding="utf-8"))


def _shape(cell):
    """What of a cell is the same wherever it ran: its kind, its source, and what kinds of answers it has."""
    outputs = [sorted(output.get("data", [output["output_type"]])) for output in cell.get("outputs", [])]
    return cell["cell_type"], "".join(cell["source"]), outputs


def test_it_is_what_the_page_gives(tmp_path, monkeypatch):
    """If this fails because docs/notebook.md has changed: python scripts/notebook.py."""
    monkeypatch.chdir(tmp_path)
    made = notebook.notebook_of(notebook.SOURCE.read_text(encoding="utf-8"))  # a cell that fails raises
    assert [_shape(cell) for cell in STORED["cells"]] == [_shape(cell) for cell in made["cells"]]
    assert (tmp_path / "attention.html").is_file()


def test_its_pictures_are_stored_and_small():
    pictures = [
        "".join(output["data"]["text/html"])
        for cell in STORED["cells"]
        for output in cell.get("outputs", [])
        if "text/html" in output.get("data", {})
    ]
    for part in ("bertscope attention", 'class="bars"', 'class="token valued', 'class="cells', "<polyline"):
        assert any(part in picture for picture in pictures), part
    assert notebook.NOTEBOOK.stat().st_size < 400_000


def test_cells_are_the_text_and_the_blocks_in_turn():
    page = "# A\n\n```python\n1 + 1\n```\n\n```python\nprint('a')\nx = 2\n```\nend\n"
    assert notebook.cells_of(page) == [
        ("markdown", "# A"),
        ("code", "1 + 1"),
        ("code", "print('a')\nx = 2"),
        ("markdown", "end"),
    ]
    sum_, printed = (cell["outputs"] for cell in notebook.notebook_of(page)["cells"] if cell["cell_type"] == "code")
    assert sum_[0]["data"] == {"text/plain": ["2"]} and printed[0]["text"] == ["a\n"]


def test_a_cell_that_fails_is_no_notebook():
    with pytest.raises(ZeroDivisionError):
        notebook.notebook_of("```python\n1 / 0\n```\n")
