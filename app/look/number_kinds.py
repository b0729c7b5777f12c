"""What each kind of number on the screen says, in plain words and as a formula: the tool tips of all views.

explain(self.bars, "attention")      self.bars shows attention weights
"""

import html

from PySide6.QtWidgets import QWidget

from .say import mark, say

KINDS: dict[str, tuple[str, str]] = {  # kind -> meaning, formula
    "probability": (
        mark("Probability: how sure the model is of this answer; all answers make 1."),
        mark("p = exp(logit) / Σ exp(logits)"),
    ),
    "own_probability": (
        mark("Probability: how sure the model is, decided for each one alone."),
        mark("p = 1 / (1 + exp(−logit))"),
    ),
    "attention": (
        mark("Attention weight: how much a token takes from another; a row makes 1."),
        mark("softmax(q · k / √D)"),
    ),
    "rollout": (
        mark("How much of a token comes from each word, by attention alone; a row makes 1."),
        mark("Π ½ (I + mean of heads), over the layers"),
    ),
    "flow": (
        mark("The most that could get from the word to the token through these layers."),
        mark("maximum flow, capacity = ½ (I + mean of heads)"),
    ),
    "gradient": (
        mark("How much more likely the answer becomes if this one weight grows a little."),
        mark("∂ ln p / ∂ weight"),
    ),
    "check": (
        mark(
            "Attention: where the head looks. Gradient: what a little more of it would do. Removal: what this link "
            "adds, seen by taking it away."
        ),
        mark("weight · ∂ ln p / ∂ weight · ln p − ln p(without)"),
    ),
    "attention_difference": (
        mark("Attention weight now minus that in the baseline: above 0, it looks there more."),
        mark("weight now − weight before"),
    ),
    "effect": (
        mark("What this head adds to the answer: above 0, it makes the answer more likely."),
        mark("ln p − ln p(without the head)"),
    ),
    "swapped_share": (
        mark(
            "How far the answer moves towards that of the other text when this one place is swapped: 0 not "
            "at all, 1 all the way."
        ),
        mark("(swapped − this text) / (other text − this text), of ln p"),
    ),
    "share": (
        mark("How much this word adds to the answer: +1 makes it 2.7 times as likely."),
        mark("a share of ln p, in nats"),
    ),
    "entropy": (
        mark("Over how many tokens its attention is spread, averaged over all that look."),
        mark("exp(entropy), entropy = −Σ p ln p"),
    ),
    "distance": (mark("How many tokens away it looks, on average."), mark("Σ weight · |i − j|")),
    "a_to_b": (mark("The share of A’s attention that goes to B."), mark("Σ weight (A → B) / |A|")),
    "special": (
        mark("The share of attention that goes to special tokens."),
        mark("mean over tokens of Σ weight (→ special)"),
    ),
    "surprise": (mark("How hard the word is to guess: 0 is certain, 1 a coin toss, 10 hardly ever."), mark("−log₂ p")),
    "pair_margin": (
        mark("How much more surprising the wrong sentence is: above 0, the model prefers the right one."),
        mark("Σ −log₂ p(wrong) − Σ −log₂ p(right), each token masked in turn"),
    ),
    "text_log_likelihood": (
        mark(
            "How well the whole text fits: each token is hidden in turn. Nearer to 0 is better; longer "
            "texts score lower."
        ),
        mark("Σ ln p(token | all others)"),
    ),
    "perplexity": (
        mark("Among how many equally likely words the model seems to choose, on average."),
        mark("2 ^ mean(−log₂ p)"),
    ),
    "cosine": (
        mark("How alike two vectors are: 1 is the same direction, 0 unrelated, −1 opposed."),
        mark("u · v / (|u| |v|)"),
    ),
    "cosine_distance": (
        mark("How far two vectors point apart: 0 is the same direction, 1 unrelated."),
        mark("1 − u · v / (|u| |v|)"),
    ),
    "cka": (
        mark("How alike two layers place the tokens: 1 is the same, 0 unrelated."),
        mark("linear CKA, without bias (Kornblith et al. 2019)"),
    ),
    "parameter_change": (
        mark("How far training moved the weights of a part: 0% is unchanged."),
        mark("‖now − before‖ / ‖before‖, of all weights and biases"),
    ),
    "moved_word": (mark("How far the embedding of a word moved: 0 is not at all."), mark("‖now − before‖")),
    "length": (mark("The length of a vector."), mark("√ Σ x²")),
    "part": (
        mark("The length of the part, and how much of the sum it makes; 100% in all."),
        mark("√ Σ p² · p · x / |x|²"),
    ),
    "nearest": (
        mark("How near the word is: by direction (1 is the same) or distance (0 is)."),
        mark("u · v / (|u| |v|) · |u − v|"),
    ),
    "component": (
        mark("One of the numbers of a vector: red above 0, blue below."),
        mark("x = token + segment + position"),
    ),
    "activation": (
        mark("How strongly the neuron fires for this token; around 0 it is silent."),
        mark("GELU(w · h + b)"),
    ),
    "promotes": (
        mark("How much the neuron adds to the score of this word when it fires."),
        mark("its output weights · the word’s embedding"),
    ),
    "divergence": (mark("How differently two heads look: 0 is exactly alike."), mark("Jensen–Shannon divergence")),
    "loss": (
        mark("How wrong the model is: its mean surprise at the right answers; lower is better."),
        mark("−mean ln p(right answer)"),
    ),
    "speed": (mark("How many tokens it learns from in a second."), ""),
}


def explained(kind: str) -> str:
    """The tool tip of a kind of number: its meaning, and below it the formula."""
    meaning, formula = (say(text) if text else "" for text in KINDS[kind])
    lines = [html.escape(meaning, quote=False)]
    if formula:
        lines.append(f"<i>{html.escape(formula, quote=False)}</i>")
    return f"<qt>{'<br>'.join(lines)}</qt>"


def explain(kind: str, *widgets: QWidget) -> None:
    """Says on these widgets what the numbers on them are."""
    for widget in widgets:
        widget.setToolTip(explained(kind))
