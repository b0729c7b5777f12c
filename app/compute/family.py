"""How fast the models of the family are here."""

from bertcore.config import BertConfig

from .question import ReportOrCancel


def speed_of(name: str, config: BertConfig, progress: ReportOrCancel) -> float:
    """Of one forward pass, as a multiple of BERT-base's. Raises BertcoreError where there is no memory for it."""
    from bertcore.analysis.family_table import family_table

    return next(family_table({name: config}, (), progress)).speed
