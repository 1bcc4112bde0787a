"""PPO for nets that play without Python, as `train_net.py` and `ahu.exploit` use it.

    tables = Tables([VectorEnv("rapanui_board", 192, players=[None, "greedy@2"], rotation="episode", obs_format="packed")])
    learner = Learner(tables, Settings(), adviser="greedy@2")
    while learner.decisions < 1_000_000:
        learner.learn(learner.decisions / 1_000_000)
    learner.write("first.net", provenance="1,000,000 decisions")

The net is told the choice of a bot, its adviser, and trusts it at first, so that it begins as strong as the bot. It learns where to
deviate by PPO, and is kept near its beginning at first. A step of a seat ends with the next decision of the same seat. This module
needs PyTorch: `pip install torch`.
"""

# pyright: standard

from __future__ import annotations

import copy
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

try:
    import torch
    from torch import Tensor, nn
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("ahu.training.ppo needs PyTorch: pip install torch", name="torch") from error
from numpy.typing import NDArray

from ahu.training._action_features import action_features
from ahu.training._advantages import seat_advantages
from ahu.training._batch import Batch
from ahu.training._nets import NetInputs, write_net
from ahu.training._vector import VectorEnv

__all__ = ["Inputs", "Learner", "Net", "Settings", "Tables", "set_threads", "touched", "unpacked"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a learner.

    Attributes:
        num_steps: the decisions in each environment between two updates.
        hidden: the units of the hidden layers.
        decode: the most values of a binary number that has an input for each value.
        trust: the trust in the advice at first, a score beside the net's own; 0: no adviser.
        copy_scale: the weight of the copy's scores beside the trust, when PPO begins.
        learning_rate: the learning rate at the beginning; it falls to a fiftieth.
        gae_lambda: the lambda of the generalized advantages.
        clip_coef: the bound of the change of a probability in one update.
        ent_coef: the weight of the entropy at the beginning; it falls to zero.
        kl_coef: the weight of the distance to the beginning; it falls to a tenth.
        update_epochs: the number of epochs of an update.
        minibatch_size: the decisions of a minibatch.
        reward_scale: the return of a reward of 1.
        win: the reward that a win is worth beside the rewards of the environments.
        seed: the seed of the net and its choices.
    """

    num_steps: int = 32
    hidden: Sequence[int] = (128, 64)
    decode: int = 16
    trust: float = 5.0
    copy_scale: float = 1.0
    learning_rate: float = 7e-4
    gae_lambda: float = 0.95
    clip_coef: float = 0.2
    ent_coef: float = 0.004
    kl_coef: float = 0.05
    update_epochs: int = 2
    minibatch_size: int = 4096
    reward_scale: float = 0.05
    win: float = 8.0
    seed: int = 1


def unpacked(packed: Tensor, count: int) -> Tensor:
    """Returns the first bits of each row, uint8 [n, count], on the device of `packed`, uint8 [n, width]."""
    places = torch.arange(8, dtype=torch.uint8, device=packed.device)
    return (packed.unsqueeze(-1) >> places & 1).flatten(1)[:, :count]


class Inputs(nn.Module):
    """The inputs of a net as `NetInputs` has them, in an order that is quick to compute.

    The bits of the observation come first, those of decoded numbers too; then the values of decoded numbers, the thermometers of
    numbers, and the actions, of which the advice is one. `in_file` returns weights in the order of the file.

    Args:
        inputs: the inputs of the file.
        advised: the number of actions, with an adviser; 0 without.
        dtype: the type of the inputs.
    """

    def __init__(self, inputs: NetInputs, advised: int, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.of, self.advised, self.dtype = inputs, advised, dtype
        self.bits = (inputs.layout.bit_count + 63) // 64 * 64
        _, codes, _, numbers = inputs.tables
        digits, bases, size = np.zeros((self.bits, len(codes)), np.float32), np.zeros(len(codes), np.int64), 0
        for code, places in enumerate(codes):
            places = places[places >= 0]
            digits[places, code] = 2 ** np.arange(len(places))
            bases[code], size = size, size + 2 ** len(places)
        most = max(map(len, inputs.thresholds.values()), default=0)
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
            self.register_buffer(name, torch.from_numpy(table).to(dtype), persistent=False)
        for name, table in {"bases": bases, "limits": limits}.items():
            self.register_buffer(name, torch.from_numpy(table), persistent=False)

    def forward(self, packed: Tensor, numbers: Tensor, advice: Tensor | None) -> Tensor:
        """Returns the inputs, [n, size], 0 or 1.

        Args:
            packed: the packed bits of observations, uint8 [n, width].
            numbers: their numbers, int16 [n, k].
            advice: the choices of the adviser, int64 [n]; None: none.
        """
        inputs = torch.zeros(len(packed), self.size, dtype=self.dtype, device=packed.device)
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
    """A net whose hidden units are clipped from 0 to 1, as in a file of `write_net`.

    Args:
        inputs: the inputs.
        touched: what each action is and touches (`touched`).
        settings: the sizes and the trust.
    """

    def __init__(self, inputs: Inputs, touched: NDArray[np.float32], settings: Settings) -> None:
        super().__init__()
        action_count, hidden, trust = len(touched), settings.hidden, settings.trust
        self.inputs = inputs
        sizes = [inputs.size, *hidden]
        self.layers = nn.ModuleList(nn.Linear(before, units) for before, units in zip(sizes, hidden, strict=False))
        self.policy, self.value = nn.Linear(hidden[-1], action_count), nn.Linear(hidden[-1], 1)
        # Actions that touch the same piece or place learn from each other. The file has the sum as the weights of the policy.
        self.register_buffer("touched", torch.from_numpy(touched), persistent=False)
        self.shared = nn.Linear(hidden[-1], touched.shape[1], bias=False)
        self.adviser = nn.Linear(hidden[-1], 1) if trust else None
        with torch.no_grad():
            # A few hundred inputs are 1, and units begin within their range.
            self.layers[0].weight.normal_(0, 0.05)
            self.layers[0].weight[:, inputs.advice :] = 0
            for layer in self.layers:
                layer.bias.fill_(0.3)
            for head in (self.policy, self.shared):
                head.weight.mul_(0.1)
            self.policy.bias.zero_()
            if self.adviser is not None:
                self.adviser.weight.zero_()
                self.adviser.bias.fill_(trust)

    def forward(
        self, inputs: Tensor, masks: Tensor, advice: Tensor | None, columns: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """Returns the log probabilities of the actions, float32 [n, A], and the values, float32 [n].

        Args:
            inputs: [n, inputs], 0 or 1; of `columns` alone, where there are some.
            masks: the legal actions, bool [n, A].
            advice: the choices of the adviser, int64 [n]; None: none.
            columns: the inputs that may be 1; None: all.
        """
        first, *others = self.layers
        weight = first.weight if columns is None else first.weight.index_select(1, columns)
        x = self.clipped((inputs @ weight.to(inputs.dtype).T).float() + first.bias)
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


def touched(game: str) -> NDArray[np.float32]:
    """Returns what each action of a game is and touches, a column for each kind, piece, and place: float32 [A, columns], 0 or 1."""
    features = action_features(game)
    columns = [features.kind, features.piece, features.place]
    parts = [np.eye(column.max() + 2, dtype=np.float32)[column][:, :-1] for column in columns]
    return np.concatenate(parts, 1)


class Tables:
    """Environments of one game, with any numbers of seats, stepped as one.

    Args:
        envs: the environments, with `obs_format="packed"`, which reset by themselves.

    Attributes:
        game: the game.
        count: the number of all environments.
        max_seats: the most seats.
        on_batch: a function that gets each batch; None: nothing.
    """

    def __init__(self, envs: Sequence[VectorEnv]) -> None:
        self.envs = list(envs)
        self.game, self.layout, self.action_count = envs[0].game, envs[0].layout, envs[0].action_count
        self.count, self.max_seats = sum(env.num_envs for env in envs), max(env.seats for env in envs)
        self.on_batch: Callable[[Batch], None] | None = None
        self.batches: list[Batch] = [env.reset() for env in envs]

    def advice(self, bot: str) -> NDArray[np.int64]:
        """Returns the choices of a bot in all rows, int64 [n]."""
        return np.concatenate([env.advise(bot).choices for env in self.envs]).astype(np.int64)

    def rows(self, device: str) -> tuple[Tensor, Tensor, Tensor, NDArray[np.int64]]:
        """Returns the packed bits, the numbers, the masks, and the seats of all rows."""

        def moved(arrays: list[NDArray[Any]]) -> Tensor:
            return torch.from_numpy(np.concatenate(arrays)).to(device, non_blocking=True)

        bits = moved([batch.observation["bits"] for batch in self.batches])
        numbers = moved([batch.observation["numbers"] for batch in self.batches])
        packed = moved([batch.packed_masks for batch in self.batches])
        seats = np.concatenate([batch.seats for batch in self.batches]).astype(np.int64)
        return bits, numbers, unpacked(packed, self.action_count).bool(), seats

    def step(self, actions: NDArray[np.int64], win: float) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Takes actions. Returns the rewards of all seats, float32 [n, max_seats], and the ends, bool [n].

        Args:
            actions: the actions by id, int64 [n].
            win: the reward of the only winner beside those of the environments, times the number of the others, who lose it.
        """
        parts = np.split(actions, np.cumsum([env.num_envs for env in self.envs])[:-1])
        self.batches = [env.step(part) for env, part in zip(self.envs, parts, strict=True)]
        rewards, first = np.zeros((self.count, self.max_seats), np.float32), 0
        for env, batch in zip(self.envs, self.batches, strict=True):
            own = rewards[first : first + len(batch)]
            own[:, : env.seats] = batch.rewards
            if (final := batch.final_steps) is not None:
                own[final.env_ids, final.seats] += win * (env.seats * (final.ranks == 1) - 1)
            first += len(batch)
            if self.on_batch is not None:
                self.on_batch(batch)
        return rewards, np.concatenate([batch.ended for batch in self.batches])

    def save(self) -> list[bytes]:
        """Returns the progress of the environments."""
        return [env.save() for env in self.envs]

    def restore(self, saved: Sequence[bytes]) -> None:
        """Goes on where `save` was called."""
        self.batches = [env.restore(data) for env, data in zip(self.envs, saved, strict=True)]

    def close(self) -> None:
        """Closes the environments."""
        for env in self.envs:
            env.close()


class Learner:
    """A net that learns at tables. Where PyTorch has a GPU, the net is there.

    Args:
        tables: the tables.
        settings: the settings.
        adviser: the bot whose choice the net is told, with a trust above 0, and that `copy` copies.

    Attributes:
        net: the net.
        device: the device of PyTorch, "cpu" or "cuda".
        copied: the positions of the copy so far.
        decisions: the decisions of PPO so far.
    """

    def __init__(self, tables: Tables, settings: Settings, adviser: str) -> None:
        torch.manual_seed(settings.seed)
        torch.set_float32_matmul_precision("high")
        # Moments of the optimizer that fade towards zero would make its arithmetic several times as slow.
        torch.set_flush_denormal(True)
        self.tables, self.settings, self.adviser = tables, settings, adviser
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        dtype = torch.bfloat16 if self.device == "cuda" or _bfloat16_pays() else torch.float32
        inputs = Inputs(
            NetInputs(tables.layout, decode=settings.decode), tables.action_count if settings.trust else 0, dtype
        )
        self.net = Net(inputs, touched(tables.game), settings).to(self.device)
        self.beginning = copy.deepcopy(self.net)
        self.copied = self.decisions = 0
        self._optimizer = self._new_optimizer()
        self._generator = np.random.default_rng(settings.seed)
        self._updates = 0

    def _new_optimizer(self) -> torch.optim.Optimizer:
        return torch.optim.Adam(self.net.parameters(), lr=self.settings.learning_rate, eps=1e-5, fused=True)

    def copy(self, goes_on: Callable[[int], bool]) -> float:
        """Copies the adviser at positions that the net itself reaches, as the beginning of PPO. Returns the share of the last
        positions in which the net chose as the adviser.

        Args:
            goes_on: a function of the rows that were learned from, repetitions counted; False ends the copy.
        """
        settings, device = self.settings, self.device
        capacity = 1_000_000 if device == "cuda" else 200_000
        memory: list[Tensor] = []
        agreement, step, learned, size = 0.0, 0, 0, 0
        while goes_on(learned):
            bits, numbers, masks, _ = self.tables.rows(device)
            labels = torch.from_numpy(self.tables.advice(self.adviser)).to(device)
            with torch.no_grad():
                logprobs, _ = self.net(self.net.inputs(bits, numbers, None), masks, None)
            drawn = _drawn(logprobs).cpu().numpy()
            free = masks.sum(1) > 1
            new = [part[free] for part in (bits, numbers, masks, labels)]
            if not memory:
                memory = [torch.zeros((capacity, *part.shape[1:]), dtype=part.dtype, device=device) for part in new]
            at = torch.arange(size, size + len(new[0]), device=device) % capacity
            for kept, part in zip(memory, new, strict=True):
                kept[at] = part
            size += len(new[0])
            # At first the adviser plays, so that games have their length.
            follows = self._generator.random(len(drawn)) < 1 - step / 200
            self.tables.step(np.where(follows, labels.cpu().numpy(), drawn), 0)
            step += 1
            for _ in range(2):
                picked = torch.randint(min(size, capacity), (settings.minibatch_size,), device=device)
                b_bits, b_numbers, b_masks, b_labels = (kept[picked] for kept in memory)
                inputs, columns = self._used(self.net.inputs(b_bits, b_numbers, None))
                logprobs, _ = self.net(inputs, b_masks, None, columns)
                self._descend(nn.functional.nll_loss(logprobs, b_labels), is_clipped=False)
                agreement = float((logprobs.argmax(1) == b_labels).float().mean())
                learned += settings.minibatch_size
        self.copied += size
        with torch.no_grad():
            for weights in (self.net.policy.weight, self.net.policy.bias, self.net.shared.weight):
                weights.mul_(settings.copy_scale)
        self.beginning.load_state_dict(self.net.state_dict())
        self._optimizer = self._new_optimizer()
        return agreement

    def learn(self, progress: float) -> dict[str, float]:
        """Plays `num_steps` decisions in each environment, and learns from them.

        Args:
            progress: the share of the training that is over, 0 to 1, by which rates fall.

        Returns:
            "follows", the share of decisions with several legal actions in which the net did as its adviser; "differs", the share
            in which its best action is another one; "entropy", the mean entropy of its choices, in nats.
        """
        settings, tables, device, net = self.settings, self.tables, self.device, self.net
        self._optimizer.param_groups[0]["lr"] = settings.learning_rate * max(1 - progress, 0.02)
        shape = (settings.num_steps, tables.count)
        values, seats = np.zeros(shape, np.float32), np.zeros(shape, np.int64)
        dones, is_free = np.zeros(shape, np.bool_), np.zeros(shape, np.bool_)
        rewards = np.zeros((*shape, tables.max_seats), np.float32)
        rollout: list[tuple[Tensor, ...]] = []
        with torch.no_grad():
            for step in range(settings.num_steps):
                x, masks, advice, seats[step] = self._rows()
                used, columns = self._used(x)
                logprobs, value = net(used, masks, advice, columns)
                begun, _ = self.beginning(used, masks, advice, columns)
                action = _drawn(logprobs)
                chosen = logprobs.gather(1, action.unsqueeze(1)).squeeze(1)
                kept = x if device == "cuda" else x.to(torch.uint8)
                rollout.append((kept, masks, advice, begun, action, chosen, value, logprobs.argmax(1)))
                values[step], is_free[step] = value.cpu().numpy(), (masks.sum(1) > 1).cpu().numpy()
                rewards[step], dones[step] = tables.step(action.cpu().numpy(), settings.win)
            x, masks, advice, next_seats = self._rows()
            _, next_value = net(x, masks, advice)
        self.decisions += settings.num_steps * tables.count
        self._updates += 1
        advantages, has_advantage = seat_advantages(
            rewards=settings.reward_scale * rewards,
            dones=dones,
            values=values,
            seats=seats,
            is_free=is_free,
            next_values=next_value.cpu().numpy(),
            next_seats=next_seats,
            gae_lambda=settings.gae_lambda,
        )
        r_inputs, r_masks, r_advice, r_begun, r_actions, r_logprobs, r_values, r_best = map(
            torch.cat, zip(*rollout, strict=True)
        )
        r_advantages = torch.from_numpy(advantages.ravel()).to(device)
        r_returns = r_advantages + r_values
        rows = torch.from_numpy(np.flatnonzero(has_advantage)).to(device)
        mean, deviation = r_advantages[rows].mean(), r_advantages[rows].std() + 1e-8
        r_inputs, columns = self._used(r_inputs)
        entropy = torch.zeros(())
        for _ in range(settings.update_epochs):
            for picked in rows[torch.randperm(len(rows), device=device)].split(settings.minibatch_size):
                b_masks = r_masks[picked]
                logprobs, value = net(r_inputs[picked].to(net.inputs.dtype), b_masks, r_advice[picked], columns)
                probabilities = logprobs.exp()
                ratio = (logprobs.gather(1, r_actions[picked].unsqueeze(1)).squeeze(1) - r_logprobs[picked]).exp()
                mb_advantages = (r_advantages[picked] - mean) / deviation
                clipped = ratio.clamp(1 - settings.clip_coef, 1 + settings.clip_coef)
                entropy = -(probabilities * logprobs.masked_fill(~b_masks, 0)).sum(1).mean()
                loss = 0.5 * (value - r_returns[picked]).square().mean()
                # The critic learns alone at first.
                if self._updates > 5:
                    distance = (probabilities * (logprobs - r_begun[picked]).masked_fill(~b_masks, 0)).sum(1).mean()
                    loss = loss - torch.min(mb_advantages * ratio, mb_advantages * clipped).mean()
                    loss = loss - (1 - progress) * settings.ent_coef * entropy
                    loss = loss + settings.kl_coef * 0.1**progress * distance
                self._descend(loss, is_clipped=True)
        return {
            "follows": round(float((r_actions == r_advice)[rows].float().mean()), 3),
            "differs": round(float((r_best != r_advice)[rows].float().mean()), 3),
            "entropy": round(float(entropy.detach()), 3),
        }

    def write(self, path: Any, provenance: str) -> str:
        """Writes the net to a file, as `write_net` does. Returns its name."""
        adviser = self.adviser if self.settings.trust else None
        inputs = self.net.inputs.of
        return write_net(
            path, self.net.weights(), game=self.tables.game, inputs=inputs, adviser=adviser, provenance=provenance
        )

    def state(self) -> dict[str, Any]:
        """Returns what `load_state` needs to go on."""
        counts = {"copied": self.copied, "decisions": self.decisions, "updates": self._updates}
        nets = {"net": self.net.state_dict(), "beginning": self.beginning.state_dict()}
        return {**counts, **nets, "optimizer": self._optimizer.state_dict(), "tables": self.tables.save()}

    def load_state(self, state: dict[str, Any]) -> None:
        """Goes on where `state` was called."""
        self.copied, self.decisions, self._updates = (state[name] for name in ("copied", "decisions", "updates"))
        self.net.load_state_dict(state["net"])
        self.beginning.load_state_dict(state["beginning"])
        self._optimizer.load_state_dict(state["optimizer"])
        self.tables.restore(state["tables"])

    def _rows(self) -> tuple[Tensor, Tensor, Tensor, NDArray[np.int64]]:
        """Returns the inputs, the masks, the advice, and the seats of all rows."""
        bits, numbers, masks, seats = self.tables.rows(self.device)
        advice = torch.from_numpy(self.tables.advice(self.adviser)).to(self.device)
        return self.net.inputs(bits, numbers, advice), masks, advice, seats

    def _used(self, inputs: Tensor) -> tuple[Tensor, Tensor | None]:
        """Returns the inputs that are 1 in some row, and their places. A GPU is quicker with all of them."""
        if self.device == "cuda":
            return inputs, None
        columns = inputs.any(0).nonzero().squeeze(1)
        return inputs.index_select(1, columns), columns

    def _descend(self, loss: Tensor, *, is_clipped: bool) -> None:
        self._optimizer.zero_grad()
        loss.backward()
        if is_clipped:
            nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self._optimizer.step()


def set_threads(threads: int | None) -> None:
    """Sets the threads of PyTorch; None: one for each core."""
    torch.set_num_threads(threads or os.cpu_count() or 1)


def _drawn(logprobs: Tensor) -> Tensor:
    """Returns a draw by probability from each row: the best after Gumbel noise."""
    return (logprobs - torch.empty_like(logprobs).exponential_().log()).argmax(1)


def _bfloat16_pays() -> bool:
    """Returns True if this processor multiplies matrices of bfloat16 faster than those of float32."""

    def seconds(dtype: torch.dtype) -> float:
        a, b = torch.ones(1024, 1024, dtype=dtype), torch.ones(1024, 128, dtype=dtype)
        torch.mm(a, b)
        began = time.perf_counter()
        for _ in range(5):
            torch.mm(a, b)
        return time.perf_counter() - began

    return seconds(torch.bfloat16) < 0.8 * seconds(torch.float32)
