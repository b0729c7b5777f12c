"""A text that the window shows, as the engine's analyses take it. Importable without torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..state import ModelInput

if TYPE_CHECKING:
    from bertcore.analysis.passes import Text
    from bertcore.model.bert import Bert


def text_of(model: Bert, text: ModelInput) -> Text:
    """Checked against the model, on its device. Raises BertcoreError where the model cannot read it."""
    from bertcore.analysis.passes import as_text

    return as_text(model, text.input_ids, text.segments, text.positions)
