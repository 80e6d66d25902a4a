"""What training minimises: the likelihood of answers, how far off the mass is, and the order within a group.

Axes as in `forerun.models.encoder_decoder.network`; A is the number of answer tokens in a batch that are no padding.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def legal_logprobs(logits_AV: Tensor, legal_AV: Tensor) -> Tensor:
    """Log-probabilities over legal tokens; minus infinity elsewhere."""
    return F.log_softmax(logits_AV.float().masked_fill(~legal_AV, float("-inf")), -1)


def likelihood(logprobs_AV: Tensor, targets_A: Tensor) -> Tensor:
    """Cross entropy in nats, each token alone `[A]`."""
    return -logprobs_AV.gather(1, targets_A[:, None])[:, 0]


def ordinal(logprobs_AV: Tensor, targets_A: Tensor, places_AV: Tensor, order_AV: Tensor) -> Tensor:
    """How far, in decades, the mass is from the target `[A]`: the continuous ranked probability score.

    `places_AV` says where a token lies among those of its kind, NaN where that means nothing, and `order_AV` sorts it;
    tokens whose target has no place cost nothing. The mean distance alone (Wasserstein-1 to a point; Zausinger et al.
    2024) is least where all mass lies on the median, however little is known; less half the mean distance between two
    draws, it is least at the truth (Gneiting and Raftery 2007).
    """
    target = places_AV.gather(1, targets_A[:, None])
    places = places_AV.gather(1, order_AV)
    upto = logprobs_AV.exp().gather(1, order_AV).cumsum(-1)
    apart = places.diff(dim=-1).nan_to_num()  # behind the last place there is nothing
    found = ((upto - (places >= target).float())[:, :-1].square() * apart).sum(-1)
    return torch.where(target[:, 0].isnan(), torch.zeros_like(found), found)


def ranking(scores_E: Tensor, values_E: Tensor, groups_E: Tensor, least: float = 0.01) -> Tensor:
    """The mean logistic loss of pairs in one group whose values differ by more than `least`.

    RankNet (Burges et al. 2005). `scores_E` and `values_E` are logarithms of one answer each. 0 where no pair is left.
    """
    pairs = (groups_E[:, None] == groups_E[None]) & (groups_E >= 0)[:, None]
    apart = values_E[:, None] - values_E[None]
    pairs &= apart > least
    losses = F.softplus(-(scores_E[:, None] - scores_E[None]) * 4.0)
    return losses[pairs].sum() / pairs.sum().clamp(min=1)


def expected_places(logprobs_AV: Tensor, places_AV: Tensor) -> Tensor:
    """The mean place of the mass that has one `[A]`: with a decade's and its first digits', a number's logarithm."""
    likely = logprobs_AV.exp() * ~places_AV.isnan()
    return (likely * places_AV.nan_to_num()).sum(-1) / likely.sum(-1).clamp(min=1e-6)
