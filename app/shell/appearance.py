"""How the window looks and reads: theme, size of type, plain or technical words, language."""

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QApplication, QWidget

from ..look import language, numbers, theme
from .services import Services

RESIZED_MS = 200  # without another change of size: it was dragged to where it is to be


class Appearance(QObject):
    """What a person chose, what the system is set to, and how large the window is."""

    rebuild_requested = Signal()  # everything is laid out or written anew
    language_changed = Signal()

    def __init__(self, services: Services, window: QWidget) -> None:
        super().__init__(window)
        self._services, self._settings, self._window = services, services.settings, window
        self._resized = QTimer(self, singleShot=True, interval=RESIZED_MS)
        self._resized.timeout.connect(self._on_resized)
        # Type and pictures grow with a window that becomes large, once it is no longer being dragged.
        self.follow_size = self._resized.start
        for changed in theme.system_changes():
            changed.connect(self._on_system_look_changed)
        numbers.set_technical(self._settings.words == "technical")

    def toggle_theme(self) -> None:
        self.set_look("light" if theme.active().name == "dark" else "dark")

    def toggle_contrast(self) -> None:
        """High contrast, or back to what the system is set to, where that is another one."""
        names = ["contrast", "system", "light"]
        self.set_look(next(name for name in names if theme.resolved(name) != theme.active().name))

    def toggle_technical(self) -> None:
        """Plain words and percent, or nats and ln p; every text is written anew."""
        self._settings.words = "plain" if self._settings.words == "technical" else "technical"
        numbers.set_technical(self._settings.words == "technical")
        self._services.save_settings()
        QTimer.singleShot(0, self, self.rebuild_requested.emit)

    def set_language(self, setting: str) -> None:
        """A language or "system"; every text is written anew."""
        self._settings.language = setting
        self._services.save_settings()

        def change() -> None:
            app = QApplication.instance()
            assert app is not None
            language.install(app, language.chosen(setting))
            self.language_changed.emit()

        QTimer.singleShot(0, self, change)

    def toggle_projector(self) -> None:
        # After the click is done with: the button that was clicked goes away.
        QTimer.singleShot(0, lambda: self.set_look(projector=not self._settings.projector))

    def set_look(self, theme_name: str | None = None, projector: bool | None = None) -> None:
        """Another theme, or projector mode on or off. What is not given stays."""
        settings = self._settings
        settings.theme = theme_name or settings.theme
        settings.projector = settings.projector if projector is None else projector
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        before, name, scale = theme.scale(), theme.resolved(settings.theme), self._scale()
        if (name, scale) != (theme.active().name, before):  # every widget would be styled anew
            theme.apply(app, name, scale)
        if scale != before:
            self.rebuild_requested.emit()
        self._services.save_settings()

    def _scale(self) -> float:
        return theme.scale_for(self._window.width(), self._window.height(), self._settings.projector)

    def _on_resized(self) -> None:
        if self._scale() != theme.scale():
            self.set_look()

    def _on_system_look_changed(self) -> None:
        if self._settings.theme == theme.SYSTEM:
            self.set_look()
