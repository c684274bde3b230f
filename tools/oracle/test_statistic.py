"""Checks of the statistic and the file format on made-up distributions: `python -m unittest test_statistic`."""

import tempfile
import unittest
from pathlib import Path

import numpy as np

from golden_format import read_sketches, write_sketches
from statistic import excess, full_kl, sketch, sketched_kl, systematic_draw

VOCAB, HEAD, TAIL = 2000, 64, 64


def made_up(rng, spread=3.0):
    return (rng.standard_normal(VOCAB) * spread).astype(np.float32)


class Statistic(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(7)

    def test_excess_agrees_with_its_definition_on_both_sides_of_the_switch(self):
        for d in (-2.0, -0.011, -0.0099, 0.0, 1e-9, 0.0099, 0.011, 3.0):
            exact = float(np.expm1(np.longdouble(d)) - np.longdouble(d))
            self.assertAlmostEqual(float(excess(d)), exact, delta=1e-11 * max(exact, 1e-9) + 1e-19)

    def test_full_kl_equals_the_textbook_sum(self):
        p, q = made_up(self.rng), made_up(self.rng)
        logp, logq = (x - np.log(np.exp(x.astype(np.float64)).sum()) for x in (p, q))
        textbook = (np.exp(logp) * (logp - logq)).sum()
        self.assertAlmostEqual(float(full_kl(p[None], q[None])[0]), textbook, places=9)

    def test_the_bound_never_exceeds_the_full_divergence(self):
        for noise in (1e-4, 1e-2, 0.3, 2.0):
            for _ in range(50):
                p = made_up(self.rng)
                q = p + (noise * self.rng.standard_normal(VOCAB)).astype(np.float32)
                _, bound = sketched_kl(sketch(p, HEAD, TAIL, 0, 10, self.rng), q)
                self.assertLessEqual(bound, full_kl(p[None], q[None])[0] * (1 + 1e-9))

    def test_the_estimate_is_within_percents_of_the_full_divergence_on_average(self):
        full = estimate = 0.0
        for _ in range(300):
            p = made_up(self.rng)
            q = p + (0.1 * self.rng.standard_normal(VOCAB)).astype(np.float32)
            full += float(full_kl(p[None], q[None])[0])
            estimate += sketched_kl(sketch(p, HEAD, TAIL, 0, 10, self.rng), q)[0]
        self.assertAlmostEqual(estimate / full, 1.0, delta=0.03)

    def test_mass_moved_to_ids_nobody_drew_is_seen(self):
        p = made_up(self.rng)
        q = p.copy()
        q[int(p.argmin())] = p.max() + 2
        sketched = sketch(p, HEAD, TAIL, 0, 10, self.rng)
        full = float(full_kl(p[None], q[None])[0])
        self.assertGreater(sketched_kl(sketched, q)[0], 0.25 * full)

    def test_a_head_of_the_whole_vocabulary_is_exact(self):
        p, q = made_up(self.rng), made_up(self.rng)
        estimate, bound = sketched_kl(sketch(p, VOCAB, 0, 0, 10, self.rng), q)
        self.assertEqual(estimate, bound)
        self.assertAlmostEqual(estimate, float(full_kl(p[None], q[None])[0]), places=9)

    def test_systematic_draws_follow_the_weights_within_one(self):
        weights = self.rng.random(100)
        drawn = np.bincount(systematic_draw(weights, 500, 0.3), minlength=100)
        self.assertLess(np.abs(drawn - 500 * weights / weights.sum()).max(), 1.0)

    def test_sketches_survive_the_file(self):
        prompts = [([1, 2, 3], []), ([1999], [])]
        for index in range(4):
            prompts[index // 3][1].append(sketch(made_up(self.rng), HEAD, TAIL, index, 4, self.rng))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "x.bin"
            write_sketches(path, VOCAB, HEAD, TAIL, prompts)
            vocab, read = read_sketches(path)
            self.assertEqual(vocab, VOCAB)
            for (ids, sketches), (ids_read, sketches_read) in zip(prompts, read, strict=True):
                self.assertEqual(ids, ids_read)
                for one, other in zip(sketches, sketches_read, strict=True):
                    for key, value in vars(one).items():
                        np.testing.assert_array_equal(value, getattr(other, key))
            path.write_bytes(path.read_bytes() + b"x")
            with self.assertRaisesRegex(ValueError, "1 bytes too many"):
                read_sketches(path)


if __name__ == "__main__":
    unittest.main()
