"""What colour-blind eyes see, and how far apart two colours are: the measures that the themes are tested by.

Simulation: Machado, Oliveira and Fernandes 2009, "A physiologically-based model for simulation of color vision
deficiency", table of severity 1.0, on linear sRGB. Distance: CIEDE2000, Sharma, Wu and Dalal 2005.
"""

import numpy as np
from numpy.typing import NDArray

Color = NDArray[np.float64]  # (...,3), 0..1
VISION: dict[str, NDArray[np.float64]] = {
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


def linear(color: Color) -> Color:
    return np.where(color <= 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)


def seen(color: Color, vision: str) -> Color:
    """A colour as sRGB, as those with this vision see it."""
    light = np.clip(linear(color) @ VISION[vision].T, 0, 1)
    return np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


def lab(color: Color) -> Color:
    """CIELAB: lightness 0..100, a, b."""
    xyz = linear(color) @ TO_XYZ.T / (TO_XYZ @ np.ones(3))
    f = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], axis=-1)


def distance(one: Color, other: Color) -> float:
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


def _cos(degrees: float) -> float:
    return float(np.cos(np.radians(degrees)))
