"""Three of torch's modules made quicker. What they compute is torch's; a reader of the model may pass them by."""

import torch
from torch import Tensor, nn
from torch.nn import functional as F

_LEVELS = 2**16


class Linear(nn.Linear):
    """Without torch's starting weights: `initialise` draws BERT's own, or a checkpoint brings them.

    torch's would take 0.1 s for a BERT-base even on the meta device, where checkpoints are opened.
    """

    def reset_parameters(self) -> None:
        pass


class Embedding(nn.Embedding):
    """Without torch's starting weights, as `Linear`.

    Drawing them on the meta device makes torch import its compiler: 830 modules, one to three seconds.
    """

    def reset_parameters(self) -> None:
        pass


class Dropout(nn.Module):
    """Sets a share `p` of the values to zero in training and scales the others by 1 / (1 - p).

    torch draws one number per value, 11% of a training step of a small BERT on a CPU. Here each 64-bit number decides
    for four values; `p` is rounded to 1/65,536. On other devices torch's own runs.
    """

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, values: Tensor) -> Tensor:
        if not self.training or self.p == 0:
            return values
        if values.device.type != "cpu":
            return F.dropout(values, self.p)
        return values * _keep_factors(values, self.p)


def _keep_factors(like: Tensor, p: float) -> Tensor:
    """0 with probability `p`, else 1 / (1 - p); the shape and type of `like`, from torch's default generator."""
    dropped = round(p * _LEVELS)
    count = like.numel()
    bits = torch.empty((count + 3) // 4, dtype=torch.int64).random_(-(2**63), None).view(torch.int16)[:count]
    keep = (bits >= dropped - _LEVELS // 2).view(like.shape)  # int16 is uniform over -32,768 .. 32,767
    return keep.to(like.dtype).mul_(_LEVELS / (_LEVELS - dropped))
