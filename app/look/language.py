"""The language of the window: which there are, and how it is changed.

English needs no file: the sources are English. Another language has assets/languages/<code>/bertscope.ts, a file of Qt
Linguist, which is read as it is.
"""

from pathlib import Path
from xml.etree import ElementTree

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

from . import numbers, translated
from .say import Texts, set_texts

LANGUAGES = {"en": "English", "de": "Deutsch"}  # by its own name, so that it is found by those who speak it
SYSTEM = "system"  # in the settings: whichever of them the system speaks
_LOCALES = {
    "en": QLocale(QLocale.Language.English, QLocale.Country.UnitedStates),
    "de": QLocale(QLocale.Language.German, QLocale.Country.Germany),
}
_NUMBERS = {"en": numbers.ENGLISH, "de": numbers.GERMAN}


def chosen(setting: str) -> str:
    """The code of the language that a setting means."""
    if setting in LANGUAGES:
        return setting
    spoken = [name.partition("-")[0] for name in QLocale.system().uiLanguages()]
    return next((code for code in spoken if code in LANGUAGES), "en")


def install(app: QCoreApplication, code: str = "en") -> None:
    """Makes a language that of the window: before the first one is built, or to change it.

    What is already written on the screen stays as it is: `Appearance.set_language` writes it anew.
    """
    for old in app.findChildren(QTranslator):
        app.removeTranslator(old)
        old.deleteLater()
    QLocale.setDefault(_LOCALES[code])
    numbers.set_style(_NUMBERS[code])
    translated.set_language(code)
    set_texts({} if code == "en" else read_ts(translated.folder_of(code) / "bertscope.ts"))
    if code != "en":
        of_qt = QTranslator(app)  # its own buttons and dialogs
        if of_qt.load(f"qtbase_{code}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
            app.installTranslator(of_qt)


def read_ts(file: Path) -> Texts:
    """The messages of a file of Qt Linguist; what is not translated has no forms."""
    found = {}
    for message in ElementTree.parse(file).iter("message"):
        forms = [form.text or "" for form in message.iter("numerusform")] or [message.findtext("translation") or ""]
        meaning, source = message.findtext("comment") or "", message.findtext("source") or ""
        found[meaning, source] = [form for form in forms if form.strip()]
    return found
