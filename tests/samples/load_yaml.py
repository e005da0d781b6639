"""Reads a YAML file and prints it as JSON: `load_yaml.py FILE`.

`load_yaml.py FILE PAYLOAD…` treats it as a blueprint of Home Assistant instead. It prints for each
payload the variables and the rendered actions, as a list.
"""

import json
import sys

import yaml
from jinja2.nativetypes import NativeEnvironment


class Input(str):
    """The name of an input of a blueprint."""


yaml.SafeLoader.add_constructor("!input", lambda loader, node: Input(node.value))


def filled(value, inputs):
    """The value with the defaults of the inputs in their places."""
    if isinstance(value, Input):
        return inputs[value]["default"]
    if isinstance(value, dict):
        return {key: filled(one, inputs) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, inputs) for one in value]
    return value


def rendered(value, known):
    """The value with its templates evaluated, as native types like in Home Assistant."""
    if isinstance(value, str):
        return NativeEnvironment().from_string(value).render(known)
    if isinstance(value, dict):
        return {key: rendered(one, known) for key, one in value.items()}
    if isinstance(value, list):
        return [rendered(one, known) for one in value]
    return value


def run(blueprint, payload):
    known = {"trigger": {"payload_json": payload}}
    for name, template in blueprint["variables"].items():
        known[name] = rendered(template, known)
    (choice,) = blueprint["actions"]
    branch = "then" if rendered(choice["if"], known) else "else"
    del known["trigger"]
    return {"variables": known, "actions": rendered(choice[branch], known)}


with open(sys.argv[1], encoding="utf-8") as file:
    document = yaml.safe_load(file)
if len(sys.argv) > 2:
    document = filled(document, document["blueprint"]["input"])
    document = [run(document, json.loads(payload)) for payload in sys.argv[2:]]
print(json.dumps(document))
