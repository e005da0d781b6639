#!/usr/bin/env python3
"""Judges the games of tests/data/claims with python-chess.

python-chess knows the newest Laws alone. Each row of the table whose edition differs from what it
finds must say why, and no other row may. What it finds after each move, up to the end of the game,
is the output of the Chess Claim Tool, which asks it in the same way.
"""

import json
import pathlib
import sys

import chess.pgn


def plies(text):
    """The plies of a column: "7 15-16"."""
    found = set()
    for word in str(text).split():
        first, _, last = word.partition("-")
        found.update(range(int(first), int(last or first) + 1))
    return found


def judge(game):
    """The claims and the end that python-chess finds."""
    board = game.board()
    found = {"threefold": set(), "fifty": set(), "appeared": {"threefold": set(), "fifty": set()}}
    moves = list(game.mainline_moves())
    for ply in range(len(moves) + 1):
        end = (
            "checkmate"
            if board.is_checkmate()
            else "fivefold"
            if board.is_fivefold_repetition()
            else "seventy_five_move"
            if board.is_seventyfive_moves()
            else None
        )
        if end:
            return found, (end, ply), len(moves)
        if board.can_claim_threefold_repetition():
            found["threefold"].add(ply)
        if board.can_claim_fifty_moves():
            found["fifty"].add(ply)
        if board.is_repetition(3):
            found["appeared"]["threefold"].add(ply)
        if board.is_fifty_moves():
            found["appeared"]["fifty"].add(ply)
        if ply < len(moves):
            board.push(moves[ply])
    return found, None, len(moves)


def check(folder, line):
    """Compares a line of the table with python-chess; returns the number of rows."""
    name = line["file"]
    with open(folder / name, encoding="utf-8") as file:
        game = chess.pgn.read_game(file)
    found, end, count = judge(game)
    if count != line["plies"]:
        sys.exit(f"{name}: {count} plies")
    tool = line["claim_tool"]
    for kind, at in found["appeared"].items():
        if plies(tool.get(kind, "")) != at - {0}:
            sys.exit(f"{name}: the tool finds {kind} at {sorted(at)}")
    for kind in ["fivefold", "seventy_five_move"]:
        at = end[1] if end and end[0] == kind else None
        if tool.get(kind) != at:
            sys.exit(f"{name}: the tool finds {kind} at {at}")
    for row in line["editions"]:
        ours = (row["end"], row["end_ply"]) if "end" in row else None
        until = end[1] if end and ours != end else count + 1
        same = ours == end
        for kind in ["threefold", "fifty"]:
            columns = [plies(row.get(f"{kind}_{basis}", "")) for basis in ["appeared", "intended"]]
            united = {ply for ply in columns[0] | columns[1] if ply < until}
            if united != found[kind]:
                sys.exit(f"{name}, {row['of']}: {kind} at {sorted(found[kind])}")
            appeared = {ply for ply in columns[0] if ply < until}
            if appeared != found["appeared"][kind]:
                sys.exit(f"{name}, {row['of']}: {kind} appeared otherwise")
        if same == ("differs" in row):
            sys.exit(f"{name}, {row['of']}: {ours} and {end}, explained: {not same}")
    return len(line["editions"])


folder = pathlib.Path(__file__).parent.parent / "data" / "claims"
table = (folder / "expected.jsonl").read_text(encoding="utf-8").splitlines()
rows = sum(check(folder, json.loads(line)) for line in table)
print(f"{len(table)} games, {rows} rows of editions")
