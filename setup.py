"""Which folder is installed as which package. Everything else stands in pyproject.toml.

`app` and `assets` are names that any program could have: where BERTscope is installed, the window is the package
bertscope, and the assets are a part of bertcore. So files in app/ import one another by relative names.
"""

from setuptools import find_packages, setup

WINDOW = ["bertscope", *(f"bertscope.{name}" for name in find_packages("app"))]

setup(
    package_dir={"bertscope": "app", "bertcore.assets": "assets"},
    packages=[*find_packages(include=["bertcore", "bertcore.*"]), *WINDOW, "bertcore.assets"],
)
