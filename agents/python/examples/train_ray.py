"""Ray: RLlib's PPO with env runners on several machines.

    ray start --head                      # on the first machine
    ray start --address=HOST:6379         # on each other machine
    python train_ray.py 3 --env-runners 4

The number is the number of iterations. Each env runner takes a core of any machine, and plays its games in its own process:
a machine needs the package, and no server. Without a cluster, Ray uses the cores of this machine alone.

An env runner may die in the middle, also with its machine: training goes on with the others, and a new env runner takes its
place as soon as a core is free.
"""

import argparse

import ray
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from ahu.training.rllib import AhuMultiAgentEnv


def config_of(game: str, env_runners: int) -> PPOConfig:
    """Returns the configuration: one policy plays all seats."""
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        model_config={"head_fcnet_hiddens": [64, 64], "head_fcnet_activation": "relu"},
    )
    return (
        PPOConfig()
        # Without a seed, an env runner that is started anew plays other games than before. The check of environments would
        # take actions that are not legal.
        .environment(AhuMultiAgentEnv, env_config={"game": game, "threads": 1}, disable_env_checking=True)
        .multi_agent(policies={"all"}, policy_mapping_fn=lambda agent, episode, **_: "all")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"all": module}))
        .env_runners(num_env_runners=env_runners, num_cpus_per_env_runner=1)
        .fault_tolerance(restart_failed_env_runners=True, delay_between_env_runner_restarts_s=1.0)
        .training(train_batch_size_per_learner=1000, minibatch_size=250, num_epochs=2, gamma=1.0)
    )


def machines_of(algorithm: Algorithm) -> list[str]:
    """Returns the machine of each env runner that answers within ten seconds."""
    group = algorithm.env_runner_group
    assert group is not None, "an algorithm has env runners until it stops"
    return group.foreach_env_runner(
        lambda _: ray.get_runtime_context().get_node_id(), local_env_runner=False, timeout_seconds=10.0
    )


def main() -> None:
    """Learns, and prints what was played in each iteration."""
    parser = argparse.ArgumentParser()
    parser.add_argument("iterations", nargs="?", type=int, default=3)
    parser.add_argument("--env-runners", type=int, default=2)
    parser.add_argument("--game", default="rappanui")
    options = parser.parse_args()
    # Finds the cluster by RAY_ADDRESS, or the one that runs on this machine.
    ray.init(log_to_driver=False)
    algorithm = config_of(options.game, options.env_runners).build_algo()
    for iteration in range(options.iterations):
        played = algorithm.train()["env_runners"]
        machines = machines_of(algorithm)
        print(
            f"iteration {iteration}: {played['num_env_steps_sampled']:.0f} decisions,",
            f"{len(machines)} env runners on {len(set(machines))} machines",
            flush=True,
        )
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
