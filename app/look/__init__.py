"""Colours, fonts, icons and number formats; and the words of the window, `say` and `mark`, which every part needs.

`from ..look import numbers, say, theme`: `numbers` and `theme` are modules of this package, `say` is the function.
"""

from .say import mark, names, say

__all__ = ["mark", "names", "say"]
