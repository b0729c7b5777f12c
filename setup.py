"""Which folder is installed as which package. Everything else stands in pyproject.toml.

`assets` is a name that any program could have, so where BERTscope is installed it is a part of bertcore.
"""

from setuptools import find_packages, setup

setup(
    package_dir={"bertcore.assets": "assets"},
    packages=[*find_packages(include=["bertcore", "bertcore.*", "app", "app.*"]), "bertcore.assets"],
)
