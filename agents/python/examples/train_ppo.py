"""Learns a game by masked PPO, over the network.

    python train_ppo.py --out runs/first
    python train_ppo.py --out runs/first --resume --decisions 20_000_000

Everything is in this file: the net, rollouts over `send` and `recv`, the advantages of each seat, the update,
evaluation, checkpoints and curves. The environments are divided into groups: while the engine steps one, the net
decides in another.

The folder `--out` gets `checkpoint.pt`, `curve.json` and `curve.png`. The table that is printed at the end has the
share of wins against each bot, with 95 % intervals.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import math
import re
import sys
import time
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import torch
from torch import nn
from tqdm import tqdm

import ahu
import ahu.training

matplotlib.use("Agg")
import matplotlib.pyplot as plt

EVALUATION_SEED = 1 << 40
"""Where the seeds of evaluations begin. Those of training lie below."""

POINTS = "points", "scores"
"""What the numbers are called in the layouts that are points by seat, the own ones first."""

SUITS = 4, 12
"""What the first bits of the field `hand` of Rappa Nui are: at least one card of each suit and number."""


def _setting(default: Any, meaning: str, least: int | None = None) -> Any:
    """A setting: what it is by default, what it means, and what it has to be at least."""
    return dataclasses.field(default=default, metadata={"help": meaning, "least": least})


@dataclasses.dataclass(frozen=True)
class Settings:
    """What the command line says."""

    game: str = _setting("rappanui", "the game, by its name in the catalog")
    seats: int = _setting(2, "how many seats it has")
    options: str = _setting("", "options of the game, such as combine_rule=true,tie=fewest_cards")
    opponents: str = _setting("self", "bots in the other seats, by weight: greedy, greedy=3,random=1; self: the policy")
    decisions: int = _setting(6_000_000, "how many decisions to learn from, those of a resumed run among them")
    num_envs: int = _setting(256, "how many games are played at the same time", 1)
    groups: int = _setting(2, "how many groups they are divided into; with one the engine and the net take turns", 1)
    steps: int = _setting(32, "decisions in each environment between two updates", 1)
    points: float = _setting(20.0, "how many points above the others count as a return of 1")
    rate: float = _setting(7e-4, "learning rate at the beginning; it falls to zero in a straight line")
    decay: float = _setting(0.9, "lambda of the advantages; the discount is 1")
    clip: float = _setting(0.2, "how far the probability of an action may move in one update, as a part of it")
    entropy: float = _setting(0.03, "weight of the entropy at the beginning; it falls like the rate")
    epochs: int = _setting(3, "how often an update goes through the rollout", 1)
    minibatch: int = _setting(512, "decisions in each step of the optimizer", 1)
    width: int = _setting(256, "units of each of the two hidden layers; a resumed run keeps what it has", 1)
    threads: int = _setting(1, "threads of the update; more help only where as many cores are idle", 1)
    seed: int = _setting(0, "where the net, its choices and the games come from")
    versus: str = _setting("random,greedy", "bots to evaluate against")
    every: int = _setting(50, "updates between two evaluations", 1)
    blocks: int = _setting(100, "blocks of such an evaluation; a block is a seed, played once with each seat", 2)
    final_blocks: int = _setting(1000, "blocks of the evaluation at the end", 2)
    address: str = _setting("", "a server; by default the games run in this process")
    out: Path = _setting(Path("runs/ppo"), "the folder for checkpoint and curves")  # noqa: RUF009  A path is a constant.
    resume: bool = _setting(False, "go on from the checkpoint; where it has enough decisions, evaluate it only")
    json: bool = _setting(False, "print a summary as JSON instead of a table")

    @classmethod
    def parser(cls) -> argparse.ArgumentParser:
        """What reads the command line."""
        parser = argparse.ArgumentParser(
            description="Learns a game by masked PPO.",
            formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        )
        for field in dataclasses.fields(cls):
            how: dict[str, Any] = {"action": "store_true"}
            if not isinstance(field.default, bool):
                how = {"type": type(field.default), "metavar": field.name.upper()}
            name = "--" + field.name.replace("_", "-")
            parser.add_argument(name, default=field.default, help=field.metadata["help"], **how)
        return parser

    @property
    def error(self) -> str | None:
        """What is wrong with them, as far as can be said without an engine."""
        for field in dataclasses.fields(self):
            least, value = field.metadata["least"], getattr(self, field.name)
            if least is not None and value < least:
                return f"--{field.name.replace('_', '-')} is at least {least}, not {value}"
        if self.num_envs % self.groups:
            return f"--num-envs {self.num_envs} is no multiple of --groups {self.groups}"
        opponents = _pairs(self.opponents, "1")
        if not opponents:
            return "--opponents names bots, or self"
        for bot, weight in opponents.items():
            if not re.fullmatch(r"\d+(\.\d+)?", weight) or float(weight) == 0:
                return f"--opponents has weights such as 3 or 0.5, not {weight!r} for {bot}"
        return None

    @property
    def evaluators(self) -> list[str]:
        """The bots to evaluate against."""
        return self.versus.split(",")

    def make_env(self, count: int, address: str | None, **how: Any) -> ahu.VectorEnv:
        """Environments of the game that is learnt."""
        return ahu.VectorEnv(
            self.game, count, seat_count=self.seats, options=_pairs(self.options, "true"), address=address, **how
        )

    def make_training_env(self, address: str | None) -> ahu.VectorEnv:
        """Environments to learn in: the policy has each seat in turn, or all of them."""
        players = None
        if self.opponents != "self":
            mixture = {bot: float(weight) for bot, weight in _pairs(self.opponents, "1").items()}
            players = [None, *[mixture] * (self.seats - 1)]
        how = {"players": players, "groups": self.groups, "rotation": "episode", "rewards": "margin"}
        return self.make_env(self.num_envs, address, **how)


def _pairs(text: str, alone: str) -> dict[str, str]:
    """`a=1,b=2` as a mapping; a name that stands alone has the value `alone`."""
    pairs = (pair.partition("=") for pair in text.split(",") if pair)
    return {name: value if equals else alone for name, equals, value in pairs}


class Policy(nn.Module):
    """What to do, and what it will bring: a net of two hidden layers with two heads.

    It is helped in two ways. Points that are scored already are not for it to learn: it says what will be won or lost
    from now on. And of a hand of Rappa Nui it is shown what players look for, how high the cards of each suit reach.

    Args:
        layout: what observations are made of.
        action_count: how many actions there are.
        settings: what the command line says.
        width: how many units a hidden layer has.
    """

    def __init__(self, layout: ahu.Layout, action_count: int, settings: Settings, width: int) -> None:
        super().__init__()
        self.seats, self.points = settings.seats, settings.points
        self.own = next((layout.fields[name].offset for name in POINTS if name in layout.fields), None)
        self.hand = layout.fields["hand"].offset if settings.game == "rappanui" else None
        size = layout.bit_count + layout.number_count + (0 if self.hand is None else math.prod(SUITS))
        # Brings numbers to mean 0 and deviation 1, by all rollouts so far.
        self.scale = nn.BatchNorm1d(layout.number_count, affine=False, momentum=None).eval()
        self.body = nn.Sequential(nn.Linear(size, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.action = nn.Linear(width, action_count)
        self.value = nn.Linear(width, 1)
        nn.init.orthogonal_(self.action.weight, 0.01)

    def forward(self, bits: np.ndarray, numbers: np.ndarray, masks: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        """Log probabilities of the actions, float32 [n, A], and expected returns, float32 [n].

        Args:
            bits: uint8 [n, B].
            numbers: int16 [n, M].
            masks: bool [n, A]; what is not legal has the log probability -inf.
        """
        flags, counts = torch.tensor(bits, dtype=torch.float32), torch.tensor(numbers, dtype=torch.float32)
        inputs = [flags, self.scale(counts).clamp(-8, 8)]
        if self.hand is not None:
            # At least one card of this suit with at least this number.
            cards = flags[:, self.hand : self.hand + math.prod(SUITS)].reshape(-1, *SUITS)
            inputs.append(cards.flip(2).cumsum(2).clamp(max=1).flip(2).flatten(1))
        hidden = self.body(torch.cat(inputs, 1))
        logits = self.action(hidden).masked_fill(~torch.tensor(masks), -torch.inf)
        return logits.log_softmax(1), self.value(hidden).squeeze(1) + self._scored(counts)

    def learn_scale(self, numbers: np.ndarray) -> None:
        """Takes the numbers of a rollout, int16 [n, M], into mean and deviation."""
        self.scale.train()
        self.scale(torch.tensor(numbers, dtype=torch.float32))
        self.scale.eval()

    def _scored(self, counts: torch.Tensor) -> torch.Tensor | float:
        """The return if the game ended now: own points above the mean of the others'."""
        if self.own is None:
            return 0.0
        points = counts[:, self.own : self.own + self.seats]
        return (points[:, 0] - points[:, 1:].mean(1)) / self.points


