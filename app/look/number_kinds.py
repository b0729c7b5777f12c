"""What each kind of number on the screen says, in plain words and as a formula: the tool tips of all views.

explain(self.bars, "attention")      self.bars shows attention weights
"""

import html

from PySide6.QtWidgets import QWidget

from .say import mark, say

MEANINGS: dict[str, str] = {
    "probability": mark("Probability: how sure the model is of this answer; all answers make 1."),
    "own_probability": mark("Probability: how sure the model is, decided for each one alone."),
    "attention": mark("Attention weight: how much a token takes from another; a row makes 1."),
    "rollout": mark("How much of a token comes from each word, by attention alone; a row makes 1."),
    "flow": mark("The most that could get from the word to the token through these layers."),
    "gradient": mark("How much more likely the answer becomes if this one weight grows a little."),
    "check": mark(
        "Attention: where the head looks. Gradient: what a little more of it would do. Removal: what this link "
        "adds, seen by taking it away."
    ),
    "attention_difference": mark("Attention weight now minus that in the baseline: above 0, it looks there more."),
    "effect": mark("What this head adds to the answer: above 0, it makes the answer more likely."),
    "swapped_share": mark(
        "How far the answer moves towards that of the other text when this one place is swapped: 0 not "
        "at all, 1 all the way."
    ),
    "lost_alone": mark(
        "How much of the difference between the two texts is lost when this part alone gives its output on the other "
        "text: 0 none, 1 all."
    ),
    "added_logit": mark("What this part adds to the logit of the word; all parts and biases add up to it."),
    "parameters": mark("Numbers that training sets: weights and biases. What layers share counts once."),
    "published": mark("What a paper reports, in percent; not measured here."),
    "relation_found": mark("In how many of all cases the head looks most at the right word."),
    "mean_effect": mark("The mean over all pairs of the collection, not of one sentence."),
    "share": mark("How much this word adds to the answer: +1 makes it 2.7 times as likely."),
    "entropy": mark("Over how many tokens its attention is spread, averaged over all that look."),
    "distance": mark("How many tokens away it looks, on average."),
    "a_to_b": mark("The share of A’s attention that goes to B."),
    "special": mark("The share of attention that goes to special tokens."),
    "surprise": mark("How hard the word is to guess: 0 is certain, 1 a coin toss, 10 hardly ever."),
    "pair_margin": mark("How much more surprising the wrong sentence is: above 0, the model prefers the right one."),
    "text_log_likelihood": mark(
        "How well the whole text fits: each token is hidden in turn. Nearer to 0 is better; longer texts score lower."
    ),
    "perplexity": mark("Among how many equally likely words the model seems to choose, on average."),
    "cosine": mark("How alike two vectors are: 1 is the same direction, 0 unrelated, −1 opposed."),
    "cosine_distance": mark("How far two vectors point apart: 0 is the same direction, 1 unrelated."),
    "cka": mark("How alike two layers place the tokens: 1 is the same, 0 unrelated."),
    "parameter_change": mark("How far training moved the weights of a part: 0% is unchanged."),
    "moved_word": mark("How far the embedding of a word moved: 0 is not at all."),
    "length": mark("The length of a vector."),
    "part": mark("The length of the part, and how much of the sum it makes; 100% in all."),
    "nearest": mark("How near the word is: by direction (1 is the same) or distance (0 is)."),
    "component": mark("One of the numbers of a vector: red above 0, blue below."),
    "activation": mark("How strongly the neuron fires for this token; around 0 it is silent."),
    "promotes": mark("How much the neuron adds to the score of this word when it fires."),
    "divergence": mark("How differently two heads look: 0 is exactly alike."),
    "loss": mark("How wrong the model is: its mean surprise at the right answers; lower is better."),
    "speed": mark("How many tokens it learns from in a second."),
}
FORMULAS: dict[str, str] = {
    "probability": mark("p = exp(logit) / Σ exp(logits)"),
    "own_probability": mark("p = 1 / (1 + exp(−logit))"),
    "attention": mark("softmax(q · k / √D)"),
    "rollout": mark("Π ½ (I + mean of heads), over the layers"),
    "flow": mark("maximum flow, capacity = ½ (I + mean of heads)"),
    "gradient": mark("∂ ln p / ∂ weight"),
    "check": mark("weight · ∂ ln p / ∂ weight · ln p − ln p(without)"),
    "attention_difference": mark("weight now − weight before"),
    "effect": mark("ln p − ln p(without the head)"),
    "swapped_share": mark("(swapped − this text) / (other text − this text), of ln p"),
    "share": mark("a share of ln p, in nats"),
    "entropy": mark("exp(entropy), entropy = −Σ p ln p"),
    "distance": mark("Σ weight · |i − j|"),
    "a_to_b": mark("Σ weight (A → B) / |A|"),
    "special": mark("mean over tokens of Σ weight (→ special)"),
    "surprise": mark("−log₂ p"),
    "pair_margin": mark("Σ −log₂ p(wrong) − Σ −log₂ p(right), each token masked in turn"),
    "text_log_likelihood": mark("Σ ln p(token | all others)"),
    "perplexity": mark("2 ^ mean(−log₂ p)"),
    "cosine": mark("u · v / (|u| |v|)"),
    "cosine_distance": mark("1 − u · v / (|u| |v|)"),
    "cka": mark("linear CKA, without bias (Kornblith et al. 2019)"),
    "parameter_change": mark("‖now − before‖ / ‖before‖, of all weights and biases"),
    "moved_word": mark("‖now − before‖"),
    "length": mark("√ Σ x²"),
    "part": mark("√ Σ p² · p · x / |x|²"),
    "nearest": mark("u · v / (|u| |v|) · |u − v|"),
    "component": mark("x = token + segment + position"),
    "activation": mark("GELU(w · h + b)"),
    "promotes": mark("its output weights · the word’s embedding"),
    "divergence": mark("Jensen–Shannon divergence"),
    "loss": mark("−mean ln p(right answer)"),
}


def explained(kind: str) -> str:
    """The tool tip of a kind of number: its meaning, and below it the formula."""
    lines = [html.escape(say(MEANINGS[kind]), quote=False)]
    if kind in FORMULAS:
        lines.append(f"<i>{html.escape(say(FORMULAS[kind]), quote=False)}</i>")
    return f"<qt>{'<br>'.join(lines)}</qt>"


def explain(kind: str, *widgets: QWidget) -> None:
    """Says on these widgets what the numbers on them are."""
    for widget in widgets:
        widget.setToolTip(explained(kind))
