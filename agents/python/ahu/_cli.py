"""Commands of the program `ahu` whose output this process reads."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence

from ahu._errors import AhuError
from ahu._server import Log, end, other_version


def output(
    command: Sequence[str],
    failure: type[AhuError],
    *,
    on_start: Callable[[subprocess.Popen[bytes]], None] | None = None,
    on_line: Callable[[str], None] | None = None,
) -> str:
    """Runs the program, and returns its output.

    The program has a session of its own, so Ctrl-C reaches this process alone, which then ends the program. The program also ends
    when this process is killed, since its stdin closes.

    Args:
        command: the program `ahu`, and its arguments.
        failure: the exception for a command that fails.
        on_start: a function that gets the process.
        on_line: a function that gets each line of the program's errors. What it raises ends the program.

    Raises:
        AhuError: the command failed; the message is what the program wrote.
        Exception: what `on_line` raised.
    """
    program, *arguments = command
    process = subprocess.Popen(
        [program, "--exit-with-stdin", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    errors = Log(process, on_line)
    if on_start is not None:
        on_start(process)
    assert process.stdout is not None
    with process:
        try:
            text = process.stdout.read()
        except BaseException:
            end(process, errors)
            raise
        errors.join()
    if process.returncode != 0:
        # After a wrong argument, the program adds its usage, which would confuse callers of a function.
        message = errors.text().removeprefix("error: ").split("\n\nUsage: ")[0].split("\n\nFor more information, ")[0]
        raise failure(message.strip() + other_version(program))
    return text.decode()
