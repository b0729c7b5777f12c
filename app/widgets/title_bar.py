"""The bar at the top: which model and step is open, examples, and how the window looks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QSizePolicy, QWidget

from app.look import theme
from app.widgets.card import button, label
from app.widgets.controls import IconButton, MenuButton, popped_up

if TYPE_CHECKING:
    from app.state.model_info import ModelInfo

MODEL_PX = 520
Fill = Callable[[QMenu], object]


class TitleBar(QFrame):
    """Buttons only; what they do is given from outside."""

    def __init__(
        self,
        fill_models: Fill,
        fill_steps: Fill,
        fill_examples: Fill,
        fill_commands: Fill,
        toggle_theme: Callable[[], object],
        toggle_projector: Callable[[], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("look", "bar")
        self.setFixedHeight(theme.px(48))
        self.model = MenuButton("No model", fill_models, "The open model; opens another")
        self.model.setMinimumWidth(theme.px(120))
        self.model.setMaximumWidth(theme.px(MODEL_PX))
        self.model.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)  # gives way to the others
        self.step = MenuButton("", fill_steps, "The training step of this snapshot; opens another")
        self.step.hide()
        projector = button("Aa Projector", toggle_projector, hint="Everything larger, for a projector", checkable=True)
        projector.setChecked(theme.scale() > 1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.px(14), 0, theme.px(14), 0)
        layout.setSpacing(theme.px(10))
        layout.addWidget(label("BERTscope", "brand"))
        layout.addSpacing(theme.px(4))
        layout.addWidget(self.model)
        layout.addWidget(self.step)
        layout.addStretch(1)
        layout.addWidget(MenuButton("Examples", fill_examples, "Sentence pairs to start from"))
        layout.addWidget(projector)
        layout.addWidget(IconButton("theme", "Light or dark", toggle_theme))
        layout.addWidget(self._commands_button(fill_commands))

    def set_model(self, model: ModelInfo) -> None:
        """Shows what is open."""
        title = model_title(model)
        self.model.setText(title)
        self.model.setToolTip(f"{title}\n{model.folder}")
        self.step.setVisible(model.step is not None)
        self.step.setText(f"step {model.step:,}" if model.step is not None else "")

    def set_loading(self, name: str) -> None:
        self.model.setText(f"Loading {name or 'the built-in model'}…")

    def _commands_button(self, fill: Fill) -> IconButton:
        made = IconButton("menu", "All commands")
        menu = QMenu(made)
        made.clicked.connect(lambda _checked=False: popped_up(menu, fill, made))
        return made


def model_title(model: ModelInfo) -> str:
    """Name, family where it is not BERT, layers, heads and size: `bertscope-mini · 4 layers × 4 heads · 5.4 M`."""
    thousands, millions = model.parameters / 1e3, model.parameters / 1e6
    size = f"{thousands:.0f} k" if millions < 0.1 else f"{millions:.1f} M" if millions < 100 else f"{millions:.0f} M"
    family = "" if model.family == "BERT" else f" · {model.family}"
    return f"{model.name}{family} · {model.layers} layers × {model.heads} heads · {size}"
