"""Trains a policy by PPO in one file, with the names of CleanRL's parameters.

    python train_ppo.py --total-timesteps 1_000_000
    python train_ppo.py --game giants --seats 3 --opponents greedy,random --tensorboard
    python train_ppo.py --total-timesteps 1_000_000 --resume
    python train_ppo.py --actors engine --num-steps 128

The policy plays every seat (self-play), or one seat against bots. It is a simple baseline: a net of two layers without
any knowledge of the games. A seat's decision leads to the next decision of the same seat; the decisions of others in
between do not count.

`curve.jsonl` in the folder of `--out` has the evaluations, and `curve.svg` shows them.

With `--actors engine`, the net plays inside the engine, in whole numbers, and torch only learns. The result is also a file
that plays as `net:FILE`, without Python.
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
from ahu.training import Curve, Net, NetInputs, ProgressLine, net_bytes, seat_advantages, write_net


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
    add("--hidden", type=number, default=256, help="the number of units of a hidden layer; with engine of the first")
    add("--second", type=number, default=32, help="with engine, the number of units of the second hidden layer")
    add("--actors", choices=("torch", "engine"), default="torch", help="where the net chooses while it learns")
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


class WholeAgent(nn.Module):
    """A net that plays in whole numbers: zeros and ones as inputs, units that are clipped from 0 to 1, and weights that are
    rounded to 8 bits, as the file of a net has them. Gradients pass through the roundings.

    Args:
        inputs: the inputs.
        action_count: the number of actions of the game.
        first: the number of units of the first hidden layer.
        second: the number of units of the second one.
    """

    def __init__(self, inputs: NetInputs, action_count: int, first: int, second: int) -> None:
        super().__init__()
        self.inputs = inputs
        # The inputs that occur in the rollout from which it learns: the others have no gradient.
        self.columns: Tensor | None = None
        self.body = nn.Sequential(nn.Linear(inputs.size, first), nn.Linear(first, second))
        self.actor = nn.Linear(second, action_count)
        self.critic = nn.Linear(second, 1)
        # Few inputs are ones: so units begin in the middle of their range.
        nn.init.normal_(self.body[0].weight, std=0.05)
        nn.init.constant_(self.body[0].bias, 0.25)
        nn.init.constant_(self.body[1].bias, 0.25)
        nn.init.orthogonal_(self.actor.weight, 0.01)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Returns what `Agent` returns.

        Args:
            observations: [n, inputs.size], 0 or 1.
            masks: bool [n, A].
        """
        hidden = observations.float()
        for number, layer in enumerate(self.body):
            columns = self.columns if number == 0 and self.training else None
            hidden = rounded(linear(layer, hidden, columns).clamp(0, 1), 255)
        logits, value = linear(self.actor, hidden), linear(self.critic, hidden)
        return logits.masked_fill(~masks, -torch.inf).log_softmax(1), value.squeeze(1)

    @torch.inference_mode()
    def policy(self, batch: ahu.Batch) -> NDArray[np.int64]:
        """Returns the most probable action of each row of a batch, in floats: int64 [n]."""
        self.eval()
        log_probabilities, _ = self(torch.from_numpy(self.inputs.of(batch.observation)), torch.from_numpy(batch.masks))
        return log_probabilities.argmax(1).numpy()


def rounded(values: Tensor, steps: Tensor | float) -> Tensor:
    """Returns values rounded to whole steps, with the gradient of the values."""
    return values + ((values * steps).round() / steps - values).detach()


def linear(layer: Any, inputs: Tensor, columns: Tensor | None = None) -> Tensor:
    """Returns the sums of a layer whose weights are rounded to 8 bits, with a scale for each unit.

    Args:
        layer: the layer.
        inputs: the inputs, or the ones in these columns.
        columns: the columns; None: all.
    """
    steps = 127 / layer.weight.detach().abs().amax(1, keepdim=True).clamp_min(2**-20)
    weight = layer.weight if columns is None else layer.weight.index_select(1, columns)
    return nn.functional.linear(inputs, rounded(weight, steps), layer.bias)


def new_agent(args: argparse.Namespace, env: ahu.VectorEnv) -> Agent | WholeAgent:
    """Returns the net that the settings ask for."""
    if args.actors == "torch":
        return Agent(env.layout.size, env.action_count, args.hidden)
    return WholeAgent(NetInputs(env.layout), env.action_count, args.hidden, args.second)


def load(path: str | Path) -> ahu.Batched:
    """Returns the net in a file as a player, which takes the most probable action, and sets PyTorch to one thread.

    The player refuses every other game than the net was trained for.

    Raises:
        ValueError: the net is for another layout of its game.
    """
    # One thread is fastest for small batches, and leaves the other cores to the opponents.
    torch.set_num_threads(1)
    saved = torch.load(path, weights_only=False)
    args = saved["args"]
    with ahu.VectorEnv(args["game"]) as env:
        if saved["layout_hash"] != env.layout.hash:
            raise ValueError(
                f"expected a net for this layout of {args['game']}, got one for another: train it anew ({path})"
            )
        agent = new_agent(argparse.Namespace(**{"actors": "torch", **args}), env)
    agent.load_state_dict(saved["agent"])
    return ahu.batched(agent.policy, obs_format="flat", name="net", layout_hash=saved["layout_hash"])


