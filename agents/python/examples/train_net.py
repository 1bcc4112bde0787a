"""Trains one net for all seat counts of a game, in one file, and writes it as a file that plays without Python.

    python train_net.py --game rapanui_board --minutes 30
    python train_net.py --game rapanui_board --minutes 60 --resume
    ahu duel rapanui_board net=net:runs/net/rapanui_board.net greedy@2 --blocks 500
    python train_net.py --game rapanui_cards --minutes 60 --trust 0

The net first copies a bot on the positions that the net itself reaches (`VectorEnv.advise`). From then on it is told the choice
of the bot, its adviser, and trusts it: so it begins about as strong as the bot. Then it learns by PPO where to deviate: it plays
all seats of some environments, and one seat against the bot in others, and is kept near its beginning at first. It takes all
cores, or as many as `--threads` says, and a GPU if there is one.

Each line of JSON is an evaluation:

    minutes: the minutes of training so far
    copied, agreement: the positions of the copy, and the share of them in which the net chose as the bot
    decisions: the decisions of PPO so far
    follows: the share of decisions with several legal actions in which the net did as its adviser, or the bot, chose
    entropy: the mean entropy of the net's choices, in nats
    wins_2_seats: the share of games that the net won in one seat against the bot in all others, at this number of seats
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import ahu
from ahu.training import NetInputs, seat_advantages, write_net
from ahu.training._catalog import known

EVALUATION_SEED = 2**40
"""The seed of all evaluations: training with seeds from 0 on seldom gets this far."""


def parse_args(arguments: list[str] | None = None) -> argparse.Namespace:
    """Returns the settings of the command line."""
    parser = argparse.ArgumentParser(
        description="Trains one net for all seat counts of a game.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("--game", default="rapanui_board", help="the game, by its name in the catalog")
    add("--teacher", default="greedy@2", help="the bot that the net copies, and plays against")
    add("--minutes", type=float, default=60, help="the minutes in all, with all evaluations but the last")
    add("--clone", type=float, default=0.12, help="the share of the time in which the net copies the teacher")
    add(
        "--trust",
        type=float,
        default=5.0,
        help="the trust in the advice at first, a score beside the net's own; 0, no advice, is better in the card games",
    )
    add(
        "--copy-scale",
        type=float,
        default=1.0,
        help="the weight of the copy's scores beside the trust, when PPO begins",
    )
    add("--versus", type=float, default=0.5, help="the environments against the teacher, for each one of self-play")
    add("--num-envs", type=int, default=1024, help="the environments of self-play for each number of seats")
    add("--num-steps", type=int, default=32, help="the decisions in each environment between two updates")
    add("--hidden", default="256,64", help="the units of the hidden layers")
    add("--decode", type=int, default=128, help="the most values of a binary number that has an input for each value")
    add("--learning-rate", type=float, default=7e-4, help="the learning rate at the beginning; it falls to zero")
    add("--gae-lambda", type=float, default=0.95, help="the lambda of the generalized advantages")
    add("--clip-coef", type=float, default=0.2, help="the bound of the change of a probability in one update")
    add("--ent-coef", type=float, default=0.004, help="the weight of the entropy at the beginning; it falls to zero")
    add("--kl-coef", type=float, default=0.05, help="the weight of the distance to the copy; it falls to a tenth")
    add("--update-epochs", type=int, default=2, help="the number of epochs of an update")
    add("--minibatch-size", type=int, default=16384, help="the decisions of a minibatch")
    add("--reward-scale", type=float, default=0.05, help="the return of a point above the mean of the others")
    add("--win", type=float, default=8.0, help="the points that a win is worth beside its margin")
    add("--threads", type=int, help="the cores of the environments and of PyTorch; by default all")
    add("--seed", type=int, default=1, help="the seed of the net, its choices, and the games")
    add("--eval-minutes", type=float, default=5.0, help="the time between two evaluations, each with a checkpoint")
    add("--eval-games", type=int, default=500, help="the games of an evaluation, at the fewest and at the most seats")
    add("--out", type=Path, default=Path("runs/net"), help="the folder of the net, the checkpoint, and the logs")
    add("--resume", action="store_true", help="go on from the checkpoint in the folder of --out")
    add("--tensorboard", action="store_true", help="write logs for TensorBoard")
    return parser.parse_args(arguments)


def touched(game: str) -> NDArray[np.float32]:
    """Returns what each action of a game is and touches, a column for each kind, piece, and place: float32 [A, columns], 0 or 1."""
    features = ahu.action_features(game)
    columns = [features.kind, features.piece, features.place]
    parts = [np.eye(column.max() + 2, dtype=np.float32)[column][:, :-1] for column in columns]
    return np.concatenate(parts, 1)


def unpacked(packed: Tensor, count: int) -> Tensor:
    """Returns the first bits of each row, uint8 [n, count], on the device of `packed`, uint8 [n, width]."""
    places = torch.arange(8, dtype=torch.uint8, device=packed.device)
    return (packed.unsqueeze(-1) >> places & 1).flatten(1)[:, :count]


class Inputs(nn.Module):
    """The inputs of a net as `NetInputs` has them, in an order that is quick to compute.

    The bits of the observation come first, those of decoded numbers too; then the values of decoded numbers, the thermometers of
    numbers, and the actions, of which the advice is one. `in_file` returns weights in the order of the file.
    """

    def __init__(self, inputs: NetInputs, advised: int) -> None:
        super().__init__()
        self.of, self.advised = inputs, advised
        self.bits = (inputs.layout.bit_count + 63) // 64 * 64
        _, codes, _, numbers = inputs.tables
        digits, bases, size = np.zeros((self.bits, len(codes)), np.float32), np.zeros(len(codes), np.int64), 0
        for code, places in enumerate(codes):
            places = places[places >= 0]
            digits[places, code] = 2 ** np.arange(len(places))
            bases[code], size = size, size + 2 ** len(places)
        most = max(len(ones) for ones in inputs.thresholds.values())
        # No number of an observation is above the limit of an input that fills a row up.
        limits = np.full((inputs.layout.number_count, most), np.iinfo(np.int16).max, np.int16)
        self.columns = np.zeros(len(numbers), np.int64)
        self.values, self.thresholds = self.bits, self.bits + size
        for n, (place, _, threshold) in enumerate(numbers.tolist()):
            level = int((limits[place] < np.iinfo(np.int16).max).sum())
            limits[place, level] = threshold
            self.columns[n] = self.thresholds + place * most + level
        self.advice = self.thresholds + limits.size
        self.size = self.advice + advised
        bytes_as_bits = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little")
        for name, table in {"bytes": bytes_as_bits, "digits": digits}.items():
            self.register_buffer(name, torch.from_numpy(table).bfloat16(), persistent=False)
        for name, table in {"bases": bases, "limits": limits}.items():
            self.register_buffer(name, torch.from_numpy(table), persistent=False)

    def forward(self, packed: Tensor, numbers: Tensor, advice: Tensor | None) -> Tensor:
        """Returns the inputs, bfloat16 [n, size], 0 or 1.

        Args:
            packed: the packed bits of observations, uint8 [n, width].
            numbers: their numbers, int16 [n, k].
            advice: the choices of the teacher, int64 [n]; None: none.
        """
        inputs = torch.zeros(len(packed), self.size, dtype=torch.bfloat16, device=packed.device)
        inputs[:, : self.bits] = bits = self.bytes[packed.long()].flatten(1)
        if len(self.bases):
            inputs[:, self.values :].scatter_(1, (bits @ self.digits).long() + self.bases, 1.0)
        inputs[:, self.thresholds : self.advice] = (numbers.unsqueeze(-1) > self.limits).flatten(1)
        if advice is not None and self.advised:
            inputs[:, self.advice :].scatter_(1, advice.unsqueeze(1), 1.0)
        return inputs

    def in_file(self, weight: Tensor) -> NDArray[np.float64]:
        """Returns the weights of the first layer for the inputs of the file, [units, inputs]."""
        ours = weight.detach().double().cpu().numpy()
        bits, codes, firsts, numbers = self.of.tables
        theirs = np.zeros((len(ours), self.of.size + self.advised))
        theirs[:, bits[:, 1]] = ours[:, bits[:, 0]]
        at = self.values
        for places, first in zip(codes, firsts, strict=True):
            places = places[places >= 0]
            values = np.arange(2 ** len(places))
            # A value has the weights of its digits, too.
            digits = values >> np.arange(len(places))[:, None] & 1
            theirs[:, first + values] = ours[:, at + values] + ours[:, places] @ digits
            at += len(values)
        theirs[:, numbers[:, 1]] = ours[:, self.columns]
        theirs[:, self.of.size :] = ours[:, self.advice :]
        return theirs


class Net(nn.Module):
    """A net whose hidden units are clipped from 0 to 1, as in a file of `write_net`."""

    def __init__(self, inputs: NetInputs, touched: NDArray[np.float32], hidden: list[int], trust: float) -> None:
        super().__init__()
        action_count = len(touched)
        self.inputs = Inputs(inputs, action_count if trust else 0)
        sizes = [self.inputs.size, *hidden]
        self.layers = nn.ModuleList(nn.Linear(before, units) for before, units in zip(sizes, hidden, strict=False))
        self.policy, self.value = nn.Linear(hidden[-1], action_count), nn.Linear(hidden[-1], 1)
        # Actions that touch the same piece or place learn from each other. The file has the sum as the weights of the policy.
        self.register_buffer("touched", torch.from_numpy(touched), persistent=False)
        self.shared = nn.Linear(hidden[-1], touched.shape[1], bias=False)
        self.adviser = nn.Linear(hidden[-1], 1) if trust else None
        with torch.no_grad():
            # A few hundred inputs are 1, and units begin within their range.
            self.layers[0].weight.normal_(0, 0.05)
            self.layers[0].weight[:, self.inputs.advice :] = 0
            for layer in self.layers:
                layer.bias.fill_(0.3)
            for head in (self.policy, self.shared):
                head.weight.mul_(0.1)
            self.policy.bias.zero_()
            if self.adviser is not None:
                self.adviser.weight.zero_()
                self.adviser.bias.fill_(trust)

    def forward(self, inputs: Tensor, masks: Tensor, advice: Tensor | None) -> tuple[Tensor, Tensor]:
        """Returns the log probabilities of the actions, float32 [n, A], and the values, float32 [n]."""
        first, *others = self.layers
        x = self.clipped((inputs @ first.weight.bfloat16().T).float() + first.bias)
        for layer in others:
            x = self.clipped(layer(x))
        logits = self.policy(x) + self.shared(x) @ self.touched.T
        if advice is not None and self.adviser is not None:
            logits = logits.scatter_add(1, advice.unsqueeze(1), self.adviser(x))
        return logits.masked_fill(~masks, -1e9).log_softmax(1), self.value(x).squeeze(1)

    def clipped(self, x: Tensor) -> Tensor:
        """Returns the activations of sums."""
        clipped = x.clamp(0, 1)
        # A slope outside of the range, so that no unit stays there for ever.
        return clipped + 0.01 * (x - clipped) if self.training else clipped

    def weights(self) -> dict[str, Any]:
        """Returns the weights as `write_net` takes them."""
        weights: dict[str, Any] = {name: value.detach().cpu() for name, value in self.state_dict().items()}
        weights["policy.weight"] = weights["policy.weight"] + self.touched.cpu() @ weights.pop("shared.weight")
        return {**weights, "layers.0.weight": self.inputs.in_file(self.layers[0].weight)}


class Tables:
    """Environments of all seat counts, of self-play and against the teacher, stepped as one.

    Attributes:
        count: the number of all environments.
        max_seats: the most seats.
    """

    def __init__(self, args: argparse.Namespace, counts: list[int]) -> None:
        self.envs: list[ahu.VectorEnv] = []
        for n, seats in enumerate(counts):
            versus = int(args.num_envs * args.versus)
            both = [(args.num_envs, None), (versus, [None, *[args.teacher] * (seats - 1)])]
            for place, (num_envs, players) in enumerate(both):
                if num_envs:
                    self.envs.append(
                        ahu.VectorEnv(
                            args.game,
                            num_envs,
                            seats=seats,
                            players=players,
                            rotation="episode",
                            rewards="margin_gain",
                            obs_format="packed",
                            threads=args.threads,
                            seed=args.seed + 1_000_000 * n + 500_000 * place,
                        )
                    )
        self.count, self.max_seats = sum(env.num_envs for env in self.envs), max(counts)
        self.batches: list[ahu.Batch] = []

    def advice(self, teacher: str, device: str) -> Tensor:
        """Returns the choices of the teacher in all rows, int64 [n]."""
        choices = [env.advise(teacher).choices for env in self.envs]
        return torch.from_numpy(np.concatenate(choices).astype(np.int64)).to(device)

    def rows(self, device: str) -> tuple[Tensor, Tensor, Tensor, NDArray[np.int64]]:
        """Returns the packed bits, the numbers, the masks, and the seats of all rows."""

        def moved(arrays: list[NDArray[Any]]) -> Tensor:
            return torch.from_numpy(np.concatenate(arrays)).to(device, non_blocking=True)

        bits = moved([batch.observation["bits"] for batch in self.batches])
        numbers = moved([batch.observation["numbers"] for batch in self.batches])
        packed = moved([batch.packed_masks for batch in self.batches])
        seats = np.concatenate([batch.seats for batch in self.batches]).astype(np.int64)
        return bits, numbers, unpacked(packed, self.envs[0].action_count).bool(), seats

    def step(self, actions: NDArray[np.int64], win: float) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Takes actions. Returns the rewards of all seats in points, float32 [n, max_seats], and the ends, bool [n]."""
        parts = np.split(actions, np.cumsum([env.num_envs for env in self.envs])[:-1])
        self.batches = [env.step(part) for env, part in zip(self.envs, parts, strict=True)]
        rewards, first = np.zeros((self.count, self.max_seats), np.float32), 0
        for env, batch in zip(self.envs, self.batches, strict=True):
            own = rewards[first : first + len(batch)]
            own[:, : env.seats] = batch.rewards
            if (final := batch.final_steps) is not None:
                own[final.env_ids, final.seats] += win * (env.seats * (final.ranks == 1) - 1)
            first += len(batch)
        return rewards, np.concatenate([batch.ended for batch in self.batches])


