"""Every text can be read on its background, and no meaning hangs on colours that some eyes cannot tell apart.

Simulation: Machado, Oliveira and Fernandes 2009, "A physiologically-based model for simulation of color vision
deficiency", table of severity 1.0, on linear sRGB. Distance: CIEDE2000, Sharma, Wu and Dalal 2005.
"""

import itertools
import re

import numpy as np
import pytest
from PySide6.QtGui import QColor

from app.look import theme

VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array(  # IEC 61966-2-1, white D65
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def linear(color):
    return np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)


def seen(color, vision):
    """A colour as sRGB, as those with this vision see it."""
    light = np.clip(linear(color) @ VISION[vision].T, 0, 1)
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


def lab(color):
    """CIELAB: lightness 0..100, a, b."""
    xyz = linear(color) @ TO_XYZ.T / (TO_XYZ @ np.ones(3))
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)


def distance(one, other):
    """CIEDE2000 of two CIELAB colours (3): about 2 is just visible side by side. The letters are those of the paper."""
    (l1, a1, b1), (l2, a2, b2) = one, other
    c_mean = (np.hypot(a1, b1) + np.hypot(a2, b2)) / 2
    g = 0.5 * (1 - np.sqrt(c_mean**7 / (c_mean**7 + 25.0**7)))
    a1, a2 = a1 * (1 + g), a2 * (1 + g)
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = np.degrees(np.arctan2(b1, a1)) % 360, np.degrees(np.arctan2(b2, a2)) % 360
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    d_l, d_c, d_h = l2 - l1, c2 - c1, 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    l_, c_, h_ = (l1 + l2) / 2, (c1 + c2) / 2, (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2
    t = 1 - 0.17 * _cos(h_ - 30) + 0.24 * _cos(2 * h_) + 0.32 * _cos(3 * h_ + 6) - 0.20 * _cos(4 * h_ - 63)
    theta = 30 * np.exp(-(((h_ - 275) / 25) ** 2))
    s_l = 1 + 0.015 * (l_ - 50) ** 2 / np.sqrt(20 + (l_ - 50) ** 2)
    s_c, s_h = 1 + 0.045 * c_, 1 + 0.015 * c_ * t
    r = -2 * np.sqrt(c_**7 / (c_**7 + 25.0**7)) * np.sin(np.radians(2 * theta))
    l, c, h = d_l / s_l, d_c / s_c, d_h / s_h  # noqa: E741
    return float(np.sqrt(l**2 + c**2 + h**2 + r * c * h))


def _cos(degrees):
    return float(np.cos(np.radians(degrees)))


LOOKS = list(theme.THEMES.values())
CELLS = [theme.sequential_table, theme.diverging_table]
GROUNDS = ("card", "window", "field", "hover", "track")
TINTED = ("segment_a", "segment_b", "special", "mask", "accent")
PAINTED = [  # text and background, as painted widgets combine them
    *itertools.product(("ink", "muted"), (*GROUNDS, *(f"{kind}_tint" for kind in TINTED), "good_tint", "bad_tint")),
    *((kind, ground) for kind in TINTED for ground in (f"{kind}_tint", "card", "window", "hover")),
    *((kind, ground) for kind in ("good_text", "bad_text") for ground in ("card", "window", "hover")),
    *(("good_text", "good_tint"), ("bad_text", "bad_tint")),
    ("on_accent", "accent"),
    ("card", "ink"),
]
TOLD_APART = {  # colours that stand side by side and mean different things
    "tokens": ("segment_a", "segment_b", "special", "mask"),
    "curves": ("curve_train", "curve_held_out", "curve_mlm", "curve_nsp", "curve_rate", "curve_norm"),
    "parts of an embedding": ("curve_train", "curve_held_out", "good", "muted"),
    "names of embeddings": ("segment_a", "segment_b", "good_text", "ink"),
    "bars": ("bar", "bar_strong", "good"),
    "bars of a mask": ("bar", "mask"),
    "verdicts": ("good", "bad", "bar_strong"),
    "verdicts in words": ("good_text", "bad_text", "muted"),
    "states of a run": ("accent", "warn", "good", "bad"),
}
LEAST_DISTANCE = 10.0  # CIEDE2000
LEAST_LINE = 3.0  # contrast of lines and bars with the card (WCAG 2.1, 1.4.11); in the light theme some are labelled
SAME_SIZE = 15.0  # CIEDE2000 of +v and -v on the signed scale, from a quarter of its reach on


def each(looks):
    return pytest.mark.parametrize("look", looks, ids=lambda look: look.name)


def ratio(one, other):
    """Their contrast, from 1 (the same brightness) to 21 (black on white), as WCAG 2.1 measures it."""
    low, high = sorted(float(TO_XYZ[1] @ linear(rgb(name))) for name in (one, other))
    return (high + 0.05) / (low + 0.05)


def rgb(name):
    return np.array(QColor(name).getRgbF()[:3])


def test_contrast_is_measured_as_wcag_does():
    assert ratio("#000000", "#ffffff") == pytest.approx(21.0)
    assert ratio("#ffffff", "#777777") == pytest.approx(4.478, abs=1e-3)


@each(LOOKS)
def test_painted_text(look):
    found = {pair: round(ratio(*(getattr(look, name) for name in pair)), 2) for pair in PAINTED}
    assert {pair: value for pair, value in found.items() if value < look.least_contrast} == {}


@each(LOOKS)
def test_text_of_the_style_sheet(look):
    """On the background of its rule, or on card and window. Of what is disabled WCAG asks nothing."""
    ratios, rules = {}, re.findall(r"([^{}]+)\{([^{}]+)\}", theme.stylesheet(look, 1.0))
    for selector, body in rules:
        names = "background|color|selection-background-color|selection-color"
        values = dict(re.findall(rf"(?:^|;|\s)({names}): (#\w+)", body))
        grounds = [values["background"]] if "background" in values else [look.card, look.window]
        pairs = [("color", ground) for ground in grounds]
        pairs.append(("selection-color", values.get("selection-background-color")))
        for name, ground in pairs:
            if name in values and ground and ":disabled" not in selector:
                ratios[selector.strip(), name, ground] = ratio(values[name], ground)
    assert {place: found for place, found in ratios.items() if found < look.least_contrast} == {} and len(rules) > 50


@each(LOOKS)
def test_words_in_cells_can_be_read_on_every_colour(look, qapp):
    """Dark words on mid blue had a contrast of 3.3."""
    theme.apply(qapp, look.name)
    for number in itertools.chain.from_iterable(table() for table in CELLS):
        fill = QColor.fromRgb(number)
        assert ratio(theme.ink_on(fill).name(), fill.name()) >= look.least_contrast, fill.name()


def test_high_contrast_is_black_and_white_with_thick_rings():
    look = theme.CONTRAST
    assert ratio(look.ink, look.card) == pytest.approx(21) and look.least_contrast >= 7
    for ground in ("card", "window", "field"):
        assert ratio(look.line, getattr(look, ground)) >= 7 and ratio(look.faint, getattr(look, ground)) >= 7
    rings = re.findall(r":focus[^{]*\{[^}]*border: (\d+)px solid (#\w+)", theme.stylesheet(look, 1.0))
    assert rings and all(int(width) >= 3 and ratio(color, look.card) >= 7 for width, color in rings)


def test_the_measures_are_those_of_the_papers():
    """Pairs 1, 7, 17, 25 and 34 of Sharma 2005, table 1; what has no colour looks the same to everyone."""
    for one, other, expected in (
        ((50.0, 2.6772, -79.7751), (50.0, 0.0, -82.7485), 2.0425),
        ((50.0, 0.0, 0.0), (50.0, -1.0, 2.0), 2.3669),
        ((50.0, 2.5, 0.0), (73.0, 25.0, -18.0), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ):
        assert distance(np.array(one), np.array(other)) == pytest.approx(expected, abs=1e-4)
    assert lab(rgb("#ff0000")) == pytest.approx([53.24, 80.09, 67.20], abs=0.02)
    for vision in VISION:
        assert seen(rgb("#808080"), vision) == pytest.approx(rgb("#808080"), abs=2e-3)
    red, green = (lab(seen(rgb(name), "deuteranopia")) for name in ("#c04040", "#6f7f30"))
    assert distance(red, green) < 12 < distance(lab(rgb("#c04040")), lab(rgb("#6f7f30")))


@pytest.mark.parametrize("vision", VISION)
@each(LOOKS)
def test_what_differs_in_meaning_differs_for_all_eyes(look, vision):
    poor = {}
    for group, names in TOLD_APART.items():
        colors = {name: lab(seen(rgb(getattr(look, name)), vision)) for name in names}
        for one, other in itertools.combinations(names, 2):
            if (found := distance(colors[one], colors[other])) < LEAST_DISTANCE:
                poor[group, one, other] = round(found, 1)
    assert poor == {}


@each([theme.DARK, theme.CONTRAST])
def test_lines_and_bars_stand_out_from_the_card(look):
    names = {name for group in ("curves", "verdicts") for name in TOLD_APART[group]}
    ratios = {name: ratio(getattr(look, name), look.card) for name in names}
    assert {name: found for name, found in ratios.items() if found < LEAST_LINE} == {}


@pytest.mark.parametrize("vision", VISION)
@each(LOOKS)
def test_scales_of_colour(look, vision, qapp):
    """More is always darker, or always lighter; a negative value never looks like the positive one of its size."""
    theme.apply(qapp, look.name)
    one_way, two_ways = (lab(seen(np.array([rgb(number) for number in table()]), vision)) for table in CELLS)
    for lightness in (one_way[:, 0], two_ways[:128, 0], two_ways[128:, 0]):
        assert_one_way(lightness)
    mirrored = [distance(two_ways[i], two_ways[255 - i]) for i in range(96)]
    assert min(mirrored) >= SAME_SIZE, round(min(mirrored), 1)


def assert_one_way(lightness):
    """Up to what rounding to whole bytes does."""
    steps = np.diff(lightness) * np.sign(lightness[-1] - lightness[0])
    assert steps.min() > -0.5 and abs(lightness[-1] - lightness[0]) > 40
