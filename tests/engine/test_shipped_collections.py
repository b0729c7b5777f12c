"""The collections that ship: read without loss, and usable by the built-in model."""

import re

from bertcore.checkpoint.checkpoint import load_checkpoint
from bertcore.evidence.collection import read_pairs, read_treebank
from bertcore.evidence.heads import heads_over_pairs
from bertcore.locations import assets, built_in_checkpoint

FOLDER = assets() / "evidence"


def test_the_treebank_is_read_without_loss():
    file = FOLDER / "sentences.conllu"
    texts = re.findall(r"^# text = (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
    trees = read_treebank(file)
    assert [tree.text for tree in trees.rows] == texts and len(set(texts)) == 100 and not trees.left_out
    assert all(tree.heads.count(-1) == 1 and tree.relations[tree.heads.index(-1)] == "root" for tree in trees.rows)


def test_the_built_in_model_can_use_every_pair():
    pairs = read_pairs(FOLDER / "agreement.txt")
    found = heads_over_pairs(load_checkpoint(built_in_checkpoint()), pairs, "attention")
    assert len(found.pairs) == len({(pair.text, pair.other) for pair in pairs.rows}) == 64 and not found.left_out
