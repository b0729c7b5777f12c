"""What the settings of a run and their choices are called on the screen. A setting without words cannot be offered."""

from ....look import mark

# A setting's title, and one line of help where it has one; "kind.setting" where one kind of run calls it otherwise.
SETTING_WORDS: dict[str, tuple[str, str]] = {
    "name": (mark("Name"), ""),
    "preset": (mark("Layers × hidden size"), ""),
    "crf": (mark("Add a CRF layer"), mark("A conditional random field learns which tag may follow which")),
    "epochs": (mark("How long, in epochs"), ""),
    "steps": (mark("How long, in steps"), ""),
    "minutes": (mark("How long, in minutes"), ""),
    "family": (
        mark("Model family"),
        mark("RoBERTa reads running text, without pairs. ALBERT uses one layer over and over."),
    ),
    "positions": (
        mark("Position embeddings"),
        mark("Learned from scratch, learned from sine waves, or fixed sine waves."),
    ),
    "pretrain.layers": (mark("Layers"), mark("More layers learn more, and take longer.")),
    "hidden": (mark("Hidden size"), mark("How many numbers stand for a token between two layers.")),
    "heads": (
        mark("Heads per layer"),
        mark("They share the hidden size equally: it must be a multiple of their number."),
    ),
    "intermediate": (
        mark("Feed-forward size"),
        mark("Width of the feed-forward layer; usually four times the hidden size."),
    ),
    "position_count": (mark("Positions"), mark("The longest text that the model can read, in tokens.")),
    "segments": (mark("Segments"), mark("Two tell sentence A from sentence B.")),
    "vocab_size": (mark("Vocabulary size"), mark("How many different tokens it learns at most; rare words are split.")),
    "learning_rate": (
        mark("Learning rate"),
        mark("How far each step moves the weights. Too high, and the loss jumps or grows."),
    ),
    "schedule": (
        mark("Learning rate after the warm-up"),
        mark("Falling to zero is usual; the slanted triangle rises fast and falls slowly."),
    ),
    "warm_up_share": (mark("Warm-up"), mark("The share of the run over which the learning rate rises from zero.")),
    "fall_share": (
        mark("Learning rate decay"),
        mark("The share of the run, at its end, over which the learning rate falls to zero."),
    ),
    "causal_share": (
        mark("Next words first"),
        mark("The share of the run, at its start, that predicts next words: small models learn faster."),
    ),
    "pairs": (mark("Sentence pairs"), mark("What it learns about two sentences, besides predicting masked words.")),
    "masking": (mark("What is masked"), mark("Whole words and spans are harder to guess than single tokens.")),
    "mask_share": (mark("Share of tokens to guess"), mark("0.15 in the paper: 15 of 100 tokens.")),
    "mask_fate": (mark("Of these, shown as [MASK]"), mark("0.8 in the paper; 1 means all of them.")),
    "random_fate": (
        mark("Of these, replaced by a random token"),
        mark("0.1 in the paper. The rest stays as it is and has to be guessed all the same."),
    ),
    "sequence_length": (mark("Tokens per sequence"), mark("Longer ones have more context and take more time.")),
    "max_length": (
        mark("Maximum tokens per example"),
        mark("Longer texts are cut while it learns; passages are read in windows."),
    ),
    "batch_size": (mark("Batch size"), mark("How many texts each step learns from at once.")),
    "optimizer": (
        mark("Optimiser"),
        mark("The rule that turns gradients into steps. Muon learns more from each token."),
    ),
    "layers": (mark("Layers of the student"), mark("Taken evenly from the teacher’s; usually half of them.")),
    "temperature": (
        mark("Temperature"),
        mark("Higher: the student sees more of the words that its teacher finds unlikely."),
    ),
    "layer_decay": (
        mark("Layer-wise learning rate"),
        mark("With 0.9 each layer learns a tenth more slowly than the one above it."),
    ),
    "frozen_layers": (
        mark("Frozen layers"),
        mark("This many layers, counted from the bottom, do not learn, nor do the embeddings."),
    ),
    "gradual_unfreezing": (
        mark("Gradual unfreezing"),
        mark("The top layer learns first; the layers below it join in one by one."),
    ),
    "dropout": (mark("Dropout"), mark("The share of numbers set to zero at random, so that it memorises less.")),
    "classifier_dropout": (
        mark("Dropout before the new head"),
        mark("The same, but only just before the new output layer."),
    ),
    "classifier_layers": (
        mark("Hidden layers of the classifier"),
        mark("Between [CLS] and the classes. Usually none; textbooks often put one there."),
    ),
    "classifier_width": (mark("Width of these layers"), mark("512 where nothing else is said.")),
    "classifier_activation": (mark("Activation of these layers"), mark("ReLU where nothing else is said.")),
    "one_logit": (
        mark("One logit for two classes"),
        mark("One number with binary cross-entropy, instead of one for each class."),
    ),
    "max_examples": (mark("Maximum training examples"), mark("Fewer examples: a shorter run, and a weaker model.")),
    "max_held_out": (
        mark("Maximum held-out examples"),
        mark("Fewer examples: faster measurements, but less reliable ones."),
    ),
    "seed": (mark("Seed"), mark("Another seed gives other random choices.")),
}
PROPER_NAMES = {"bert": "BERT", "roberta": "RoBERTa", "albert": "ALBERT", "adamw": "AdamW", "muon": "Muon"}
PROPER_NAMES |= {"relu": "ReLU", "tanh": "Tanh", "gelu": "GELU", "silu": "SiLU"}
CHOICE_WORDS = {
    "learned": mark("learned"),
    "sinusoidal_start": mark("learned from sine waves"),
    "sinusoidal_fixed": mark("sine waves, fixed"),
    "nsp": mark("next sentence (BERT)"),
    "sop": mark("sentence order (ALBERT)"),
    "none": mark("none (RoBERTa)"),
    "tokens": mark("single tokens"),
    "words": mark("whole words"),
    "spans": mark("spans of words"),
    "linear": mark("falls to zero"),
    "slanted": mark("slanted triangle"),
    "constant": mark("constant"),
}
SIZE_WORDS = {  # presets, as a machine without a GPU trains them
    "tiny": mark("Learns visibly within two minutes."),
    "mini": mark("Give it ten minutes or more."),
    "small": mark("Give it an hour or more."),
    "medium": mark("Give it several hours."),
    "base": mark("The size of BERT: it takes days, or a graphics card."),
    "large": mark("The larger BERT: for graphics cards."),
}