class Rollout:
    """A stretch of play: T decisions in each of E environments.

    Attributes:
        bits, numbers, masks: what the seat saw and might do, uint8 [T, E, B], int16 [T, E, M], bool [T, E, A].
        seats, actions: who decided, and what, int64 [T, E].
        log_probabilities, values: what the policy thought of it, float32 [T, E].
        rewards, ended: what came of it, float32 [T, E, S] by seat and bool [T, E].
        last_seats, last_values: who decides next in each environment, int64 [E], and what that seat expects.
    """

    def __init__(self, env: ahu.VectorEnv, steps: int, num_envs: int) -> None:
        shape = (steps, num_envs)
        self.bits = np.zeros((*shape, env.layout.bit_count), np.uint8)
        self.numbers = np.zeros((*shape, env.layout.number_count), np.int16)
        self.masks = np.zeros((*shape, env.action_count), np.bool_)
        self.seats = np.zeros(shape, np.int64)
        self.actions = np.zeros(shape, np.int64)
        self.log_probabilities = np.zeros(shape, np.float32)
        self.values = np.zeros(shape, np.float32)
        self.rewards = np.zeros((*shape, env.seat_count), np.float32)
        self.ended = np.zeros(shape, np.bool_)
        self.last_seats = np.zeros(num_envs, np.int64)
        self.last_values = np.zeros(num_envs, np.float32)

    def advantages(self, decay: float) -> tuple[np.ndarray, np.ndarray]:
        """Generalized advantages with discount 1, float32 [T, E], and where they are known, bool [T, E].

        A seat's decision leads to the next decision of the same seat, however many of others lie between, or to the
        end. What comes next is kept for each seat of each environment, while time runs backwards. Forced decisions,
        where one action alone is legal, are passed over. So is a seat's latest decision, where the rollout breaks off
        before that seat decides again: it is only what the one before it leads to.
        """
        shape = self.rewards.shape[1:]
        known, value, reward, advantage = np.zeros(shape, np.bool_), *np.zeros((3, *shape), np.float32)
        last = np.arange(len(known)), self.last_seats
        known[last], value[last] = True, self.last_values
        result, is_known = np.zeros_like(self.values), np.zeros_like(self.ended)
        free = self.masks.sum(2) > 1
        for step in reversed(range(len(self.seats))):
            over = self.ended[step]
            known[over], value[over], reward[over], advantage[over] = True, 0, 0, 0
            reward += self.rewards[step]
            rows = np.flatnonzero(free[step])
            mine, values = (rows, self.seats[step, rows]), self.values[step, rows]
            gain = np.where(known[mine], reward[mine] + value[mine] - values + decay * advantage[mine], 0)
            is_known[step, rows], result[step, rows] = known[mine], gain
            known[mine], value[mine], reward[mine], advantage[mine] = True, values, 0, gain
        return result, is_known


