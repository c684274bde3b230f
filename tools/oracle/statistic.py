"""KL divergence from part of a distribution: the statistic of the committed logits fixtures.

With p the oracle's probabilities, q those under test and d = log q - log p,

    KL(p || q) = sum_i p_i * f(d_i),    f(d) = exp(d) - 1 - d >= 0,

because both sum to one. In this form no term is negative and no large terms cancel, so

  * rounding the stored log p costs its square (1e-13 and less), not itself: 1e-8 can be told from 0;
  * the sum over some of the ids, plus f for the rest taken as one bucket, never exceeds the KL:
    a rigorous lower bound (the data-processing inequality for the partition {each head id, the rest});
  * a sample of the rest, drawn in proportion to p, gives an unbiased estimate of what the bucket hides;
    the larger of the two stands for the rest, so mass that q moves to ids nobody drew is seen as well.

README.md says what is stored; tests/golden/kl_statistic.h is the same arithmetic in C++.
"""

from dataclasses import dataclass

import numpy as np

from reference import log_softmax


@dataclass
class Sketch:
    """What a fixture keeps of one position's logits."""

    logsumexp: float  # float64, of all logits
    rest_mass: float  # float64: probability of all ids outside the head
    head_ids: np.ndarray  # [head], logits descending, ties by id
    head_logits: np.ndarray  # float32 [head]
    tail_ids: np.ndarray  # [tail], drawn from the rest in proportion to p, may repeat
    tail_logits: np.ndarray  # float32 [tail]
    sweep_logits: np.ndarray  # float32: of ids position, position + positions, ...


def excess(d):
    """f(d) = exp(d) - 1 - d; by its series where the difference would cancel."""
    d = np.asarray(d, np.float64)
    series = d * d * (0.5 + d * (1 / 6 + d * (1 / 24 + d * (1 / 120 + d / 720))))
    return np.where(np.abs(d) < 1e-2, series, np.expm1(d) - d)


def systematic_draw(weights, count, start):
    """`count` indices with expected frequency proportional to `weights`: evenly spaced, one random start."""
    total = np.cumsum(weights)
    marks = (np.arange(count) + start) * (total[-1] / count)
    return np.minimum(np.searchsorted(total, marks, side="right"), len(weights) - 1)


def sketch(logits, head, tail, position, positions, rng):
    """The Sketch of float32 `logits` [vocab]; `position` of `positions` chooses the swept ids."""
    order = np.lexsort((np.arange(len(logits)), -logits.astype(np.float64)))
    head_ids, rest = order[:head], order[head:]
    logp = log_softmax(logits[None])[0]
    probability = np.exp(logp[rest])
    tail_ids = np.empty(0, np.int64)
    if tail and len(rest):
        tail_ids = rest[systematic_draw(probability, tail, rng.random())]
    return Sketch(
        logsumexp=float(np.float64(logits[head_ids[0]]) - logp[head_ids[0]]),
        rest_mass=float(probability.sum()),
        head_ids=head_ids,
        head_logits=logits[head_ids],
        tail_ids=tail_ids,
        tail_logits=logits[tail_ids],
        sweep_logits=logits[position::positions],
    )


def sketched_kl(sketched, logits):
    """(estimate, lower bound) of KL(oracle || softmax(logits)) at one position."""
    logq = log_softmax(logits[None])[0]
    difference = lambda ids, stored: logq[ids] - (stored.astype(np.float64) - sketched.logsumexp)
    p = np.exp(sketched.head_logits.astype(np.float64) - sketched.logsumexp)
    head = float((p * excess(difference(sketched.head_ids, sketched.head_logits))).sum())
    if len(sketched.head_ids) == len(logits):
        return head, head
    outside = np.ones(len(logits), bool)
    outside[sketched.head_ids] = False
    rest_q = np.exp(logq[outside]).sum()
    bucket = sketched.rest_mass * float(excess(np.log(rest_q / sketched.rest_mass)))
    tail = excess(difference(sketched.tail_ids, sketched.tail_logits)).mean()
    return head + max(sketched.rest_mass * float(tail), bucket), head + bucket


def full_kl(oracle, logits):
    """KL(softmax(oracle) || softmax(logits)) row by row, over the whole vocabulary."""
    logp, logq = log_softmax(oracle), log_softmax(logits)
    return (np.exp(logp) * excess(logq - logp)).sum(axis=-1)
