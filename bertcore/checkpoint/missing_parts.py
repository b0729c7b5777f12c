"""What a model has no part for, and why: sentences for the window, the shell and Python. Importable without torch."""

from collections.abc import Collection

from bertcore.config import BertConfig


def what_is_missing(config: BertConfig, output_heads: Collection[str], has_pooler: bool) -> dict[str, str]:
    """Part -> why it is not there: the pooler, the MLM and next-sentence heads, what its family learns, "segments"."""
    about = config.family
    missing = {head: sentence for head, sentence in _heads(config, output_heads).items() if head in ("mlm", "nsp")}
    missing.update({head: _heads(config, output_heads)[head] for head in about.pretraining if head not in output_heads})
    if not has_pooler:
        missing["pooler"] = f"{about.title} has no pooler." if not about.pooler else "This checkpoint has no pooler."
    if config.type_vocab_size < 2:
        count = "no segments" if not config.type_vocab_size else "one segment for all tokens"
        missing["segments"] = f"{about.title} has {count}: only the separator tells A from B."
    return missing


def absent_arrays(config: BertConfig, output_heads: Collection[str], has_pooler: bool) -> dict[str, str]:
    """Arrays of a trace (analysis/trace.py) that this model does not give, with the reason."""
    heads = _heads(config, output_heads)
    absent = {array: heads[head] for array, head in _ARRAYS.items() if head in heads}
    missing = what_is_missing(config, output_heads, has_pooler)
    if "pooler" in missing:
        absent["pooled"] = missing["pooler"]
    points = absent_points(config)
    if "embeddings.segment" in points:
        absent["segment_embeddings"] = points["embeddings.segment"]
    return absent


_ARRAYS = {"mlm_logits": "mlm", "next_sentence_logits": "nsp", "sentence_order_logits": "sop", "replaced_logits": "rtd"}


def _heads(config: BertConfig, output_heads: Collection[str]) -> dict[str, str]:
    reason = config.family.no_pair_head or "This checkpoint has no next-sentence (NSP) head"
    sentences = {
        "mlm": "This checkpoint has no masked-word (MLM) head, so it cannot predict words.",
        "nsp": f"{reason.rstrip('.')}, so it cannot say whether B follows A.",
        "sop": "This checkpoint has no sentence-order (SOP) head, so it cannot say whether A and B are swapped.",
        "rtd": "This checkpoint has no replaced-token head, so it cannot say which words are out of place.",
    }
    if "rtd" in output_heads:
        sentences["mlm"] = "This ELECTRA is a discriminator: it judges each word instead of predicting masked ones."
    return {head: sentence for head, sentence in sentences.items() if head not in output_heads}


def absent_points(config: BertConfig) -> dict[str, str]:
    """Hook points (see model/hooks.py) that a model of this config never passes, with the reason."""
    title, absent = config.family.title, {}
    if not config.type_vocab_size:
        absent["embeddings.segment"] = (
            f"{title} has no segments: nothing in its input tells A from B but the separator."
        )
    if not config.projects_embeddings:
        absent["embeddings.before_projection"] = "The embedding tables are as wide as the hidden states."
    if config.norm == "post":
        absent["encoder.final_norm"] = "LayerNorm follows every sum already, so nothing is normalised at the end."
    return absent
