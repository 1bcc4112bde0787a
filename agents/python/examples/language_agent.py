"""A language model plays: any endpoint of the form of OpenAI's chat completions, such as vLLM, llama.cpp, or Ollama.

    python language_agent.py --model http://127.0.0.1:8000/v1
    python language_agent.py --model http://127.0.0.1:8000/v1 --game giants --opponents greedy random
    ahu duel rappanui llm="python language_agent.py --model http://127.0.0.1:8000/v1" bot=greedy

Without a host that starts it, it plays a match here and prints the result and the tokens. The variable OPENAI_API_KEY has the
key, if the endpoint needs one. Each try is a line of the transcript. Once the budget is spent, it exits with code 3.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request
from typing import Any

import ahu
from ahu.language import Completion, LanguageAgent, Message, Prices, Style

MAX_BODY = 4_000_000
"""The number of bytes of an answer that are read. A longer one is an error."""

TRIES = 6
"""The number of tries of a call whose endpoint is busy or away, or answers with no completion."""

LONGEST_WAIT = 60.0
"""The longest time in seconds that an endpoint may ask for before the next try."""


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
        body, waited = json.dumps(asked).encode(), 1 / 8
        for left in reversed(range(TRIES)):
            try:
                return completion(self._post(body))
            except Passing as passing:
                if left == 0:
                    raise SystemExit(f"{self.url}: {told(passing)}") from None
                waited *= 2
                time.sleep(waited if passing.wait is None else passing.wait)
        raise AssertionError("the last try returns or raises")

    def _post(self, body: bytes) -> Any:
        """Returns the JSON that the endpoint answers."""
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get("OPENAI_API_KEY"):
            headers["Authorization"] = f"Bearer {key}"
        try:
            request = urllib.request.Request(self.url, body, headers)
            with urllib.request.urlopen(request, timeout=self.timeout) as response:
                content = response.read(MAX_BODY + 1)
        except urllib.error.HTTPError as error:
            with error:
                message = f"{error}: {error.read(500).decode(errors='replace')}"
            if error.code == 429 or error.code >= 500:
                raise Passing(message, seconds(error.headers.get("Retry-After"))) from None
            raise SystemExit(f"{self.url}: {told(message)}") from None
        except (OSError, http.client.HTTPException) as error:
            raise Passing(str(error) or type(error).__name__) from None
        if len(content) > MAX_BODY:
            raise SystemExit(f"expected an answer of at most {MAX_BODY} bytes, got more from {self.url}")
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise Passing(f"expected JSON, got {content[:200].decode(errors='replace')}") from None


class Passing(Exception):
    """A fault after which the call is tried again: after `wait` seconds, if the endpoint has said how long."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


def completion(answer: Any) -> Completion:
    """Reads the answer of an endpoint."""
    try:
        choice = answer["choices"][0]
        content = choice["message"].get("content") or ""
        if isinstance(content, list):
            content = "".join(part.get("text") or "" for part in content)
        usage = answer.get("usage") or {}
        return Completion(
            text=str(content),
            tokens_in=int(usage.get("prompt_tokens") or 0),
            tokens_out=int(usage.get("completion_tokens") or 0),
            tokens_cached=int((usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0),
            tokens_reasoning=int((usage.get("completion_tokens_details") or {}).get("reasoning_tokens") or 0),
            id=str(answer.get("id") or "") or None,
            model=str(answer.get("model") or "") or None,
            finish=str(choice.get("finish_reason") or "stop"),
        )
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        # An endpoint may answer an error with the status 200.
        raise Passing(f"expected a completion, got {json.dumps(answer)}") from None


def seconds(header: str | None) -> float | None:
    """Returns the time that a header Retry-After names, at most `LONGEST_WAIT`; None for none and for a date."""
    return min(float(header), LONGEST_WAIT) if header and header.strip().isdecimal() else None


def told(text: object) -> str:
    """Returns a text of the endpoint in one line of at most 300 visible characters."""
    words = " ".join(str(text).split())
    return "".join(sign if sign.isprintable() else "?" for sign in words)[:300]


def play(agent: LanguageAgent, given: argparse.Namespace) -> None:
    """Plays the seats of a host, or a match here."""
    if "AHU_ADDRESS" in os.environ:
        print(ahu.connect(agent))
    else:
        result = ahu.play(given.game, [agent, *given.opponents])
        print(f"scores {list(result.scores)}, ranks {list(result.ranks)}, forfeits {list(result.forfeits)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--model", required=True, metavar="URL", help="the address of the API, such as http://127.0.0.1:8000/v1"
    )
    parser.add_argument("--name", default="default", help="the name of the model at the endpoint")
    parser.add_argument("--game", default="rappanui", help="the game of a match here")
    parser.add_argument("--opponents", nargs="+", default=["greedy"], help="the opponents of a match here")
    parser.add_argument("--style", default="{}", help='fields of Style in JSON, such as \'{"rules": "short"}\'')
    parser.add_argument("--max-tokens", type=int, default=4096, help="the largest number of tokens in an answer")
    parser.add_argument("--timeout", type=float, default=600.0, help="the time in seconds that an answer may take")
    parser.add_argument("--transcript", help="a file for a line of JSON for each try")
    parser.add_argument("--prices", metavar="FILE", help="the file of prices, which has the model by its name")
    parser.add_argument("--budget", type=float, help="the money that the calls in the ledger may cost")
    parser.add_argument(
        "--ledger",
        metavar="FILE",
        default=os.environ.get("AHU_LEDGER"),
        help="a file for the lines of JSON of each call; AHU_LEDGER, which a cup sets, is the default",
    )
    given = parser.parse_args()
    try:
        agent = LanguageAgent(
            Endpoint(given.model, given.name, given.max_tokens, given.timeout),
            name=given.name,
            style=Style(**json.loads(given.style)),
            transcript=given.transcript,
            prices=None if given.prices is None else Prices.read(given.prices, given.name),
            budget=given.budget,
            ledger=given.ledger,
        )
    except (LookupError, OSError, TypeError, ValueError) as error:
        parser.error(str(error))
    status = 0
    try:
        play(agent, given)
    except ahu.BudgetSpent as error:
        print(error, file=sys.stderr)
        status = 3
    usage = agent.usage()
    print(f"{usage.calls} calls, {usage.tokens_in} tokens in messages, {usage.tokens_out} in answers")
    print(
        f"{usage.accepted} accepted, {usage.illegal} illegal, {usage.unreadable} unreadable, {usage.truncated} truncated"
    )
    if agent.prices is not None:
        print(f"{agent.spent:.4f} {agent.prices.currency}")
    sys.exit(status)


if __name__ == "__main__":
    main()
