"""A language model plays: any endpoint of the form of OpenAI's chat completions, such as vLLM, llama.cpp, or Ollama.

    python language_agent.py --model http://127.0.0.1:8000/v1
    python language_agent.py --model http://127.0.0.1:8000/v1 --game giants --opponents greedy random
    ahu duel rappanui llm="python language_agent.py --model http://127.0.0.1:8000/v1" bot=greedy

Without a host that starts it, it plays a match here and prints the result and the tokens. The variable OPENAI_API_KEY has the
key, if the endpoint needs one. Each try is a line of the transcript.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import time
import urllib.error
import urllib.request
from typing import Any

import ahu
from ahu.language import Completion, LanguageAgent, Message, Prices, Style

MAX_BODY = 4_000_000
"""The number of bytes of an answer that are read. A longer one is an error."""

TRIES = 6
"""The number of tries of a call whose endpoint is busy or away."""


class Endpoint:
    """A model behind an address.

    Args:
        address: the address of the API, such as http://127.0.0.1:8000/v1.
        model: the name of the model.
        max_tokens: the largest number of tokens in an answer.
        timeout: the time in seconds that an answer may take.
    """

    def __init__(self, address: str, model: str, max_tokens: int, timeout: float) -> None:
        self.model = model
        self.max_tokens = max_tokens
        self.timeout = timeout
        self.url = address.rstrip("/") + "/chat/completions"
        if not self.url.startswith(("http://", "https://")):
            raise SystemExit(f"expected an address with http:// or https://, got {address}")

    def __call__(self, messages: list[Message]) -> Completion:
        """Returns the answer of the model."""
        asked = {"model": self.model, "messages": messages, "max_tokens": self.max_tokens}
        answer = self._post(json.dumps(asked).encode())
        choice, usage = answer["choices"][0], answer.get("usage") or {}
        return Completion(
            text=choice["message"].get("content") or "",
            tokens_in=usage.get("prompt_tokens", 0),
            tokens_out=usage.get("completion_tokens", 0),
            finish=choice.get("finish_reason") or "stop",
        )

    def _post(self, body: bytes) -> Any:
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get("OPENAI_API_KEY"):
            headers["Authorization"] = f"Bearer {key}"
        for left in reversed(range(TRIES)):
            try:
                request = urllib.request.Request(self.url, body, headers)
                with urllib.request.urlopen(request, timeout=self.timeout) as response:
                    content = response.read(MAX_BODY + 1)
                if len(content) > MAX_BODY:
                    raise SystemExit(f"expected an answer of at most {MAX_BODY} bytes, got more from {self.url}")
                return json.loads(content)
            except urllib.error.HTTPError as error:
                if left == 0 or (error.code != 429 and error.code < 500):
                    raise SystemExit(f"{self.url}: {error}: {error.read(500).decode(errors='replace')}") from None
            except (OSError, http.client.HTTPException) as error:
                if left == 0:
                    raise SystemExit(f"{self.url}: {error}") from None
            time.sleep(2.0 ** (TRIES - left) / 8)
        raise AssertionError("the last try returns or raises")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--model", required=True, metavar="URL", help="the address of the API, such as http://127.0.0.1:8000/v1"
    )
    parser.add_argument("--name", default="default", help="the name of the model at the endpoint")
    parser.add_argument("--game", default="rappanui", help="the game of a match here")
    parser.add_argument("--opponents", nargs="+", default=["greedy"], help="the opponents of a match here")
    parser.add_argument(
        "--rules", choices=["full", "short", "none"], default="full", help="the rules that the model is told"
    )
    parser.add_argument("--max-tokens", type=int, default=4096, help="the largest number of tokens in an answer")
    parser.add_argument("--timeout", type=float, default=600.0, help="the time in seconds that an answer may take")
    parser.add_argument("--transcript", help="a file for a line of JSON for each try")
    parser.add_argument("--prices", type=float, nargs=2, metavar=("IN", "OUT"), help="the prices of a million tokens")
    given = parser.parse_args()
    prices = None
    if given.prices is not None:
        prices = Prices(input_per_million=given.prices[0], output_per_million=given.prices[1])
    agent = LanguageAgent(
        Endpoint(given.model, given.name, given.max_tokens, given.timeout),
        name=given.name,
        style=Style(rules=given.rules),
        transcript=given.transcript,
        prices=prices,
    )
    if "AHU_ADDRESS" in os.environ:
        print(ahu.connect(agent))
    else:
        result = ahu.play(given.game, [agent, *given.opponents])
        print(f"scores {list(result.scores)}, ranks {list(result.ranks)}, forfeits {list(result.forfeits)}")
    usage = agent.usage()
    print(f"{usage.calls} calls, {usage.tokens_in} tokens in messages, {usage.tokens_out} in answers")
    print(
        f"{usage.accepted} accepted, {usage.illegal} illegal, {usage.unreadable} unreadable, {usage.truncated} truncated"
    )
    if agent.prices is not None:
        print(f"{agent.prices.cost(usage.tokens_in, usage.tokens_out):.4f} {agent.prices.currency}")


if __name__ == "__main__":
    main()