class Collector:
    """Plays rollouts, one after the other, in environments whose episodes go on from one to the next."""

    def __init__(self, env: ahu.VectorEnv, settings: Settings, seed: int) -> None:
        self.env = env
        self.points = settings.points
        self.rollout = Rollout(env, settings.steps, settings.num_envs)
        self.waiting = [env.reset(seed, group=group) for group in range(settings.groups)]

    @torch.inference_mode()
    def collect(self, policy: Policy) -> Rollout:
        """The next rollout, which overwrites the one before."""
        rollout, steps = self.rollout, len(self.rollout.seats)
        for step in range(steps + 1):
            for group in range(len(self.waiting)):
                batch = self.env.recv() if step > 0 else self.waiting[group]
                rows = slice(batch.env_ids[0], batch.env_ids[-1] + 1)
                bits, numbers = batch.observation["bits"], batch.observation["numbers"]
                log_probabilities, values = policy(bits, numbers, batch.masks)
                if step > 0:
                    rollout.rewards[step - 1, rows] = batch.rewards / self.points
                    rollout.ended[step - 1, rows] = batch.ended
                if step == steps:
                    rollout.last_seats[rows], rollout.last_values[rows] = batch.seats, values
                    self.waiting[group] = batch
                    continue
                # Adding Gumbel noise and taking the best draws by probability.
                noise = -torch.empty_like(log_probabilities).exponential_().log()
                actions = (log_probabilities + noise).argmax(1)
                self.env.send(actions.numpy(), group)
                rollout.bits[step, rows], rollout.numbers[step, rows] = bits, numbers
                rollout.masks[step, rows], rollout.seats[step, rows] = batch.masks, batch.seats
                rollout.actions[step, rows], rollout.values[step, rows] = actions, values
                rollout.log_probabilities[step, rows] = log_probabilities.gather(1, actions[:, None])[:, 0]
        return rollout


