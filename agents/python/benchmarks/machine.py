"""The machine: its hardware, its software, and its load."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import version
from pathlib import Path

PACKAGES = ("ahu", "numpy", "grpcio", "protobuf", "gymnasium")
"""The packages that a decision passes through. The report has their versions."""

_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


def cores() -> int:
    """Returns the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def hardware() -> str:
    """Returns the cores, the model, and the memory, in words."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    models = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    name = f"{models.get('model name', platform.machine())} (model {models.get('model', 'unknown')})"
    return f"{cores()} cores of {name}, {memory:.0f} GiB, {platform.system()} {platform.release()}"


def versions() -> str:
    """Returns the versions of the software."""
    packages = (f"{package} {version(package)}" for package in PACKAGES)
    return ", ".join((f"Python {platform.python_version()}", *packages))


def busy_cores(seconds: float) -> float:
    """Returns the number of cores that other programs use. This process sleeps for the given time."""
    before = _busy_seconds()
    time.sleep(seconds)
    return (_busy_seconds() - before) / seconds


def _busy_seconds() -> float:
    """Returns the time for which all cores together were busy since the start of the machine, or taken away by the host of a
    virtual machine."""
    user, nice, system, _idle, _waiting, interrupts, soft, stolen, *_ = map(
        int, Path("/proc/stat").read_text().partition("\n")[0].split()[1:]
    )
    return (user + nice + system + interrupts + soft + stolen) / _TICKS_A_SECOND
