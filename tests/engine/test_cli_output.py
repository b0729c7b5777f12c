"""What the commands print as JSON is JSON."""

import json

import numpy as np
import pytest

from bertcore.cli.output import print_json


def test_a_number_that_is_none_becomes_null(capsys: pytest.CaptureFixture[str]) -> None:
    """NaN and Infinity are no JSON: jq and browsers refuse the whole answer for one of them."""
    print_json({"loss": float("nan"), "shares": [np.float32(0.5), np.inf], "count": np.int64(3), "word": "café"})
    printed = capsys.readouterr().out
    assert json.loads(printed) == {"loss": None, "shares": [0.5, None], "count": 3.0, "word": "café"}
    assert "café" in printed
