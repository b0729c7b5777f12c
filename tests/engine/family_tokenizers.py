"""Small tokenizers of every family, learned here and written by `transformers` into folders as people have them."""

import json

from tokenizers import AddedToken, decoders, pre_tokenizers
from tokenizers import Tokenizer as RawTokenizer
from tokenizers.models import BPE, Unigram
from tokenizers.trainers import BpeTrainer, UnigramTrainer

LEARNED_FROM = [
    "the cat sat on the mat, and the dog sat on the cat",
    "don't you think so? it's 3.14 U.S.A. (naïve café)",
    "été garçon Straße über  two  spaces",
    "日本語 と 中文 🙂 mixed",
] * 4
ROBERTA = ("<s>", "<pad>", "</s>", "<unk>")
CAMEMBERT = ("<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED", "<s>", "</s>")
BERT_WORDS = (
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
    *("the", "The", "cat", "sat", "été", "ete", "日本", "日", "本"),
    *".,?!abcdefgh",
    *(f"##{letter}" for letter in "abcdefghi"),
    "##ing",
)


def byte_level():
    raw = RawTokenizer(BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    special = [*ROBERTA, "<mask>"]
    trainer = BpeTrainer(vocab_size=340, special_tokens=special, initial_alphabet=alphabet, show_progress=False)
    raw.train_from_iterator(LEARNED_FROM, trainer)
    return raw


def sentence_pieces():
    """Pieces and their log probabilities; no special tokens."""
    raw = RawTokenizer(Unigram())
    raw.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    trainer = UnigramTrainer(vocab_size=90, special_tokens=["<unk>"], unk_token="<unk>", show_progress=False)
    raw.train_from_iterator(LEARNED_FROM, trainer)
    return [(piece, score) for piece, score in json.loads(raw.to_str())["model"]["vocab"] if piece != "<unk>"]


def _mask():
    return AddedToken("<mask>", lstrip=True, special=True, normalized=False)


def _bpe_parts():
    model = json.loads(byte_level().to_str())["model"]
    return {"vocab": model["vocab"], "merges": [tuple(pair) for pair in model["merges"]]}


def _roberta(folder, **settings):
    from transformers import RobertaTokenizer

    RobertaTokenizer(**_bpe_parts(), mask_token=_mask(), **settings).save_pretrained(folder)
    _config(folder, "roberta")


def _roberta_older_files(folder):
    """vocab.json and merges.txt, as they were written before there was a tokenizer.json."""
    folder.mkdir()
    byte_level().model.save(str(folder))
    names = dict(zip(("cls", "pad", "sep", "unk"), ROBERTA, strict=True))
    mask = {"content": "<mask>", "lstrip": True, "normalized": False, "rstrip": False, "single_word": False}
    tokens = {**{f"{role}_token": token for role, token in names.items()}, "mask_token": mask}
    (folder / "special_tokens_map.json").write_text(json.dumps(tokens))
    (folder / "tokenizer_config.json").write_text('{"add_prefix_space": true, "tokenizer_class": "RobertaTokenizer"}')
    _config(folder, "roberta")


def _of_pieces(name, *special, **settings):
    """These special tokens, then the pieces; a <mask> in settings comes last."""

    def write(folder):
        import transformers

        last = [("<mask>", 0.0)] if "mask_token" in settings else []
        vocab = [*((token, 0.0) for token in special), *sentence_pieces(), *last]
        getattr(transformers, f"{name}Tokenizer")(vocab=vocab, **settings).save_pretrained(folder)
        _config(folder, {"XLMRoberta": "xlm-roberta"}.get(name, name.lower()))

    return write


def _bert(folder, **settings):
    from transformers import BertTokenizer

    BertTokenizer(vocab={word: i for i, word in enumerate(BERT_WORDS)}, **settings).save_pretrained(folder)
    _config(folder, "bert")


def _bert_older_files(folder, **settings):
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(BERT_WORDS) + "\n", encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    _config(folder, "electra")


def _plain(folder):
    """A tokenizer.json whose post-processor frames nothing, in the class that takes files as they are."""
    from transformers import PreTrainedTokenizerFast

    raw = byte_level()
    names = dict(zip(("cls_token", "pad_token", "sep_token", "unk_token"), ROBERTA, strict=True))
    PreTrainedTokenizerFast(tokenizer_object=raw, mask_token=_mask(), **names).save_pretrained(folder)
    _config(folder, "roberta")


def _config(folder, model_type):
    (folder / "config.json").write_text(json.dumps({"model_type": model_type}))


WRITERS = {
    "bert, cased": lambda folder: _bert(folder, do_lower_case=False),
    "bert, accents kept": lambda folder: _bert(folder, strip_accents=False, tokenize_chinese_chars=False),
    "electra, vocab.txt": lambda folder: _bert_older_files(folder, do_lower_case=False, strip_accents=True),
    "distilbert, vocab.txt alone": _bert_older_files,
    "roberta": _roberta,
    "roberta, space before": lambda folder: _roberta(folder, add_prefix_space=True),
    "roberta, vocab.json": _roberta_older_files,
    "xlm-roberta": _of_pieces("XLMRoberta", *ROBERTA, mask_token=_mask()),
    "camembert": _of_pieces("Camembert", *CAMEMBERT, mask_token=_mask()),
    "albert": _of_pieces("Albert", "<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"),
}
NO_FRAME = _plain
