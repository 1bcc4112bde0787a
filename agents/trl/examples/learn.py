"""A small language model learns the card game: the form of an answer from games of a bot, then better play by TRL's GRPO.

    python agents/trl/examples/learn.py --seconds 3600 --json figures.json

Nothing is downloaded: the weights are random at first, and the tokenizer is made from texts of the game. One decision in ten is
asked, and greedy@2 takes the others and plays the other seat. The program prints the mean reward on seeds of no training, before
and after GRPO, with 95 % intervals, beside that of random legal actions. A win is 1, a loss -1, and so is an answer that is not a
legal action. `OUT/taught` and `OUT/learned` have the two models.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any

# Nothing here is asked of a hub.
os.environ |= {"HF_HUB_OFFLINE": "1", "TRL_EXPERIMENTAL_SILENCE": "1"}
import torch
from datasets import Dataset
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast, TrainerCallback, set_seed
from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer

sys.path.append(str(Path(__file__).resolve().parent.parent))
from ahu_trl import AhuEnvironment

STYLE = {"rules": "none", "plan": False, "attempts": 1}
TEACHING, TRAINING, HELD_OUT = 0, 1_000_000, 2_000_000
"""The first seeds of the games of the bot, of GRPO, and of the evaluation."""

MARKS = ["<pad>", "<end>", "<call>", "<user>", "<assistant>", "<tool>"]
PIECES = r"[^A-Za-z0-9\n]*[A-Za-z_&()]{2,}(?: [A-Za-z_&()]{2,})*|[^A-Za-z0-9\n]*[0-9]+|[^A-Za-z0-9\n]*[A-Za-z]|\n+|."
"""The texts that a token lies within: several words, a number, or the sign of a card, each with the marks before it."""

CHAT = (
    "{% for message in messages %}<{{ message.role }}>"
    "{% if message.role == 'assistant' %}{% generation %}{% for call in message.tool_calls or [] %}<call>"
    "{{ call.function.name }}"
    '{% for key, value in call.function.arguments.items() %} {{ key }}="{{ value }}"{% endfor %}'
    "{% endfor %}{{ message.content }}<end>{% endgeneration %}{% else %}{{ message.content }}<end>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
ANSWER = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<assistant>",
    "fields": {
        "tool_calls": {
            "open_pattern": r"<call>(?P<name>\w+)",
            "close_pattern": r"(?=<end>)",
            "repeats": True,
            "content": "xml-inline",
            "content_args": {"tag_pattern": r' (?P<key>\w+)="(?P<value>[^"]*)"'},
            "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
        },
        "content": {"close_pattern": "<end>", "content": "text"},
    },
}
"""How the text of an answer, such as `<call>play action="draw 2"<end>`, is read as a call of the tool `play`."""


def legal_actions(question: str) -> list[str]:
    """Returns the actions of the list in a question; none at the end."""
    found: list[str] = []
    for entry in question.partition("Legal actions: ")[2].partition("\n")[0].split("; "):
        numbered = re.fullmatch(r"(.*\D)(\d+)\.\.(\d+)", entry)
        numbers = range(int(numbered[2]), int(numbered[3]) + 1) if numbered else ()
        found += [f"{numbered[1]}{number}" for number in numbers] if numbered else [entry] * bool(entry)
    return found


def row(seed: int, every: int) -> dict[str, Any]:
    """Returns the row of a data set for the game of a seed: the columns are the arguments of `AhuEnvironment.reset`."""
    return {"prompt": [{"role": "user", "content": "Play."}], "seed": seed, "every": every, "style": STYLE}


def game_of_a_bot(seed: int, every: int) -> tuple[list[dict[str, Any]], float]:
    """Plays a game in which the asked actions are random ones. Returns its chat and its reward."""
    environment, draws = AhuEnvironment(), random.Random(seed)
    question = environment.reset(**row(seed, every))
    chat: list[dict[str, Any]] = [{"role": "user", "content": f"Play.{question}"}]
    while legal := legal_actions(question):
        action = draws.choice(legal)
        question = environment.play(action)
        call = {"type": "function", "function": {"name": "play", "arguments": {"action": action}}}
        chat.append({"role": "assistant", "content": "", "tool_calls": [call]})
        chat.append({"role": "tool", "name": "play", "content": question})
    return [*chat, {"role": "assistant", "content": ""}], environment.get_reward()


def tokenizer_of(chats: Sequence[list[dict[str, Any]]]) -> PreTrainedTokenizerFast:
    """Makes a tokenizer from the texts of games. Each line of the rules, which are the same in all games, is one token."""
    rules = chats[0][0]["content"].partition("Since your last decision:")[0].partition("The table now:")[0]
    questions = [message["content"] for chat in chats for message in chat[1:]]
    alphabet = sorted(set("".join([rules, *questions])))
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex(PIECES), "isolated")
    tokenizer.decoder = decoders.Fuse()
    trainer = trainers.BpeTrainer(vocab_size=1536, special_tokens=MARKS, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(questions, trainer)
    made = PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<end>")
    made.add_tokens([line for line in rules.splitlines() if len(line) > 20])
    made.chat_template, made.response_template = CHAT, ANSWER
    return made


class Until(TrainerCallback):
    """Stops a training after some seconds."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self.end = time.monotonic() + self.seconds

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        control.should_training_stop |= time.monotonic() > self.end


