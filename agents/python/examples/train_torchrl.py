"""TorchRL: PPO with masks against bots, in many environments at once.

    python train_torchrl.py 100_000

The number is the number of decisions to learn from.
"""

import sys

import torch
from tensordict.nn import ProbabilisticTensorDictModule, ProbabilisticTensorDictSequential, TensorDictModule
from torchrl.collectors import Collector
from torchrl.modules import MLP, MaskedCategorical, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from ahu.training.torchrl import AhuTorchEnv

NUM_ENVS, STEPS, MINIBATCH = 64, 64, 1024


def main() -> None:
    """Learns, and prints the mean return of the episodes of each rollout."""
    decisions = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    torch.manual_seed(7)
    env = AhuTorchEnv("rappanui", NUM_ENVS, players=[None, "random"], rotation="episode", seed=7)
    size, actions = env.env.layout.size, env.env.action_count
    policy = ProbabilisticTensorDictSequential(
        TensorDictModule(MLP(size, actions, num_cells=[128, 128]), in_keys=["observation"], out_keys=["logits"]),
        ProbabilisticTensorDictModule(
            in_keys={"logits": "logits", "mask": "action_mask"},
            out_keys=["action"],
            distribution_class=MaskedCategorical,
            default_interaction_type="random",
            return_log_prob=True,
        ),
    )
    value = ValueOperator(MLP(size, 1, num_cells=[128, 128]), in_keys=["observation"])
    advantages = GAE(gamma=1.0, lmbda=0.95, value_network=value)
    loss_of = ClipPPOLoss(policy, value, normalize_advantage=True)
    optimizer = torch.optim.Adam(loss_of.parameters(), 1e-3)
    collector = Collector(env, policy, frames_per_batch=NUM_ENVS * STEPS, total_frames=decisions)
    for rollout in collector:
        advantages(rollout)
        rows = rollout.reshape(-1)
        for part in torch.randperm(len(rows)).split(MINIBATCH):
            losses = loss_of(rows[part])
            optimizer.zero_grad()
            sum(losses[name] for name in ("loss_objective", "loss_critic", "loss_entropy")).backward()
            optimizer.step()
        returns = rollout["next", "reward"][rollout["next", "done"]]
        print(f"{len(returns):3} episodes, mean return {returns.mean():.2f}")
    collector.shutdown()


if __name__ == "__main__":
    main()
