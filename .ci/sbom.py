"""Prints the crates of the program and of the extension module as a bill of materials (CycloneDX 1.5, JSON).

Reads `cargo metadata` from stdin, and Cargo.lock for the digests. The same files give the same bill.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    metadata = json.load(sys.stdin)
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    digests = {(crate["name"], crate["version"]): crate.get("checksum") for crate in locked}
    members = set(metadata["workspace_members"])
    used = {node["id"] for node in metadata["resolve"]["nodes"]}
    crates = sorted(
        (crate for crate in metadata["packages"] if crate["id"] in used),
        key=lambda crate: (crate["name"], crate["version"]),
    )
    [version] = {crate["version"] for crate in crates if crate["id"] in members and crate["name"] == "ahu"}
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "ahu", "version": version}},
        "components": [component(crate, digests) for crate in crates if crate["id"] not in members],
    }
    print(json.dumps(bill, indent=1))


def component(crate: dict[str, Any], digests: dict[tuple[str, str], str | None]) -> dict[str, Any]:
    name, version = crate["name"], crate["version"]
    digest, terms = digests.get((name, version)), crate.get("license")
    return {
        "type": "library",
        "name": name,
        "version": version,
        "purl": f"pkg:cargo/{name}@{version}",
        **({"hashes": [{"alg": "SHA-256", "content": digest}]} if digest else {}),
        **({"licenses": [{"expression": terms.replace("/", " OR ")}]} if terms else {}),
    }


main()