def update(
    policy: Policy, optimizer: torch.optim.Optimizer, rollout: Rollout, settings: Settings, left: float
) -> dict[str, float]:
    """Improves the policy by PPO, where so much of the run is left; says how it went, as means over the minibatches."""
    for group in optimizer.param_groups:
        group["lr"] = settings.rate * left
    advantages, is_known = rollout.advantages(settings.decay)
    rows = is_known.nonzero()
    bits, numbers, masks = rollout.bits[rows], rollout.numbers[rows], rollout.masks[rows]
    actions, before = torch.from_numpy(rollout.actions[rows]), torch.from_numpy(rollout.log_probabilities[rows])
    targets = torch.from_numpy(advantages[rows] + rollout.values[rows])
    gains = torch.from_numpy(advantages[rows])
    gains = (gains - gains.mean()) / (gains.std() + 1e-8)
    history = []
    for _ in range(settings.epochs):
        for part in torch.randperm(len(actions)).split(settings.minibatch):
            index = part.numpy()
            log_probabilities, values = policy(bits[index], numbers[index], masks[index])
            chosen = log_probabilities.gather(1, actions[part, None])[:, 0]
            ratio, gain = (chosen - before[part]).exp(), gains[part]
            policy_loss = -torch.min(ratio * gain, ratio.clamp(1 - settings.clip, 1 + settings.clip) * gain).mean()
            value_loss = nn.functional.smooth_l1_loss(values, targets[part])
            entropy = -(log_probabilities.exp() * log_probabilities.clamp(min=-1e9)).sum(1).mean()
            loss = policy_loss + 0.5 * value_loss - settings.entropy * left * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()
            divergence = (ratio - 1 - ratio.log()).mean()
            history.append([value.item() for value in (value_loss, entropy, divergence)])
    policy.learn_scale(numbers)
    return dict(zip(("value_loss", "entropy", "divergence"), np.mean(history, 0).tolist(), strict=True))


