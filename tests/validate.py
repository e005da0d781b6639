"""Validates payloads against the published schemas with an independent validator.

Standard input: {"<schema>": [payload, ...]}. Prints up to 20 errors. Exits with 1 if there are
errors or no payloads.
"""

import json
import pathlib
import sys

import jsonschema

FOLDER = pathlib.Path(__file__).parent.parent / "protocol" / "schema"

count = 0
faults = []
for name, payloads in json.load(sys.stdin).items():
    schema = json.loads((FOLDER / f"{name}.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    for payload in payloads:
        count += 1
        for error in validator.iter_errors(payload):
            faults.append(f"{name}: {error.message} at {list(error.absolute_path)}")
print("\n".join(faults[:20]))
print(f"{count} payloads, {len(faults)} faults")
sys.exit(1 if faults or not count else 0)
