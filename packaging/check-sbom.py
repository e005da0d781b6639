"""Fails unless a CycloneDX file is valid and names the crates that `cargo tree` lists on stdin."""

import json
import pathlib
import sys
import tomllib

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

text = pathlib.Path(sys.argv[1]).read_text()
fault = JsonStrictValidator(SchemaVersion.V1_5).validate_str(text)
assert fault is None, f"{sys.argv[1]}: {fault}"
bom = json.loads(text)
parts = [bom["metadata"]["component"], *bom["components"]]
named = {(part["name"], part["version"]) for part in parts if part["purl"].startswith("pkg:cargo/")}
# As `serde v1.0.0 (proc-macro)`.
built = {tuple(line.split()[:2]) for line in sys.stdin if line.strip()}
built = {(name, version.removeprefix("v")) for name, version in built}
assert len(built) > 100, "cargo lists no crates"
assert named >= built, f"not named: {sorted(built - named)}"
# It also names a few crates of the lock file that only features without use would bring.
locked = tomllib.loads(pathlib.Path("Cargo.lock").read_text())["package"]
locked = {(package["name"], package["version"]) for package in locked}
assert named <= locked, f"named, but in no lock file: {sorted(named - locked)}"
pages = {part["name"] for part in parts if part["purl"].startswith("pkg:npm/")}
assert "chessground" in pages, "the pages' packages are not named"
extra = len(named - built)
print(f"{len(named)} crates, {extra} of them not built; {len(pages)} packages of the pages")