def evaluate(policy: Policy, bot: str, blocks: int, settings: Settings, address: str | None) -> dict[str, float]:
    """Returns the share of wins of the likeliest action against a bot in all other seats: mean and 95 % interval."""

    @torch.inference_mode()
    def likeliest(batch: ahu.Batch) -> np.ndarray:
        scores, _ = policy(batch.observation["bits"], batch.observation["numbers"], batch.masks)
        return scores.argmax(1).numpy()

    result = ahu.training.evaluate(
        settings.game,
        likeliest,
        bot,
        blocks,
        seat_count=settings.seats,
        options=_pairs(settings.options, "true"),
        seed=EVALUATION_SEED,
        address=address,
    ).share
    return {"share": result.mean, "low": result.low, "high": result.high, "blocks": blocks}


class Run:
    """A policy in training, and how far it is.

    Attributes:
        policy, optimizer: what learns.
        curve: an entry an update: decisions and seconds so far, how the update went, and perhaps an evaluation.
    """

    def __init__(self, layout: ahu.Layout, action_count: int, settings: Settings) -> None:
        self.settings = settings
        self.path = settings.out / "checkpoint.pt"
        self.layout_hash = layout.hash.hex()
        saved: dict[str, Any] = self._load() if settings.resume else {"width": settings.width, "curve": []}
        self.curve: list[dict[str, Any]] = saved["curve"]
        torch.manual_seed(settings.seed + self.decisions)
        self.policy = Policy(layout, action_count, settings, saved["width"])
        self.optimizer = torch.optim.Adam(self.policy.parameters(), settings.rate, eps=1e-5)
        if settings.resume:
            self.policy.load_state_dict(saved["policy"])
            self.optimizer.load_state_dict(saved["optimizer"])

    @property
    def decisions(self) -> int:
        """How many decisions it has learnt from."""
        return self.curve[-1]["decisions"] if self.curve else 0

    @property
    def seconds(self) -> float:
        """How long it has trained."""
        return self.curve[-1]["seconds"] if self.curve else 0.0

    def _load(self) -> dict[str, Any]:
        if not self.path.exists():
            sys.exit(f"there is nothing to resume: {self.path} does not exist")
        saved = torch.load(self.path, weights_only=True)
        if saved["layout_hash"] != self.layout_hash:
            sys.exit(
                f"{self.path} cannot be resumed: it was trained on observations of another layout ({saved['game']},"
                f" {saved['layout_hash'][:16]}) than the engine's ({self.settings.game}, {self.layout_hash[:16]})."
                " Train anew in another folder, or resume with the game and the version of Ahu that it was trained with"
            )
        return saved

    def save(self) -> None:
        """Writes checkpoint and curves. The checkpoint is replaced as a whole: there is always one that is good."""
        saved = {
            "game": self.settings.game,
            "layout_hash": self.layout_hash,
            "width": self.policy.value.in_features,
            "policy": self.policy.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "curve": self.curve,
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = self.path.with_suffix(".new")
        torch.save(saved, unfinished)
        unfinished.replace(self.path)
        self.path.with_name("curve.json").write_text(json.dumps(self.curve))
        draw(self.curve, self.path.with_name("curve.png"), self.settings)


def draw(curve: list[dict[str, Any]], path: Path, settings: Settings) -> None:
    """Draws the curves of a run."""
    figure, (wins, entropy) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for bot in settings.evaluators:
        entries = [entry for entry in curve if bot in entry.get("evaluation", {})]
        at = [entry["decisions"] / 1e6 for entry in entries]
        share, low, high = ([entry["evaluation"][bot][key] for entry in entries] for key in ("share", "low", "high"))
        wins.plot(at, share, marker=".", label=f"against {bot}")
        wins.fill_between(at, low, high, alpha=0.2)
    wins.axhline(1 / settings.seats, color="black", linewidth=0.8, linestyle=":")
    wins.set(title="share of wins, 95 % intervals", xlabel="million decisions", ylim=(0, 1))
    wins.legend()
    entropy.plot([entry["decisions"] / 1e6 for entry in curve], [entry["entropy"] for entry in curve], color="gray")
    entropy.set(title="entropy of free decisions, nats", xlabel="million decisions")
    for axes in (wins, entropy):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=80)
    plt.close(figure)


