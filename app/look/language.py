"""The language of the window: which there are, Qt's translators, and the plurals of English.

English needs no file of translations: the sources are English. What the sources leave open is the plural. A source
writes both forms, and `EnglishPlurals` chooses by the number:

    self.tr("%n token(s)", "", n)     self.tr("%n match(es)", "", n)     self.tr("%n entr(y|ies) (was|were) cut", "", n)

lupdate finds `translate` with a number only where the number is a plain name. `%Ln` writes the number with its
thousands apart. A translation into another language does it with Qt's own rules for that language. A .qm file of
English would say the same once more and could be forgotten; lupdate reads the sources.
"""

import re
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from . import numbers, translated
from .bidi import isolated

LANGUAGES = {"en": "English", "de": "Deutsch"}  # by its own name, so that it is found by those who speak it
SYSTEM = "system"  # in the settings: whichever of them the system speaks
_LOCALES = {
    "en": QLocale(QLocale.Language.English, QLocale.Country.UnitedStates),
    "de": QLocale(QLocale.Language.German, QLocale.Country.Germany),
}
_NUMBERS = {"en": numbers.ENGLISH, "de": numbers.GERMAN}
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


def quoted(word: str) -> str:
    """A word of a text beside other words, in the language's quotation marks."""
    return QCoreApplication.translate("Language", "“{word}”").format(word=isolated(word))


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


def chosen(setting: str) -> str:
    """The code of the language that a setting means."""
    if setting in LANGUAGES:
        return setting
    spoken = [name.partition("-")[0] for name in QLocale.system().uiLanguages()]
    return next((code for code in spoken if code in LANGUAGES), "en")


def install(app: QCoreApplication, code: str = "en") -> None:
    """Puts the translators of a language on the application, before the first window or to change the language.

    What is already written on the screen stays as it is: `Appearance.set_language` writes it anew.
    """
    for old in app.findChildren(QTranslator):
        app.removeTranslator(old)
        old.deleteLater()
    QLocale.setDefault(_LOCALES[code])
    numbers.set_style(_NUMBERS[code])
    translated.set_language(code)
    app.installTranslator(EnglishPlurals(app))  # asked last: for what is not translated
    if code != "en":
        qt = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        for folder, name in ((qt, f"qtbase_{code}"), (str(translated.folder_of(code)), "bertscope")):
            translator = QTranslator(app)
            if translator.load(name, folder):
                app.installTranslator(translator)
