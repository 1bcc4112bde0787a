"""Trains a policy by PPO in one file, with the names of CleanRL's parameters.

    python train_ppo.py --total-timesteps 1_000_000
    python train_ppo.py --game giants --seats 3 --opponents greedy,random --tensorboard
    python train_ppo.py --total-timesteps 1_000_000 --resume

The policy plays every seat (self-play), or one seat against bots. It is a simple baseline: a net of two layers without
any knowledge of the games. A seat's decision leads to the next decision of the same seat; the decisions of others in
between do not count.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ahu
from ahu.training import seat_advantages


def number(text: str) -> int:
    """Returns a whole number of at least 1."""
    if (value := int(text)) < 1:
        raise ValueError
    return value


def options(text: str) -> dict[str, str]:
    """Returns the options in a text such as `combine_rule=true,tie=fewest_cards`."""
    return {key: value for key, _, value in (pair.partition("=") for pair in text.split(",") if pair)}


def parse_args(arguments: list[str] | None = None) -> argparse.Namespace:
    """Returns the settings of the command line."""
    parser = argparse.ArgumentParser(
        description="Trains a policy by PPO.", formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    add = parser.add_argument
    add("--game", default="rappanui", help="the game, by its name in the catalog")
    add("--seats", type=number, help="the number of seats; by default the fewest of the game")
    add("--options", type=options, default={}, help="options of the game, such as combine_rule=true")
    add("--opponents", help="the bots of the other seats, such as greedy,random; by default the policy has all seats")
    add("--address", help="the address of a server; by default the games run in this process")
    add("--seed", type=int, default=1, help="the seed of the net, its choices, and the games")
    add("--total-timesteps", type=number, default=5_000_000, help="the number of decisions to learn from")
    add("--max-minutes", type=float, default=float("inf"), help="the time after which training ends, in minutes")
    add("--learning-rate", type=float, default=5e-4, help="the learning rate at the beginning; it falls to zero")
    add("--num-envs", type=number, default=256, help="the number of games that are played at the same time")
    add("--num-steps", type=number, default=64, help="the decisions in each environment between two updates")
    add("--gamma", type=float, default=1.0, help="the discount for each decision of the same seat")
    add("--gae-lambda", type=float, default=0.9, help="the lambda of the generalized advantages")
    add("--num-minibatches", type=number, default=16, help="the number of minibatches of an epoch")
    add("--update-epochs", type=number, default=3, help="the number of epochs of an update")
    add("--clip-coef", type=float, default=0.2, help="the bound of the change of a probability in one update")
    add("--ent-coef", type=float, default=0.02, help="the weight of the entropy at the beginning; it falls to zero")
    add("--vf-coef", type=float, default=0.5, help="the weight of the loss of the values")
    add("--max-grad-norm", type=float, default=0.5, help="the bound of the norm of gradients")
    add("--hidden", type=number, default=256, help="the number of units of a hidden layer")
    add("--reward-scale", type=float, default=0.05, help="the return of a point above the mean of the others")
    add("--torch-threads", type=number, default=1, help="the threads of the net; more help only on idle cores")
    add("--eval-every", type=number, default=50, help="the number of updates between two evaluations")
    add("--eval-blocks", type=number, default=100, help="the blocks of such an evaluation: seeds, played in each seat")
    add("--final-blocks", type=number, default=1000, help="the blocks of the evaluation at the end")
    add("--versus", default="random@1,greedy@1", help="the bots of the evaluations")
    add("--out", type=Path, default=Path("runs/ppo"), help="the folder of the trained net and of the logs")
    add("--tensorboard", action="store_true", help="write logs for TensorBoard")
    add("--save-every", type=number, default=50, help="the number of updates between two checkpoints")
    add("--resume", action="store_true", help="go on from the checkpoint in the folder of --out")
    return parser.parse_args(arguments)


# The help needs no PyTorch.
if __name__ == "__main__" and {"-h", "--help"} & {*sys.argv}:
    parse_args()

import torch  # noqa: E402
from torch import Tensor, nn  # noqa: E402

EVALUATION_SEED = 2**40
"""The seed of all evaluations: training with seeds from 0 on seldom gets this far."""


class Agent(nn.Module):
    """A net of two hidden layers with two heads: an actor and a critic.

    Args:
        size: the number of values of an observation.
        action_count: the number of actions of the game.
        hidden: the number of units of a hidden layer.
    """

    def __init__(self, size: int, action_count: int, hidden: int) -> None:
        super().__init__()
        # Numbers are divided by the largest value that the rules allow, so they are brought to mean 0 and deviation 1.
        self.norm = nn.BatchNorm1d(size, affine=False, momentum=0.01).eval()
        self.body = nn.Sequential(nn.Linear(size, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU())
        self.actor = nn.Linear(hidden, action_count)
        self.critic = nn.Linear(hidden, 1)
        nn.init.orthogonal_(self.actor.weight, 0.01)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Returns the log probabilities of the actions, float32 [n, A], and the values, float32 [n].

        Args:
            observations: float32 [n, size], in the format "flat".
            masks: bool [n, A]; an action that is not legal has the log probability -inf.
        """
        hidden = self.body(self.norm(observations).clamp(-5, 5))
        return self.actor(hidden).masked_fill(~masks, -torch.inf).log_softmax(1), self.critic(hidden).squeeze(1)

    @torch.inference_mode()
    def policy(self, batch: ahu.Batch) -> NDArray[np.int64]:
        """Returns the most probable action of each row of a batch, int64 [n]."""
        log_probabilities, _ = self(torch.from_numpy(batch.observation.array), torch.from_numpy(batch.masks))
        return log_probabilities.argmax(1).numpy()


