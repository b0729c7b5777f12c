"""What a reading is compared with, where a person has chosen it. Without a choice it is the model unchanged."""

from dataclasses import dataclass


@dataclass(frozen=True)
class OtherModel:
    """The same text in another model, or at another step of its training."""

    reference: str | None  # as `OpenModel.open` takes it; None is the built-in model


@dataclass(frozen=True)
class OtherText:
    """Another text in the same model. What is masked in the one is masked in the other."""

    a: str
    b: str


Baseline = OtherModel | OtherText


@dataclass(frozen=True)
class ComparisonOffer:
    """A comparison that a view offers at a click, as long as there is nothing for it to compare."""

    baseline: Baseline
    text: str | None = None  # to be looked at; None: the text stays
    model: str | None = None  # to be opened first, by its name; None: the model stays


TWO_TEXTS = ComparisonOffer(
    OtherText("The woman opened the door and put on [MASK] hat.", ""),
    text="The man opened the door and put on [MASK] hat.",
)
