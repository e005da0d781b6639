#!/usr/bin/env python3
"""Reads archive.pgn and feed.pgn in a folder with python-chess and compares the moves.

The test `a_thousand_games_are_read_by_others_with_the_moves_that_were_settled` writes them there
if PGN_OUT names the folder.
"""

import logging
import pathlib
import sys

import chess.pgn


class Errors(logging.Handler):
    """Collects what python-chess only logs."""

    texts = []

    def emit(self, record):
        self.texts.append(record.getMessage())


logging.getLogger("chess.pgn").addHandler(Errors())
folder = pathlib.Path(sys.argv[1])
expected = (folder / "moves.txt").read_text().split("\n")
for name in ["archive", "feed"]:
    games = 0
    with open(folder / f"{name}.pgn", encoding="utf-8") as file:
        while game := chess.pgn.read_game(file):
            if game.errors:
                sys.exit(f"{name}, game {games}: {game.errors}")
            board = game.board()
            moves = []
            for move in game.mainline_moves():
                moves.append(board.san(move).rstrip("+#"))
                board.push(move)
            if " ".join(moves) != expected[games]:
                sys.exit(f"{name}, game {games}: other moves")
            games += 1
    if games != len(expected):
        sys.exit(f"{name}: {games} games of {len(expected)}")
if Errors.texts:
    sys.exit("\n".join(Errors.texts))
print(f"{len(expected)} games in both dialects")
