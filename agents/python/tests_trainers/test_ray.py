"""Training on a cluster of Ray with two machines, of which one dies in the middle and another takes its place."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from ray.cluster_utils import Cluster
from trainer import EXAMPLES

ITERATIONS = 24


class Ray(unittest.TestCase):
    def setUp(self) -> None:
        # Each machine has room for one env runner, so that two env runners need both machines.
        self.machine = {"num_cpus": 1, "object_store_memory": 128 << 20, "include_dashboard": False}
        self.cluster = Cluster(initialize_head=True, head_node_args=self.machine)
        self.addCleanup(self.cluster.shutdown)
        self.errors = Path(self.enterContext(tempfile.TemporaryDirectory())) / "errors"

    def start(self, iterations: int) -> "subprocess.Popen[str]":
        """Starts the example with an env runner for each of two machines."""
        command = [sys.executable, EXAMPLES / "train_ray.py", str(iterations), "--env-runners", "2"]
        environment = {**os.environ, "RAY_ADDRESS": self.cluster.address}
        child = subprocess.Popen(
            command, env=environment, stdout=subprocess.PIPE, stderr=self.errors.open("w"), text=True
        )
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def test_training_goes_on_without_a_machine_that_dies_and_with_one_that_joins(self) -> None:
        other = self.cluster.add_node(**self.machine)
        training = self.start(ITERATIONS)
        assert training.stdout is not None
        machines: list[tuple[int, int]] = []
        for line in training.stdout:
            found = re.fullmatch(r"iteration (\d+): (\d+) decisions, (\d) env runners on (\d) machines\n", line)
            if found is None:
                # Ray tells of the machine that died.
                continue
            iteration, decisions, *counts = map(int, found.groups())
            self.assertEqual(iteration, len(machines))
            self.assertGreater(decisions, 0)
            machines.append((counts[0], counts[1]))
            if iteration == 0:
                self.cluster.remove_node(other, allow_graceful=False)
            elif machines[-1] == (1, 1) and machines[-2] != (1, 1):
                self.cluster.add_node(**self.machine)
        self.assertEqual(training.wait(), 0, self.errors.read_text()[-4000:])
        self.assertEqual(len(machines), ITERATIONS)
        self.assertEqual(machines[0], (2, 2))
        self.assertIn((1, 1), machines)
        self.assertEqual(machines[-1], (2, 2), machines)


if __name__ == "__main__":
    unittest.main()