def main() -> None:
    """Trains, evaluates, and prints a line of JSON for each evaluation."""
    args = parse_args()
    torch.manual_seed(args.seed)
    if args.threads:
        torch.set_num_threads(args.threads)
    torch.set_float32_matmul_precision("high")
    args.out.mkdir(parents=True, exist_ok=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    summary = known(args.game).summary
    counts = list(range(summary.min_seats, summary.max_seats + 1))
    tables = Tables(args, counts)
    inputs = NetInputs(tables.envs[0].layout, decode=args.decode)
    hidden = [int(units) for units in args.hidden.split(",")]
    net, copy = (Net(inputs, touched(args.game), hidden, args.trust).to(device) for _ in range(2))
    optimizer = torch.optim.Adam(net.parameters(), lr=args.learning_rate, eps=1e-5)
    rng = np.random.default_rng(args.seed)
    path, file = args.out / "checkpoint.pt", args.out / f"{args.game}.net"
    writer = None
    if args.tensorboard:
        from torch.utils.tensorboard.writer import SummaryWriter

        writer = SummaryWriter(str(args.out))
    follows = 0.0
    start, decisions = time.monotonic(), 0

    def minutes() -> float:
        return (time.monotonic() - start) / 60

    @torch.inference_mode()
    def policy(batch: ahu.Batch, advice: NDArray[Any]) -> NDArray[np.int64]:
        net.eval()
        bits, numbers, masks = (
            torch.from_numpy(array).to(device)
            for array in (batch.observation["bits"], batch.observation["numbers"], batch.masks)
        )
        advised = torch.from_numpy(advice.astype(np.int64)).to(device)
        logprobs, _ = net(net.inputs(bits, numbers, advised), masks, advised)
        net.train()
        return logprobs.argmax(1).cpu().numpy()

    def wins(seats: int) -> float:
        """Returns the share of wins of the net in one seat against the teacher in all others."""
        players, won, games = [None, *[args.teacher] * (seats - 1)], 0.0, 0
        settings: Any = {"seats": seats, "players": players, "rotation": "episode", "obs_format": "packed"}
        with ahu.VectorEnv(
            args.game, args.eval_games, autoreset="disabled", seed=EVALUATION_SEED, threads=args.threads, **settings
        ) as env:
            batch = env.reset()
            while len(batch):
                for episode in batch.episodes:
                    firsts = [seat for seat, rank in enumerate(episode.ranks) if rank == 1]
                    won += sum(not episode.bots[seat] for seat in firsts) / len(firsts)
                    games += 1
                live = np.flatnonzero(~batch.ended)
                if not len(live):
                    break
                batch = batch.take(live)
                advice = env.advise(args.teacher, env_ids=batch.env_ids).choices
                batch = env.step(policy(batch, advice), env_ids=batch.env_ids)
        return won / games

    def evaluate(figures: dict[str, Any]) -> None:
        """Prints figures with the wins, writes the net, and keeps a checkpoint of what PPO needs."""
        results = {f"wins_{seats}_seats": round(wins(seats), 3) for seats in (counts[0], counts[-1])}
        print(json.dumps({"minutes": round(minutes(), 2), **figures, **results}), flush=True)
        if writer is not None:
            for name, figure in {**figures, **results}.items():
                writer.add_scalar(f"charts/{name}", figure, decisions)
        provenance = f"train_net.py, {minutes():.0f} minutes on {device}, seed {args.seed}"
        adviser = args.teacher if args.trust else None
        write_net(file, net.weights(), game=args.game, inputs=inputs, adviser=adviser, provenance=provenance)
        nets = {"net": net.state_dict(), "copy": copy.state_dict(), "optimizer": optimizer.state_dict()}
        envs = [env.save() for env in tables.envs]
        content = {**nets, "envs": envs, "minutes": minutes(), "decisions": decisions, "args": vars(args)}
        torch.save(content, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)

    if args.resume:
        if not path.exists():
            raise SystemExit(f"error: expected a checkpoint to go on from, found no {path}")
        saved = torch.load(path, weights_only=False)
        for name in ("game", "teacher", "trust", "versus", "num_envs", "hidden", "decode", "seed"):
            if saved["args"][name] != getattr(args, name):
                got = getattr(args, name)
                raise SystemExit(
                    f"error: expected --{name.replace('_', '-')} {saved['args'][name]}, as in {path}, got {got}"
                )
        net.load_state_dict(saved["net"])
        copy.load_state_dict(saved["copy"])
        optimizer.load_state_dict(saved["optimizer"])
        tables.batches = [env.restore(data) for env, data in zip(tables.envs, saved["envs"], strict=True)]
        start, decisions = start - 60 * saved["minutes"], saved["decisions"]
    else:
        tables.batches = [env.reset() for env in tables.envs]

        # Copies of the teacher, at positions that the net reaches.
        memory: list[Tensor] = []
        size, capacity = 0, 1_000_000 if device == "cuda" else 200_000
        agreement = 0.0
        step = 0
        while minutes() < args.clone * args.minutes:
            bits, numbers, masks, _ = tables.rows(device)
            labels = tables.advice(args.teacher, device)
            with torch.no_grad():
                logprobs, _ = net(net.inputs(bits, numbers, None), masks, None)
                # The best after Gumbel noise is a draw by probability.
                drawn = (logprobs - torch.empty_like(logprobs).exponential_().log()).argmax(1).cpu().numpy()
            free = masks.sum(1) > 1
            new = [part[free] for part in (bits, numbers, masks, labels)]
            if not memory:
                memory = [torch.zeros((capacity, *part.shape[1:]), dtype=part.dtype, device=device) for part in new]
            at = torch.arange(size, size + len(new[0]), device=device) % capacity
            for kept, part in zip(memory, new, strict=True):
                kept[at] = part
            size += len(new[0])
            # At first the teacher plays, so that games have their length.
            tables.step(np.where(rng.random(len(drawn)) < 1 - step / 200, labels.cpu().numpy(), drawn), 0)
            step += 1
            for _ in range(2):
                picked = torch.randint(min(size, capacity), (args.minibatch_size,), device=device)
                b_bits, b_numbers, b_masks, b_labels = (kept[picked] for kept in memory)
                logprobs, _ = net(net.inputs(b_bits, b_numbers, None), b_masks, None)
                loss = nn.functional.nll_loss(logprobs, b_labels)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                agreement = float((logprobs.argmax(1) == b_labels).float().mean())
        with torch.no_grad():
            for weights in (net.policy.weight, net.policy.bias, net.shared.weight):
                weights.mul_(args.copy_scale)
        copy.load_state_dict(net.state_dict())
        optimizer = torch.optim.Adam(net.parameters(), lr=args.learning_rate, eps=1e-5)
        evaluate({"copied": size, "agreement": round(agreement, 3)})

    # PPO by self-play and against the teacher.
    shape = (args.num_steps, tables.count)
    began, iteration, last_evaluation = args.clone * args.minutes, 0, minutes()
    while minutes() < args.minutes:
        progress = min(max((minutes() - began) / (args.minutes - began), 0), 1)
        optimizer.param_groups[0]["lr"] = args.learning_rate * max(1 - progress, 0.02)
        values, seats = np.zeros(shape, np.float32), np.zeros(shape, np.int64)
        dones, is_free = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        rewards = np.zeros((*shape, tables.max_seats), np.float32)
        rollout: list[tuple[Tensor, ...]] = []
        with torch.no_grad():
            for step in range(args.num_steps):
                bits, numbers, masks, seats[step] = tables.rows(device)
                advice = tables.advice(args.teacher, device)
                x = net.inputs(bits, numbers, advice)
                logprobs, value = net(x, masks, advice)
                copied, _ = copy(x, masks, advice)
                action = (logprobs - torch.empty_like(logprobs).exponential_().log()).argmax(1)
                chosen = logprobs.gather(1, action.unsqueeze(1)).squeeze(1)
                rollout.append((x, masks, advice, copied, action, chosen, value))
                values[step], is_free[step] = value.cpu().numpy(), (masks.sum(1) > 1).cpu().numpy()
                rewards[step], dones[step] = tables.step(action.cpu().numpy(), args.win)
            bits, numbers, masks, next_seats = tables.rows(device)
            advice = tables.advice(args.teacher, device)
            _, next_value = net(net.inputs(bits, numbers, advice), masks, advice)
        decisions += args.num_steps * tables.count
        iteration += 1
        advantages, has_advantage = seat_advantages(
            rewards=args.reward_scale * rewards,
            dones=dones,
            values=values,
            seats=seats,
            is_free=is_free,
            next_values=next_value.cpu().numpy(),
            next_seats=next_seats,
            gae_lambda=args.gae_lambda,
        )
        r_inputs, r_masks, r_advice, r_copied, r_actions, r_logprobs, r_values = map(
            torch.cat, zip(*rollout, strict=True)
        )
        r_advantages = torch.from_numpy(advantages.ravel()).to(device)
        r_returns = r_advantages + r_values
        rows = torch.from_numpy(np.flatnonzero(has_advantage)).to(device)
        mean, deviation = r_advantages[rows].mean(), r_advantages[rows].std() + 1e-8
        follows = float((r_actions == r_advice)[rows].float().mean())
        entropy = torch.zeros(())
        for _ in range(args.update_epochs):
            for picked in rows[torch.randperm(len(rows), device=device)].split(args.minibatch_size):
                b_masks = r_masks[picked]
                logprobs, value = net(r_inputs[picked], b_masks, r_advice[picked])
                probabilities = logprobs.exp()
                ratio = (logprobs.gather(1, r_actions[picked].unsqueeze(1)).squeeze(1) - r_logprobs[picked]).exp()
                mb_advantages = (r_advantages[picked] - mean) / deviation
                clipped = ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)
                entropy = -(probabilities * logprobs.masked_fill(~b_masks, 0)).sum(1).mean()
                loss = 0.5 * (value - r_returns[picked]).square().mean()
                # The critic learns alone at first.
                if iteration > 5 or args.resume:
                    distance = (probabilities * (logprobs - r_copied[picked]).masked_fill(~b_masks, 0)).sum(1).mean()
                    loss = loss - torch.min(mb_advantages * ratio, mb_advantages * clipped).mean()
                    loss = loss - (1 - progress) * args.ent_coef * entropy + args.kl_coef * 0.1**progress * distance
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                optimizer.step()
        if minutes() - last_evaluation >= args.eval_minutes:
            last_evaluation = minutes()
            evaluate(
                {"decisions": decisions, "follows": round(follows, 3), "entropy": round(float(entropy.detach()), 3)}
            )
    evaluate({"decisions": decisions})
    for env in tables.envs:
        env.close()
    if writer is not None:
        writer.close()


if __name__ == "__main__":
    main()