def save(path: Path, content: dict[str, Any]) -> None:
    """Writes a file of torch as a whole: a run that is cut off leaves the file of before."""
    torch.save(content, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


KEPT = ("game", "seats", "options", "opponents", "seed", "num_envs", "num_steps", "hidden", "actors")
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
    agent = new_agent(args, env)
    optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5, fused=True)

    file, curve, line = args.out / "agent.net", Curve(args.out, goes_on=args.resume), ProgressLine("decisions")

    def evaluation(blocks: int) -> dict[str, dict[str, Any]]:
        """Returns the share of wins against each bot, and logs it."""
        results: dict[str, dict[str, Any]] = {}
        shares: dict[str, Any] = {}
        for bot in args.versus.split(","):
            net: ahu.Player = ahu.batched(agent.policy, obs_format="flat")
            if isinstance(agent, WholeAgent):
                write_net(
                    file, agent, game=args.game, inputs=agent.inputs, provenance=f"train_ppo.py, seed {args.seed}"
                )
                net = f"net:{file}"
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
            shares[f"wins_{bot}"] = [wins.mean, wins.low, wins.high]
            if writer is not None:
                writer.add_scalar(f"eval/wins_{bot}", wins.mean, global_step)
                writer.add_scalar(f"eval/margin_{bot}", margin.mean, global_step)
        curve.add({"minutes": round(minutes, 2), "decisions": global_step, **shares})
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
    start, minutes = time.monotonic(), 0.0
    global_step, iteration, progress = 0, 0, 0.0
    checkpoint = checkpoint_of(args)
    next_value = torch.zeros(args.num_envs)
    if checkpoint is None:
        batch = env.reset()
    else:
        agent.load_state_dict(checkpoint["agent"])
        optimizer.load_state_dict(checkpoint["optimizer"])
        torch.set_rng_state(checkpoint["rng"])
        batch = env.restore(checkpoint["env"])
        global_step, iteration, minutes = (checkpoint[name] for name in ("global_step", "iteration", "minutes"))
        start -= 60 * minutes
        progress = max(global_step / args.total_timesteps, minutes / args.max_minutes)
    while progress < 1:
        iteration += 1
        optimizer.param_groups[0]["lr"] = (1 - progress) * args.learning_rate
        ent_coef = (1 - progress) * args.ent_coef
        if isinstance(agent, WholeAgent):
            # The engine plays, with the net as it is now.
            net = Net(net_bytes(agent, game=args.game, inputs=agent.inputs))
            played = env.rollout(net, args.num_steps)
            inputs = agent.inputs.of(played.batch.observation, np.uint8)
            agent.columns = torch.from_numpy(np.flatnonzero(inputs.any(0)))
            observations = torch.from_numpy(played.by_step(inputs[:, agent.columns.numpy()]))
            masks = torch.from_numpy(played.by_step(played.batch.masks))
            actions, logprobs = torch.from_numpy(played.actions), torch.from_numpy(played.log_probabilities)
            values, seats, dones = torch.from_numpy(played.values), played.seats, played.ended
            rewards, batch = played.rewards * args.reward_scale, played.last
            next_value = torch.from_numpy(played.last_values)
        with torch.no_grad():
            for step in range(args.num_steps if isinstance(agent, Agent) else 0):
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
            if isinstance(agent, Agent):
                _, next_value = agent(torch.from_numpy(batch.observation.array), torch.from_numpy(batch.masks))
        global_step += batch_size
        advantages, has_advantage = seat_advantages(
            rewards=rewards,
            dones=dones,
            values=values.numpy(),
            seats=seats,
            is_free=masks.sum(2).numpy() > 1,
            next_values=next_value.numpy(),
            next_seats=batch.seats,
            gamma=args.gamma,
            gae_lambda=args.gae_lambda,
        )

        # The flat rollout, without decisions that have no advantage.
        rows = torch.from_numpy(np.flatnonzero(has_advantage))
        b_observations, b_masks = observations.flatten(0, 1), masks.flatten(0, 1)
        if isinstance(agent, WholeAgent):
            b_observations = b_observations.float()
        b_actions, b_logprobs, b_values = actions.flatten(), logprobs.flatten(), values.flatten()
        b_advantages = torch.from_numpy(advantages).flatten()
        b_returns = b_advantages + b_values
        if isinstance(agent, Agent):
            agent.norm.train()
            agent.norm(b_observations)
            agent.norm.eval()

        agent.train(isinstance(agent, WholeAgent))
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
        line.tell(global_step, min(progress, 1))
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
            line.end()
            figures = {"global_step": global_step, "minutes": round(minutes, 2), **evaluation(args.eval_blocks)}
            print(json.dumps(figures), flush=True)
        if iteration % args.save_every == 0 or progress >= 1:
            state = {"agent": agent.state_dict(), "optimizer": optimizer.state_dict(), "rng": torch.get_rng_state()}
            counts = {"global_step": global_step, "iteration": iteration, "minutes": minutes}
            save(args.out / "checkpoint.pt", {**state, **counts, "env": env.save(), "args": vars(args)})

    line.end()
    model = args.out / "agent.pt"
    save(model, {"agent": agent.state_dict(), "args": vars(args), "layout_hash": env.layout.hash})
    summary = {"game": args.game, "seats": env.seats, "global_step": global_step, "minutes": round(minutes, 2)}
    if args.actors == "engine":
        summary["net"] = str(file)
    print(json.dumps({**summary, "evaluation": evaluation(args.final_blocks), "model": str(model)}))
    env.close()
    if writer is not None:
        writer.close()


if __name__ == "__main__":
    main()
