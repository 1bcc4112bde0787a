"""RLlib: PPO plays all seats of a game with one policy.

    python train_rllib.py 3

The number is the number of iterations. RLlib's module for masks takes only legal actions.
"""

import sys

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from ahu.training.rllib import AhuMultiAgentEnv


def main() -> None:
    """Learns, and prints what was played in each iteration."""
    iterations = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    ray.init(num_cpus=2, include_dashboard=False)
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        model_config={"head_fcnet_hiddens": [64, 64], "head_fcnet_activation": "relu"},
    )
    config = (
        PPOConfig()
        # The check would take actions that are not legal.
        .environment(AhuMultiAgentEnv, env_config={"game": "rappanui", "seed": 7}, disable_env_checking=True)
        .multi_agent(policies={"all"}, policy_mapping_fn=lambda agent, episode, **_: "all")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"all": module}))
        .env_runners(num_env_runners=0, rollout_fragment_length=1000)
        .training(train_batch_size_per_learner=1000, minibatch_size=250, num_epochs=2, gamma=1.0)
    )
    algorithm = config.build_algo()
    for _ in range(iterations):
        played = algorithm.train()["env_runners"]
        episodes, length = played.get("num_episodes", 0), played.get("episode_len_mean", float("nan"))
        print(f"{played['num_env_steps_sampled']:.0f} decisions, {episodes:.0f} episodes of {length:.0f}")
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
