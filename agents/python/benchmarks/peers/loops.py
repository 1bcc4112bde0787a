"""Random legal play in other libraries, each as its documentation shows it. The loops are generators that go on for ever,
and yield the number of decisions that they have just made. They read observations, unless they say otherwise."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Decisions = Iterator[int]

PGX_NUM_ENVS, PGX_STEPS = 1024, 16
"""The number of environments of Pgx that are stepped together, and the number of steps of one call."""


@dataclass(frozen=True)
class Peer:
    """A game of another library.

    Attributes:
        distribution: the library, by its name in the registry.
        plays: the game, and how it is played.
        loop: the loop that plays it.
    """

    distribution: str
    plays: str
    loop: Callable[[], Decisions]


def open_spiel(name: str) -> Decisions:
    """A loop in Python, with the tensor of the player who decides."""
    import pyspiel

    game = pyspiel.load_game(name)
    knows = game.get_type().provides_information_state_tensor
    choices = random.Random(1)
    while True:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(choices.choices(outcomes, weights)[0])
                continue
            seat = state.current_player()
            _ = state.information_state_tensor(seat) if knows else state.observation_tensor(seat)
            state.apply_action(choices.choice(state.legal_actions()))
            decisions += 1
        yield decisions


def open_spiel_in_cpp(name: str) -> Decisions:
    """Whole games within C++, without observations. The library does not count decisions, so each game counts as the mean of
    200 games."""
    import pyspiel

    counted = open_spiel(name)
    decisions = 0
    for _ in range(200):
        decisions += next(counted)
    game = pyspiel.load_game(name)
    bots = [pyspiel.make_uniform_random_bot(seat, seat) for seat in range(game.num_players())]
    seed = 0
    while True:
        for _ in range(200):
            pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)
            seed += 1
        yield decisions


def open_spiel_children(name: str) -> Decisions:
    """The children of positions in the middle of a game, by `clone` and `apply_action`, without observations."""
    nodes = open_spiel_middles(name)
    while True:
        for node in nodes:
            actions = node.legal_actions()
            for action in actions:
                child = node.clone()
                child.apply_action(action)
            yield len(actions)


def open_spiel_observations(name: str) -> Decisions:
    """The tensors and masks of positions in the middle of a game, one by one."""
    nodes = open_spiel_middles(name)
    while True:
        for node in nodes:
            seat = node.current_player()
            _ = node.observation_tensor(seat), node.legal_actions_mask(seat)
        yield len(nodes)


def open_spiel_middles(name: str) -> list[Any]:
    """Returns positions in which a player decides, after 40 random actions and chance outcomes or more."""
    import pyspiel

    game, choices, nodes = pyspiel.load_game(name), random.Random(1), list[Any]()
    while len(nodes) < 64:
        state = game.new_initial_state()
        plies = 0
        while not state.is_terminal() and (plies < 40 or state.is_chance_node()):
            state.apply_action(choices.choice(state.legal_actions()))
            plies += 1
        if not state.is_terminal():
            nodes.append(state)
    return nodes


def pettingzoo(name: str) -> Decisions:
    """AEC, with observation and mask."""
    import importlib

    env = importlib.import_module(f"pettingzoo.classic.{name}").env()
    choices = np.random.default_rng(1)
    seed = 0
    while True:
        env.reset(seed=seed)
        seed += 1
        decisions = 0
        for _ in env.agent_iter():
            observation, _reward, ended, cut_off, _info = env.last()
            if ended or cut_off:
                env.step(None)
                continue
            env.step(int(choices.choice(np.flatnonzero(observation["action_mask"]))))
            decisions += 1
        yield decisions


def rlcard(name: str) -> Decisions:
    """`reset` and `step`, with the observation and the legal actions."""
    import rlcard

    env = rlcard.make(name, config={"seed": 1})
    choices = random.Random(1)
    while True:
        state, _player = env.reset()
        decisions = 0
        while not env.is_over():
            state, _player = env.step(choices.choice(list(state["legal_actions"])))
            decisions += 1
        yield decisions


def envpool(name: str, num_envs: int) -> Decisions:
    """Batches through Gymnasium's interface, stepped by two threads; every action is legal."""
    import envpool

    env = envpool.make(name, env_type="gymnasium", num_envs=num_envs, num_threads=2, seed=1)
    choices = np.random.default_rng(1)
    env.reset()
    while True:
        env.step(choices.integers(env.action_space.n, size=num_envs))
        yield num_envs


