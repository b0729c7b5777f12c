"""The language of the window: Qt's translators, and the plurals of English.

English needs no file of translations: the sources are English. What the sources leave open is the plural. A source
writes both forms, and `EnglishPlurals` chooses by the number:

    self.tr("%n token(s)", "", n)     self.tr("%n match(es)", "", n)     self.tr("%n entr(y|ies) (was|were) cut", "", n)

lupdate finds `translate` with a number only where the number is a plain name. `%Ln` writes the number with its
thousands apart. A translation into another language does it with Qt's own rules for that language. A .qm file of
English would say the same once more and could be forgotten; lupdate reads the sources.
"""

import re
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QLocale, QTranslator

_FORMS = re.compile(r"\((?:(\w+)\|(\w+)|(s|es))\)")  # (was|were), (s)


class EnglishPlurals(QTranslator):
    """Resolves `(s)`, `(es)` and `(one|many)` in sources with a number."""

    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, source: str, disambiguation: str | None = None, n: int = -1) -> str | None:
        return plural(source, n) if n >= 0 else None


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:
    """Marks a text of a table for lupdate; whoever shows it translates it. Qt's own, but typed."""
    return text


@dataclass(frozen=True)
class Titled:
    """What has a name on the screen. title and hint are English, marked with QT_TRANSLATE_NOOP("<its class>", ...)."""

    key: str
    title: str
    hint: str  # what it shows, in one sentence

    @property
    def shown_title(self) -> str:
        return QCoreApplication.translate(type(self).__name__, self.title)

    @property
    def shown_hint(self) -> str:
        return QCoreApplication.translate(type(self).__name__, self.hint)


def plural(source: str, n: int) -> str:
    """The English form for n things; `%n` stays, Qt puts the number there."""

    def form(found: re.Match[str]) -> str:
        one, many, suffix = found.groups()
        return (one or "") if n == 1 else (many or suffix)

    return _FORMS.sub(form, source)


def install(app: QCoreApplication) -> None:
    """Puts the program's translators on the application, once; before the first window.

    Numbers are written as in English wherever the program runs: `numbers` writes "12,204" and "0.5", so does Qt.
    """
    if app.findChild(EnglishPlurals) is None:
        QLocale.setDefault(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
        app.installTranslator(EnglishPlurals(app))
