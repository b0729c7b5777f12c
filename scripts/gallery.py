"""Every room and view as a picture, for three kinds of model, at 16 and at 512 tokens: `python -m scripts.gallery DIR`.

Writes DIR/<model>-<tokens>/<room>-<view>-<theme>.png: the built-in model, and random ones shaped as RoBERTa (no
segments, its own special tokens) and ALBERT (one layer used again and again, sentence order). For looking at, one by
one; `make tour` is the short way.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from app.state.session_file import ENDING, Session, SessionModel, as_json
from tests.app.family_models import save_family

SIZES = {"hidden_size": 96, "num_hidden_layers": 6, "num_attention_heads": 12, "max_position_embeddings": 520}
SHORT = ("The dog sat on the mat.", "It was very happy.")
A = "The cat sat on the mat and a dog ran home."
B = "It was very comfortable and the bird sat on the sofa."
TIMES = 60  # each, more than 512 tokens take; what is over is cut off, half from each


def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as made:
        models = {"built-in": None} | {
            name: str(save_family(name, Path(made) / name, **SIZES)) for name in ("roberta", "albert")
        }
        for name, reference in models.items():
            for tokens, (a, b) in {16: SHORT, 512: (" ".join([A] * TIMES), " ".join([B] * TIMES))}.items():
                session = Path(made) / f"{name}-{tokens}{ENDING}"
                session.write_text(
                    as_json(Session(a, b, model=SessionModel(reference, name), layer=1, head=2)), encoding="utf-8"
                )
                command = [sys.executable, "-m", "scripts.tour", str(folder / f"{name}-{tokens}"), str(session)]
                subprocess.run(command, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