class Recorded(AhuEnvironment):
    """The environment, which notes the rewards by seed."""

    rewards: defaultdict[int, list[float]] = defaultdict(list)

    def reset(self, **row: Any) -> str:
        self._seed = row["seed"]
        return super().reset(**row)

    def get_reward(self) -> float:
        reward = super().get_reward()
        self.rewards[self._seed].append(reward)
        return reward


def estimate(values: Iterable[float]) -> dict[str, float]:
    """Returns the mean of independent values, and half the width of its 95 % interval."""
    known = list(values)
    half = 1.96 * statistics.stdev(known) / len(known) ** 0.5
    return {"mean": round(statistics.fmean(known), 4), "interval": round(half, 4)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    option = parser.add_argument
    option("--games", type=int, default=1500, help="games of a bot (default: %(default)s)")
    option("--epochs", type=float, default=1, help="passes over these games (default: %(default)s)")
    option("--steps", type=int, default=200, help="the most steps of GRPO (default: %(default)s)")
    option("--seconds", type=float, default=3600, help="the most seconds of GRPO (default: %(default)s)")
    option("--prompts", type=int, default=4, help="seeds of a step, each with 8 games (default: %(default)s)")
    option("--rate", type=float, default=3e-4, help="the learning rate of GRPO (default: %(default)s)")
    option("--seeds", type=int, default=400, help="seeds of the evaluation, each with 2 games (default: %(default)s)")
    option("--every", type=int, default=10, help="one decision in so many is asked (default: %(default)s)")
    option("--width", type=int, default=192, help="the width of the model, a multiple of 32 (default: %(default)s)")
    option("--layers", type=int, default=4, help="the layers of the model (default: %(default)s)")
    option("--device", choices=("cpu", "cuda"), default="cuda" if torch.cuda.is_available() else "cpu")
    option("--out", type=Path, default=Path("learn"), help="the folder of the models (default: %(default)s)")
    option("--json", type=Path, help="a file for the figures")
    args = parser.parse_args()
    set_seed(1)
    began = time.monotonic()
    with ProcessPoolExecutor(mp_context=get_context("fork")) as pool:

        def played(first: int, count: int) -> list[tuple[list[dict[str, Any]], float]]:
            return list(pool.map(game_of_a_bot, range(first, first + count), repeat(args.every), chunksize=25))

        chats = [chat for chat, _ in played(TEACHING, args.games)]
        of_random = [reward for _, reward in played(HELD_OUT, args.seeds)]
    tokenizer = tokenizer_of(chats[:400])
    shape = {"hidden_size": args.width, "intermediate_size": 3 * args.width, "num_attention_heads": args.width // 32}
    marks = {"pad_token_id": tokenizer.pad_token_id, "eos_token_id": tokenizer.eos_token_id, "bos_token_id": None}
    sizes = {"vocab_size": len(tokenizer), "num_hidden_layers": args.layers, "max_position_embeddings": 4096}
    model = LlamaForCausalLM(LlamaConfig(**shape, **marks, **sizes, tie_word_embeddings=True))
    common: dict[str, Any] = {"output_dir": str(args.out), "use_cpu": args.device == "cpu", "disable_tqdm": True, "bf16": False}
    common |= {"gradient_checkpointing": False, "report_to": "none", "save_strategy": "no"}
    # The form of an answer, and which actions are legal.
    supervised = SFTConfig(
        **common,
        num_train_epochs=args.epochs,
        per_device_train_batch_size=4,
        learning_rate=2e-3,
        warmup_steps=40,
        train_sampling_strategy="group_by_length",
        max_length=4096,
        assistant_only_loss=True,
    )
    games = Dataset.from_list([{"messages": chat} for chat in chats])
    SFTTrainer(model, args=supervised, train_dataset=games, processing_class=tokenizer).train()
    model.save_pretrained(args.out / "taught")
    taught = time.monotonic() - began
    # Better actions, by the rewards of whole games.
    trainer = GRPOTrainer(
        model,
        args=GRPOConfig(
            **common,
            max_steps=args.steps,
            per_device_train_batch_size=8 * args.prompts,
            per_device_eval_batch_size=64,
            num_generations=8,
            num_generations_eval=2,
            learning_rate=args.rate,
            lr_scheduler_type="constant",
            max_completion_length=3072,
            max_tool_calling_iterations=16,
        ),
        train_dataset=Dataset.from_list([row(TRAINING + n, args.every) for n in range(args.steps * args.prompts)]),
        eval_dataset=Dataset.from_list([row(HELD_OUT + n, args.every) for n in range(args.seeds)]),
        environment_factory=Recorded,
        processing_class=tokenizer,
        callbacks=[Until(args.seconds)],
    )

    def evaluated() -> dict[int, float]:
        Recorded.rewards.clear()
        trainer.evaluate()
        return {seed: statistics.fmean(rewards) for seed, rewards in Recorded.rewards.items()}

    before = evaluated()
    print("before GRPO", estimate(before.values()), flush=True)
    trainer.train()
    after = evaluated()
    model.save_pretrained(args.out / "learned")
    tokenizer.save_pretrained(args.out / "learned")
    seconds = {"until taught": round(taught), "all": round(time.monotonic() - began)}
    figures = {
        "parameters": model.num_parameters(),
        "device": str(trainer.accelerator.device),
        "games": args.games,
        "steps": trainer.state.global_step,
        "games of a step": 8 * args.prompts,
        "seconds": seconds,
        "seeds": len(before),
        "random": estimate(of_random),
        "before": estimate(before.values()),
        "after": estimate(after.values()),
        "gain": estimate(after[seed] - before[seed] for seed in before),
    }
    print(json.dumps(figures, indent=1))
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
