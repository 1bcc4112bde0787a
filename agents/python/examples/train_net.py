"""Trains one net for all seat counts of a game, and writes it as a file that plays without Python.

    python train_net.py --game rapanui_board --minutes 30
    python train_net.py --game rapanui_board --minutes 60 --resume
    python train_net.py --game rapanui_cards --seats 2 --total-timesteps 10_000_000
    python train_net.py --game rapanui_cards --league runs/league --rivals greedy@2,net@1
    ahu duel rapanui_board net=net:runs/net/rapanui_board.net greedy@2 --blocks 500

The net first copies a bot on the positions that the net itself reaches (`VectorEnv.advise`). From then on it is told the choice
of the bot, its adviser, and trusts it: so it begins about as strong as the bot. Then it learns by PPO (`ahu.training.ppo`) where to
deviate: it plays all seats of some environments, and one seat against the bot in others, and is kept near its beginning at first.
The learning rate falls with the decisions, so a slow machine that is stopped by `--minutes` can go on with `--resume`.

With `--league FOLDER`, it plays the others against a pool in place of the bot: the rivals, all nets of the game in the folder, and its
own past selves, which it adds. It meets most often those against which it wins least. At the end all play all others in blocks.

Each line of JSON, also in `curve.jsonl`, is an evaluation; `curve.svg` shows them:

    minutes: the minutes of training so far
    copied, agreement: the positions of the copy, and the share of them in which the net chose as the bot
    decisions: the decisions of PPO so far
    follows: the share of decisions with several legal actions in which the net did as its adviser, or the bot, chose
    differs: the share of them in which its most probable action is another one
    entropy: the mean entropy of the net's choices, in nats
    wins_2_seats: the share of wins in one seat against the bot in all others, at this number of seats, with the ends of its 95 %
        interval, over blocks: a net that chooses as the bot has exactly an even share
    net: the name of the net, by the digest of its file
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import ahu
from ahu.training import Curve, League, ProgressLine, VectorEnv

EVALUATION_SEED = 2**40
"""The seed of all evaluations: training with seeds from 0 on seldom gets this far."""

PRESETS: dict[str, dict[str, Any]] = {
    "cores": {
        "total_timesteps": 5_000_000,
        "clone": 0.1,
        "num_envs": 192,
        "hidden": "128,64",
        "decode": 16,
        "minibatch_size": 4096,
    },
    "gpu": {
        "total_timesteps": 100_000_000,
        "clone": 0.12,
        "num_envs": 1024,
        "hidden": "256,64",
        "decode": 128,
        "minibatch_size": 16384,
    },
}
"""The defaults for a machine of a few cores, and for one with a GPU."""

CARD_GAMES = ("rappanui", "rapanui_cards")
"""The games with few legal actions, in which an adviser leaves little to try."""

KEPT = ("game", "seats", "teacher", "trust", "versus", "num_envs", "hidden", "decode", "seed", "league")
"""The settings that a run keeps when it goes on."""


def number(text: str) -> int:
    """Returns a whole number of at least 1."""
    if (value := int(text)) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 1, got {text}")
    return value


def parse_args(arguments: list[str] | None = None) -> argparse.Namespace:
    """Returns the settings of the command line, with the defaults of the preset."""
    parser = argparse.ArgumentParser(
        description="Trains one net for all seat counts of a game.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("--game", default="rapanui_board", help="the game, by its name in the catalog")
    add("--seats", help="the numbers of seats, such as 2 or 2,3; by default all of the game")
    add("--preset", choices=PRESETS, help="defaults for a few cores, or for a GPU; by default what PyTorch finds")
    add("--teacher", default="greedy@2", help="the bot that the net copies, and plays against")
    add("--minutes", type=float, default=60, help="the time after which training ends, in minutes")
    add(
        "--trust",
        type=float,
        help="the trust in the advice at first; by default 5, and 0, no advice, in the card games",
    )
    add("--copy-scale", type=float, default=1.0, help="the weight of the copy's scores when PPO begins")
    add("--versus", type=float, default=0.5, help="the environments against others, for each one of self-play")
    add("--league", type=Path, help="a folder with the nets of a league, for a pool of opponents")
    add("--rivals", help="the bots of the league; by default the teacher")
    add("--num-steps", type=number, default=32, help="the decisions in each environment between two updates")
    add("--learning-rate", type=float, default=7e-4, help="the learning rate at the beginning; it falls to a fiftieth")
    add("--gae-lambda", type=float, default=0.95, help="the lambda of the generalized advantages")
    add("--clip-coef", type=float, default=0.2, help="the bound of the change of a probability in one update")
    add("--ent-coef", type=float, default=0.004, help="the weight of the entropy at the beginning; it falls to zero")
    add("--kl-coef", type=float, default=0.05, help="the weight of the distance to the copy; it falls to a tenth")
    add("--update-epochs", type=number, default=2, help="the number of epochs of an update")
    add("--reward-scale", type=float, default=0.05, help="the return of a point above the mean of the others")
    add("--win", type=float, default=8.0, help="the points that a win is worth beside its margin")
    add("--threads", type=number, help="the cores of the environments and of PyTorch; by default all")
    add("--seed", type=int, default=1, help="the seed of the net, its choices, and the games")
    add("--eval-minutes", type=float, default=5.0, help="the time between two evaluations, each with a checkpoint")
    add(
        "--eval-blocks",
        type=number,
        default=200,
        help="the blocks of an evaluation, at the fewest and at the most seats",
    )
    add("--out", type=Path, default=Path("runs/net"), help="the folder of the net, the checkpoint, and the curve")
    add("--resume", action="store_true", help="go on from the checkpoint in the folder of --out")
    add("--total-timesteps", type=number, help="the number of decisions to learn from; by default by the preset")
    add("--clone", type=float, help="the share of the passes over rows in which the net copies; by the preset")
    add("--num-envs", type=number, help="the environments of self-play for each number of seats; by the preset")
    add("--hidden", help="the units of the hidden layers, such as 128,64; by the preset")
    add("--decode", type=int, help="the most values of a binary number with an input for each value; by the preset")
    add("--minibatch-size", type=number, help="the decisions of a minibatch; by the preset")
    args = parser.parse_args(arguments)
    if args.league is None and args.rivals is not None:
        parser.error("expected --league beside --rivals")
    if args.league is not None and not args.versus:
        parser.error("expected --versus above 0 beside --league, got 0: the net would meet nobody")
    if args.preset is None:
        import torch

        args.preset = "gpu" if torch.cuda.is_available() else "cores"
    for name, value in PRESETS[args.preset].items():
        if getattr(args, name) is None:
            setattr(args, name, value)
    if args.trust is None:
        args.trust = 0.0 if args.game in CARD_GAMES else 5.0
    return args


# The help needs no PyTorch.
if __name__ == "__main__" and {"-h", "--help"} & {*sys.argv}:
    parse_args()

import torch  # noqa: E402

from ahu.training.ppo import Learner, Settings, Tables  # noqa: E402


def seat_counts(args: argparse.Namespace) -> list[int]:
    """Returns the numbers of seats, the fewest first."""
    if args.seats is not None:
        return sorted(map(int, args.seats.split(",")))
    game = ahu.game(args.game)
    return list(range(game.summary.min_seats, game.summary.max_seats + 1))


Players = list[str | None] | None
"""The players of environments; None: the net plays all seats."""


def environments(args: argparse.Namespace, counts: list[int]) -> list[tuple[VectorEnv, Players]]:
    """Returns the environments of all seat counts, of self-play and against the teacher, with their players."""
    made: list[tuple[VectorEnv, Players]] = []
    for n, seats in enumerate(counts):
        versus = [None, *[args.teacher] * (seats - 1)]
        both: list[tuple[int, Players]] = [(args.num_envs, None), (int(args.num_envs * args.versus), versus)]
        for place, (num_envs, players) in enumerate(both):
            if num_envs:
                seed = args.seed + 1_000_000 * n + 500_000 * place
                env = VectorEnv(
                    args.game,
                    num_envs,
                    seats=seats,
                    players=players,
                    rotation="episode",
                    rewards="margin_gain",
                    obs_format="packed",
                    threads=args.threads,
                    seed=seed,
                )
                made.append((env, players))
    return made


def main() -> None:
    """Trains, evaluates, and prints a line of JSON for each evaluation."""
    args = parse_args()
    if args.threads:
        torch.set_num_threads(args.threads)
    args.out.mkdir(parents=True, exist_ok=True)
    path, file = args.out / "checkpoint.pt", args.out / f"{args.game}.net"
    saved: dict[str, Any] | None = None
    if args.resume:
        if not path.exists():
            raise SystemExit(f"error: expected a checkpoint to go on from, found no {path}")
        saved = torch.load(path, weights_only=False)
        for name in KEPT:
            was, now = saved["args"].get(name), getattr(args, name)
            if was != now:
                raise SystemExit(f"error: expected --{name.replace('_', '-')} {was}, as in {path}, got {now}")
    counts = seat_counts(args)
    league = None
    if args.league is not None:
        rivals = (args.rivals or args.teacher).split(",")
        league = League(args.game, args.league, rivals)
    settings = Settings(
        hidden=tuple(map(int, args.hidden.split(","))),
        **{name: getattr(args, name) for name in Settings.__dataclass_fields__ if name != "hidden"},
    )
    made = environments(args, counts)
    tables = Tables([env for env, _ in made])
    learner = Learner(tables, settings, args.teacher)
    curve, progress_line = Curve(args.out, goes_on=args.resume), ProgressLine("decisions")
    start = time.monotonic() - (0 if saved is None else 60 * saved["minutes"])

    def minutes() -> float:
        return (time.monotonic() - start) / 60

    def evaluate(figures: dict[str, Any]) -> None:
        """Writes the net and a checkpoint, lets the net play blocks, and adds the figures to the curve."""
        progress_line.end()
        provenance = f"train_net.py, {learner.decisions:,} decisions on {learner.device}, seed {args.seed}"
        name = learner.write(file, provenance)
        content = {"learner": learner.state(), "minutes": minutes(), "args": vars(args)}
        if league is not None:
            content["league"] = league.state()
        torch.save(content, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)
        results: dict[str, Any] = {}
        for seats in sorted({counts[0], counts[-1]}):
            players = {"net": f"net:{file}", "bot": args.teacher}
            duel = ahu.duel(args.game, players, seats=seats, blocks=args.eval_blocks, seed=EVALUATION_SEED)
            wins = duel.players["net"].wins
            results[f"wins_{seats}_seats"] = [wins.mean, wins.low, wins.high]
        line = {"minutes": round(minutes(), 2), "decisions": learner.decisions, **figures, **results, "net": name}
        print(json.dumps(line), flush=True)
        curve.add(line)

    def enter(league: League) -> None:
        """Adds the net as it is now to the league, and meets the pool as it is now."""
        league.add(file, learner.decisions)
        league.meet(made)

    if saved is not None:
        if league is not None:
            # A save has the players of the environments.
            league.load_state(saved["league"])
            league.meet(made, is_new=False)
        learner.load_state(saved["learner"])
    else:
        passes = args.clone * args.total_timesteps * args.update_epochs
        agreement = learner.copy(lambda done: done < passes and minutes() < args.minutes / 4)
        evaluate({"copied": learner.copied, "agreement": round(agreement, 3)})
    if league is not None:
        tables.on_batch = league.count
        enter(league)
    figures: dict[str, float] = {}
    last_evaluation = minutes()
    while (progress := learner.decisions / args.total_timesteps) < 1 and minutes() < args.minutes:
        figures = learner.learn(progress)
        progress_line.tell(learner.decisions, max(progress, minutes() / args.minutes))
        if minutes() - last_evaluation >= args.eval_minutes:
            evaluate(figures)
            last_evaluation = minutes()
            if league is not None:
                enter(league)
    evaluate(figures)
    tables.close()
    # The net beside its curve, by its digest.
    name = ahu.training.read_net(file).name
    shutil.copy(file, args.out / f"{args.game}-{name.removeprefix('net:')}.net")
    if league is not None:
        league.add(file, learner.decisions)
        print(league.play(seats=counts[0], blocks=args.eval_blocks, seed=EVALUATION_SEED))


if __name__ == "__main__":
    try:
        main()
    except (ahu.AhuError, OSError, ValueError) as error:
        raise SystemExit(f"error: {error}") from None
