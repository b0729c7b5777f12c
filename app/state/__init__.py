"""What is being looked at: text, masks, focus, head, model, and the reading of it. No widgets.

What every room knows of it is imported from here, whatever file it is in; what few need, from its module.
"""

from .baseline import OtherModel, OtherText
from .model_info import ModelInfo
from .readings import MaskReading, ModelInput, Reading, ReadingRequest
from .selection import NO_CONTRAST, Contrast, Selection
from .token_units import TokenView, Units
from .what_if import NOTHING_CHANGED, Swap, WhatIf, head_name

__all__ = ["MaskReading", "ModelInfo", "ModelInput", "Reading", "ReadingRequest"]
__all__ += ["NO_CONTRAST", "Contrast", "Selection", "TokenView", "Units"]
__all__ += ["NOTHING_CHANGED", "OtherModel", "OtherText", "Swap", "WhatIf", "head_name"]