def pgx(name: str) -> Decisions:
    """A compiled scan on the processor. The observations are computed, but never leave it."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental.wrappers import auto_reset

    jax.config.update("jax_platforms", "cpu")
    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def one(carry: Any, _: Any) -> tuple[Any, Any]:
        state, key = carry
        key, of_action, of_step = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        action = jax.random.categorical(of_action, logits, axis=-1)
        state = step(state, action, jax.random.split(of_step, PGX_NUM_ENVS))
        # Otherwise the compiler would leave the observation out.
        return (state, key), state.observation.sum()

    steps = jax.jit(lambda carry: jax.lax.scan(one, carry, None, length=PGX_STEPS))
    key = jax.random.PRNGKey(1)
    carry = jax.jit(jax.vmap(env.init))(jax.random.split(key, PGX_NUM_ENVS)), key
    while True:
        carry, _ = jax.block_until_ready(steps(carry))
        yield PGX_NUM_ENVS * PGX_STEPS


def dm_env_rpc() -> Decisions:
    """A server in Python and the library's own client, over TCP, with a call for each step; every action is legal."""
    import grpc
    from dm_env_rpc.v1 import connection, dm_env_adaptor

    server = subprocess.Popen([sys.executable, Path(__file__).with_name("catch.py")], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None, "it is a pipe"
    channel = grpc.insecure_channel(server.stdout.readline().strip(), [("grpc.enable_http_proxy", 0)])
    env, _ = dm_env_adaptor.create_and_join_world(connection.Connection(channel), {}, {})
    choices = random.Random(1)
    try:
        while True:
            decisions, timestep = 0, env.reset()
            while not timestep.last():
                timestep = env.step({"paddle": np.int8(choices.randrange(-1, 2))})
                decisions += 1
            yield decisions
    finally:
        server.terminate()
        server.wait()


PEERS = {
    "open_spiel/gin_rummy": Peer("open_spiel", "gin_rummy, Python loop, tensor", lambda: open_spiel("gin_rummy")),
    "open_spiel/leduc": Peer("open_spiel", "leduc_poker, Python loop, tensor", lambda: open_spiel("leduc_poker")),
    "open_spiel/hearts": Peer("open_spiel", "hearts, C++ loop, nothing seen", lambda: open_spiel_in_cpp("hearts")),
    "open_spiel/children": Peer(
        "open_spiel", "gin_rummy, children by `clone` and `apply_action`", lambda: open_spiel_children("gin_rummy")
    ),
    "open_spiel/observations": Peer(
        "open_spiel", "gin_rummy, tensor and mask of a state", lambda: open_spiel_observations("gin_rummy")
    ),
    "pettingzoo/holdem": Peer("pettingzoo", "texas_holdem_v4, AEC", lambda: pettingzoo("texas_holdem_v4")),
    "pettingzoo/connect_four": Peer("pettingzoo", "connect_four_v3, AEC", lambda: pettingzoo("connect_four_v3")),
    "rlcard/gin_rummy": Peer("rlcard", "gin-rummy", lambda: rlcard("gin-rummy")),
    "rlcard/uno": Peer("rlcard", "uno", lambda: rlcard("uno")),
    "envpool/catch": Peer("envpool", "Catch-v0, batches of 256", lambda: envpool("Catch-v0", 256)),
    "envpool/blackjack": Peer("envpool", "Blackjack-v1, batches of 256", lambda: envpool("Blackjack-v1", 256)),
    "pgx/leduc": Peer("pgx", "leduc_holdem on the CPU, 1,024 x 16 steps a call", lambda: pgx("leduc_holdem")),
    "pgx/tic_tac_toe": Peer("pgx", "tic_tac_toe on the CPU, 1,024 x 16 steps a call", lambda: pgx("tic_tac_toe")),
    "dm_env_rpc/catch": Peer("dm_env_rpc", "Catch (10 x 10 floats), server in Python, a call a step", dm_env_rpc),
}
"""The libraries with which we compare."""