def load(path: str | Path) -> ahu.Batched:
    """Returns the net in a file as a player, which takes the most probable action.

    The player refuses every other game than the net was trained for.

    Raises:
        ValueError: the net is for another layout of its game.
    """
    saved = torch.load(path, weights_only=False)
    args = saved["args"]
    with ahu.VectorEnv(args["game"]) as env:
        if saved["layout_hash"] != env.layout.hash:
            raise ValueError(
                f"expected a net for this layout of {args['game']}, got one for another: train it anew ({path})"
            )
        agent = Agent(env.layout.size, env.action_count, args["hidden"])
    agent.load_state_dict(saved["agent"])
    return ahu.batched(agent.policy, obs_format="flat", name="net", layout_hash=saved["layout_hash"])


def save(path: Path, content: dict[str, Any]) -> None:
    """Writes a file of torch as a whole: a run that is cut off leaves the file of before."""
    torch.save(content, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


KEPT = ("game", "seats", "options", "opponents", "seed", "num_envs", "num_steps", "hidden")
"""The settings that a run keeps when it goes on: the net, the environments, and the length of a rollout."""


def checkpoint_of(args: argparse.Namespace) -> dict[str, Any] | None:
    """Returns the checkpoint from which the run goes on; None if it begins anew.

    Raises:
        SystemExit: there is no checkpoint, or it belongs to a run with other settings.
    """
    if not args.resume:
        return None
    path = args.out / "checkpoint.pt"
    if not path.exists():
        raise SystemExit(f"error: expected a checkpoint to go on from, found no {path}")
    checkpoint = torch.load(path, weights_only=False)
    for name in KEPT:
        was, now = checkpoint["args"][name], getattr(args, name)
        if was != now:
            raise SystemExit(f"error: expected --{name.replace('_', '-')} {was}, as in {path}, got {now}")
    return checkpoint


def main() -> None:
    """Trains, evaluates, and prints the result as a line of JSON."""
    args = parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.torch_threads)
    # Moments of the optimizer that fade towards zero would make its arithmetic several times as slow.
    torch.set_flush_denormal(True)
    args.out.mkdir(parents=True, exist_ok=True)
    writer = None
    if args.tensorboard:
        from torch.utils.tensorboard.writer import SummaryWriter

        writer = SummaryWriter(str(args.out))
    env = ahu.VectorEnv(
        args.game,
        args.num_envs,
        seats=args.seats,
        players=None if args.opponents is None else [None, *args.opponents.split(",")],
        options=args.options,
        rotation="episode",
        rewards="margin_gain",
        seed=args.seed,
        obs_format="flat",
        address=args.address,
    )
    agent = Agent(env.layout.size, env.action_count, args.hidden)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

    def evaluation(blocks: int) -> dict[str, dict[str, Any]]:
        """Returns the share of wins against each bot, and logs it."""
        results: dict[str, dict[str, Any]] = {}
        for bot in args.versus.split(","):
            net = ahu.batched(agent.policy, obs_format="flat")
            played = ahu.duel(
                args.game,
                {"net": net, bot: bot},
                blocks=blocks,
                seats=env.seats,
                options=args.options,
                seed=EVALUATION_SEED,
            )
            wins, margin = played.players["net"].wins, played.players["net"].margin
            results[bot] = {"wins": str(wins), "margin": str(margin), "blocks": played.blocks}
            if writer is not None:
                writer.add_scalar(f"eval/wins_{bot}", wins.mean, global_step)
                writer.add_scalar(f"eval/margin_{bot}", margin.mean, global_step)
        return results

    # The rollout: T decisions in each of E environments.
    shape = (args.num_steps, args.num_envs)
    observations = torch.zeros((*shape, env.layout.size))
    masks = torch.zeros((*shape, env.action_count), dtype=torch.bool)
    actions = torch.zeros(shape, dtype=torch.long)
    logprobs, values = torch.zeros(shape), torch.zeros(shape)
    seats, dones = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
    rewards = np.zeros((*shape, env.seats), np.float32)

    batch_size = args.num_steps * args.num_envs
    start, global_step, iteration, progress = time.monotonic(), 0, 0, 0.0
    checkpoint = checkpoint_of(args)
    if checkpoint is None:
        batch = env.reset()
    else:
        agent.load_state_dict(checkpoint["agent"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        torch.set_rng_state(checkpoint["rng"])
        batch = env.restore(checkpoint["env"])
        start -= 60 * checkpoint["minutes"]
        global_step, iteration = checkpoint["global_step"], checkpoint["iteration"]
        progress = max(global_step / args.total_timesteps, checkpoint["minutes"] / args.max_minutes)
    while progress < 1:
        iteration += 1
        optimizer.param_groups[0]["lr"] = (1 - progress) * args.learning_rate
        ent_coef = (1 - progress) * args.ent_coef
        with torch.no_grad():
            for step in range(args.num_steps):
                observations[step] = torch.from_numpy(batch.observation.array)
                masks[step] = torch.from_numpy(batch.masks)
                seats[step] = batch.seats
                log_probabilities, values[step] = agent(observations[step], masks[step])
                # The best after Gumbel noise is a draw by probability.
                noise = -torch.empty_like(log_probabilities).exponential_().log()
                actions[step] = (log_probabilities + noise).argmax(1)
                logprobs[step] = log_probabilities.gather(1, actions[step].unsqueeze(1)).squeeze(1)
                batch = env.step(actions[step].numpy())
                rewards[step], dones[step] = batch.rewards * args.reward_scale, batch.ended
            _, next_value = agent(torch.from_numpy(batch.observation.array), torch.from_numpy(batch.masks))
        global_step += batch_size
        advantages, has_advantage = seat_advantages(
            rewards,
            dones,
            values.numpy(),
            seats,
            masks.sum(2).numpy() > 1,
            next_value.numpy(),
            batch.seats,
            args.gamma,
            args.gae_lambda,
        )

        # The flat rollout, without decisions that have no advantage.
        rows = torch.from_numpy(np.flatnonzero(has_advantage))
        b_observations, b_masks = observations.flatten(0, 1), masks.flatten(0, 1)
        b_actions, b_logprobs, b_values = actions.flatten(), logprobs.flatten(), values.flatten()
        b_advantages = torch.from_numpy(advantages).flatten()
        b_returns = b_advantages + b_values
        agent.norm.train()
        agent.norm(b_observations)
        agent.norm.eval()

        losses: list[list[float]] = []
        for _ in range(args.update_epochs):
            for picked in rows[torch.randperm(len(rows))].chunk(args.num_minibatches):
                newlogprobs, newvalue = agent(b_observations[picked], b_masks[picked])
                newlogprob = newlogprobs.gather(1, b_actions[picked].unsqueeze(1)).squeeze(1)
                logratio = newlogprob - b_logprobs[picked]
                ratio = logratio.exp()
                mb_advantages = b_advantages[picked]
                mb_advantages = (mb_advantages - mb_advantages.mean()) / (mb_advantages.std() + 1e-8)
                clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
                pg_loss = -torch.min(mb_advantages * ratio, mb_advantages * clipped).mean()
                v_loss = 0.5 * (newvalue - b_returns[picked]).square().mean()
                # An illegal action has no part in the entropy.
                entropy = -(newlogprobs.exp() * newlogprobs.masked_fill(~b_masks[picked], 0)).sum(1).mean()
                loss = pg_loss - ent_coef * entropy + args.vf_coef * v_loss
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), args.max_grad_norm)
                optimizer.step()
                approx_kl = ((ratio - 1) - logratio).mean()
                losses.append([float(figure.detach()) for figure in (pg_loss, v_loss, entropy, approx_kl)])

        minutes = (time.monotonic() - start) / 60
        progress = max(global_step / args.total_timesteps, minutes / args.max_minutes)
        if writer is not None:
            for name, figure in zip(
                ("policy_loss", "value_loss", "entropy", "approx_kl"), np.mean(losses, 0), strict=True
            ):
                writer.add_scalar(f"losses/{name}", figure, global_step)
            unexplained = float((b_returns - b_values)[rows].var() / (b_returns[rows].var() + 1e-8))
            writer.add_scalar("losses/explained_variance", 1 - unexplained, global_step)
            writer.add_scalar("charts/learning_rate", optimizer.param_groups[0]["lr"], global_step)
            writer.add_scalar("charts/SPS", global_step / (60 * minutes), global_step)
        if iteration % args.eval_every == 0:
            figures = {"global_step": global_step, "minutes": round(minutes, 2), **evaluation(args.eval_blocks)}
            print(json.dumps(figures), flush=True)
        if iteration % args.save_every == 0 or progress >= 1:
            state = {"agent": agent.state_dict(), "optimizer": optimizer.state_dict(), "rng": torch.get_rng_state()}
            counts = {"global_step": global_step, "iteration": iteration, "minutes": minutes}
            save(args.out / "checkpoint.pt", {**state, **counts, "env": env.save(), "args": vars(args)})

    model = args.out / "agent.pt"
    save(model, {"agent": agent.state_dict(), "args": vars(args), "layout_hash": env.layout.hash})
    summary = {"game": args.game, "seats": env.seats, "global_step": global_step, "minutes": round(minutes, 2)}
    print(json.dumps({**summary, "evaluation": evaluation(args.final_blocks), "model": str(model)}))
    env.close()
    if writer is not None:
        writer.close()


if __name__ == "__main__":
    main()