def train(run: Run, env: ahu.VectorEnv, address: str | None) -> None:
    """Learns until there are decisions enough, and saves what it has before and after every evaluation."""
    settings = run.settings
    collector = Collector(env, settings, settings.seed + run.decisions)
    began = time.monotonic() - run.seconds
    bar = tqdm(total=settings.decisions, initial=run.decisions, unit=" decisions", unit_scale=True, file=sys.stderr)
    while run.decisions < settings.decisions:
        rollout = collector.collect(run.policy)
        torch.set_num_threads(settings.threads)
        entry = update(run.policy, run.optimizer, rollout, settings, 1 - run.decisions / settings.decisions)
        torch.set_num_threads(1)
        decisions = run.decisions + rollout.seats.size
        run.curve.append({"decisions": decisions, "seconds": time.monotonic() - began, **entry})
        if len(run.curve) % settings.every == 0 or decisions >= settings.decisions:
            run.save()
            run.curve[-1]["evaluation"] = evaluation(run, settings.blocks, address)
            run.save()
            bar.set_postfix({bot: result["share"] for bot, result in run.curve[-1]["evaluation"].items()})
        bar.update(rollout.seats.size)
    bar.close()


def evaluation(run: Run, blocks: int, address: str | None) -> dict[str, dict[str, float]]:
    """How the policy fares against each bot, by the bot."""
    return {bot: evaluate(run.policy, bot, blocks, run.settings, address) for bot in run.settings.evaluators}


def opening_error(settings: Settings, env: ahu.VectorEnv, address: str | None) -> str | None:
    """Returns what the engine has against the settings; None: nothing. The environments to learn in are open then."""
    try:
        # They are opened by the first look at them, with game, seats, options and opponents.
        _ = env.layout
    except ahu.AhuError as error:
        return str(error)
    for bot in settings.evaluators:
        try:
            with settings.make_env(1, address, players=[None, *[bot] * (settings.seats - 1)]) as versus:
                _ = versus.layout
        except ahu.AhuError as error:
            return f"--versus: {error}"
    return None


def main() -> None:
    parser = Settings.parser()
    settings = Settings(**vars(parser.parse_args()))
    if error := settings.error:
        parser.error(error)
    # One thread decides quickest in small batches, and leaves the other cores to the engine.
    torch.set_num_threads(1)
    # Moments of the optimizer that fade towards zero would make its arithmetic several times as slow.
    torch.set_flush_denormal(True)
    with contextlib.ExitStack() as stack:
        address = settings.address or None
        env = stack.enter_context(settings.make_training_env(address))
        if error := opening_error(settings, env, address):
            parser.error(error)
        run = Run(env.layout, env.action_count, settings)
        train(run, env, address)
        results = evaluation(run, settings.final_blocks, address)
    if settings.json:
        summary = {"game": settings.game, "seats": settings.seats, "decisions": run.decisions, "seconds": run.seconds}
        files = {"checkpoint": str(run.path), "curve": str(run.path.with_name("curve.png"))}
        print(json.dumps({**summary, "layout_hash": run.layout_hash, "evaluation": results, **files}))
        return
    print(f"{run.decisions:,} decisions in {run.seconds / 60:.1f} minutes; curve and checkpoint are in {settings.out}")
    print("against    share of wins   95 % interval   blocks")
    for bot, result in results.items():
        print(f"{bot:<10} {result['share']:13.3f}   {result['low']:.3f} - {result['high']:.3f} {result['blocks']:8}")


if __name__ == "__main__":
    main()
