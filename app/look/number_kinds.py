"""What each kind of number on the screen says, in plain words and as a formula: the tool tips of all views.

explain(self.bars, "attention")      self.bars shows attention weights
"""

import html

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from .language import QT_TRANSLATE_NOOP

KINDS: dict[str, tuple[str, str]] = {  # kind -> meaning, formula
    "probability": (
        QT_TRANSLATE_NOOP("NumberKind", "Probability: how sure the model is of this answer; all answers make 1."),
        QT_TRANSLATE_NOOP("NumberKind", "p = exp(logit) / Σ exp(logits)"),
    ),
    "own_probability": (
        QT_TRANSLATE_NOOP("NumberKind", "Probability: how sure the model is, decided for each one alone."),
        QT_TRANSLATE_NOOP("NumberKind", "p = 1 / (1 + exp(−logit))"),
    ),
    "attention": (
        QT_TRANSLATE_NOOP("NumberKind", "Attention weight: how much a token takes from another; a row makes 1."),
        QT_TRANSLATE_NOOP("NumberKind", "softmax(q · k / √D)"),
    ),
    "rollout": (
        QT_TRANSLATE_NOOP("NumberKind", "How much of a token comes from each word, by attention alone; a row makes 1."),
        QT_TRANSLATE_NOOP("NumberKind", "Π ½ (I + mean of heads), over the layers"),
    ),
    "flow": (
        QT_TRANSLATE_NOOP("NumberKind", "The most that could get from the word to the token through these layers."),
        QT_TRANSLATE_NOOP("NumberKind", "maximum flow, capacity = ½ (I + mean of heads)"),
    ),
    "gradient": (
        QT_TRANSLATE_NOOP("NumberKind", "How much more likely the answer becomes if this one weight grows a little."),
        QT_TRANSLATE_NOOP("NumberKind", "∂ ln p / ∂ weight"),
    ),
    "check": (
        QT_TRANSLATE_NOOP(
            "NumberKind",
            "Attention: where the head looks. Gradient: what a little more of it would do. Removal: what this link "
            "adds, seen by taking it away.",
        ),
        QT_TRANSLATE_NOOP("NumberKind", "weight · ∂ ln p / ∂ weight · ln p − ln p(without)"),
    ),
    "attention_difference": (
        QT_TRANSLATE_NOOP(
            "NumberKind", "Attention weight now minus that in the baseline: above 0, it looks there more."
        ),
        QT_TRANSLATE_NOOP("NumberKind", "weight now − weight before"),
    ),
    "effect": (
        QT_TRANSLATE_NOOP("NumberKind", "What this head adds to the answer: above 0, it makes the answer more likely."),
        QT_TRANSLATE_NOOP("NumberKind", "ln p − ln p(without the head)"),
    ),
    "swapped_share": (
        QT_TRANSLATE_NOOP(
            "NumberKind",
            "How far the answer moves towards that of the other text when this one place is swapped: 0 not "
            "at all, 1 all the way.",
        ),
        QT_TRANSLATE_NOOP("NumberKind", "(swapped − this text) / (other text − this text), of ln p"),
    ),
    "share": (
        QT_TRANSLATE_NOOP("NumberKind", "How much this word adds to the answer: +1 makes it 2.7 times as likely."),
        QT_TRANSLATE_NOOP("NumberKind", "a share of ln p, in nats"),
    ),
    "entropy": (
        QT_TRANSLATE_NOOP("NumberKind", "Over how many tokens its attention is spread, averaged over all that look."),
        QT_TRANSLATE_NOOP("NumberKind", "exp(entropy), entropy = −Σ p ln p"),
    ),
    "distance": (
        QT_TRANSLATE_NOOP("NumberKind", "How many tokens away it looks, on average."),
        QT_TRANSLATE_NOOP("NumberKind", "Σ weight · |i − j|"),
    ),
    "a_to_b": (
        QT_TRANSLATE_NOOP("NumberKind", "The share of A’s attention that goes to B."),
        QT_TRANSLATE_NOOP("NumberKind", "Σ weight (A → B) / |A|"),
    ),
    "special": (
        QT_TRANSLATE_NOOP("NumberKind", "The share of attention that goes to special tokens."),
        QT_TRANSLATE_NOOP("NumberKind", "mean over tokens of Σ weight (→ special)"),
    ),
    "surprise": (
        QT_TRANSLATE_NOOP("NumberKind", "How hard the word is to guess: 0 is certain, 1 a coin toss, 10 hardly ever."),
        QT_TRANSLATE_NOOP("NumberKind", "−log₂ p"),
    ),
    "pair_margin": (
        QT_TRANSLATE_NOOP(
            "NumberKind", "How much more surprising the wrong sentence is: above 0, the model prefers the right one."
        ),
        QT_TRANSLATE_NOOP("NumberKind", "Σ −log₂ p(wrong) − Σ −log₂ p(right), each token masked in turn"),
    ),
    "text_log_likelihood": (
        QT_TRANSLATE_NOOP(
            "NumberKind",
            "How well the whole text fits: each token is hidden in turn. Nearer to 0 is better; longer "
            "texts score lower.",
        ),
        QT_TRANSLATE_NOOP("NumberKind", "Σ ln p(token | all others)"),
    ),
    "perplexity": (
        QT_TRANSLATE_NOOP("NumberKind", "Among how many equally likely words the model seems to choose, on average."),
        QT_TRANSLATE_NOOP("NumberKind", "2 ^ mean(−log₂ p)"),
    ),
    "cosine": (
        QT_TRANSLATE_NOOP("NumberKind", "How alike two vectors are: 1 is the same direction, 0 unrelated, −1 opposed."),
        QT_TRANSLATE_NOOP("NumberKind", "u · v / (|u| |v|)"),
    ),
    "cosine_distance": (
        QT_TRANSLATE_NOOP("NumberKind", "How far two vectors point apart: 0 is the same direction, 1 unrelated."),
        QT_TRANSLATE_NOOP("NumberKind", "1 − u · v / (|u| |v|)"),
    ),
    "cka": (
        QT_TRANSLATE_NOOP("NumberKind", "How alike two layers place the tokens: 1 is the same, 0 unrelated."),
        QT_TRANSLATE_NOOP("NumberKind", "linear CKA, without bias (Kornblith et al. 2019)"),
    ),
    "parameter_change": (
        QT_TRANSLATE_NOOP("NumberKind", "How far training moved the weights of a part: 0% is unchanged."),
        QT_TRANSLATE_NOOP("NumberKind", "‖now − before‖ / ‖before‖, of all weights and biases"),
    ),
    "moved_word": (
        QT_TRANSLATE_NOOP("NumberKind", "How far the embedding of a word moved: 0 is not at all."),
        QT_TRANSLATE_NOOP("NumberKind", "‖now − before‖"),
    ),
    "length": (QT_TRANSLATE_NOOP("NumberKind", "The length of a vector."), QT_TRANSLATE_NOOP("NumberKind", "√ Σ x²")),
    "part": (
        QT_TRANSLATE_NOOP("NumberKind", "The length of the part, and how much of the sum it makes; 100% in all."),
        QT_TRANSLATE_NOOP("NumberKind", "√ Σ p² · p · x / |x|²"),
    ),
    "nearest": (
        QT_TRANSLATE_NOOP("NumberKind", "How near the word is: by direction (1 is the same) or distance (0 is)."),
        QT_TRANSLATE_NOOP("NumberKind", "u · v / (|u| |v|) · |u − v|"),
    ),
    "component": (
        QT_TRANSLATE_NOOP("NumberKind", "One of the numbers of a vector: red above 0, blue below."),
        QT_TRANSLATE_NOOP("NumberKind", "x = token + segment + position"),
    ),
    "activation": (
        QT_TRANSLATE_NOOP("NumberKind", "How strongly the neuron fires for this token; around 0 it is silent."),
        QT_TRANSLATE_NOOP("NumberKind", "GELU(w · h + b)"),
    ),
    "promotes": (
        QT_TRANSLATE_NOOP("NumberKind", "How much the neuron adds to the score of this word when it fires."),
        QT_TRANSLATE_NOOP("NumberKind", "its output weights · the word’s embedding"),
    ),
    "divergence": (
        QT_TRANSLATE_NOOP("NumberKind", "How differently two heads look: 0 is exactly alike."),
        QT_TRANSLATE_NOOP("NumberKind", "Jensen–Shannon divergence"),
    ),
    "loss": (
        QT_TRANSLATE_NOOP(
            "NumberKind", "How wrong the model is: its mean surprise at the right answers; lower is better."
        ),
        QT_TRANSLATE_NOOP("NumberKind", "−mean ln p(right answer)"),
    ),
    "speed": (QT_TRANSLATE_NOOP("NumberKind", "How many tokens it learns from in a second."), ""),
}


def explained(kind: str) -> str:
    """The tool tip of a kind of number: its meaning, and below it the formula."""
    meaning, formula = (QCoreApplication.translate("NumberKind", text) if text else "" for text in KINDS[kind])
    lines = [html.escape(meaning, quote=False)]
    if formula:
        lines.append(f"<i>{html.escape(formula, quote=False)}</i>")
    return f"<qt>{'<br>'.join(lines)}</qt>"


def explain(kind: str, *widgets: QWidget) -> None:
    """Says on these widgets what the numbers on them are."""
    for widget in widgets:
        widget.setToolTip(explained(kind))
