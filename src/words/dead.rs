//! Explains why neither side can mate, so that an arbiter can check it on the board.

use serde_json::{Map, Value, json};
use shakmaty::{Bitboard, Color};

use super::{Words, squares};
use remisd_dead::{Confined, Ground, Grounds, Why};

impl Words {
    /// The explanation in one sentence, for an alert.
    #[must_use]
    pub fn grounds_in_short(&self, grounds: &Grounds) -> String {
        let Grounds { white, black } = grounds;
        if let (Why::Material { men, .. }, Why::Material { men: others, .. }) =
            (&white.why, &black.why)
        {
            let (white, black) = (self.men(men), self.men(others));
            return self.say(
                "dead-short-material",
                [("white", white.into()), ("black", black.into())],
            );
        }
        let sides = [white, black];
        if sides.iter().any(|ground| ground.is_by_mobility()) {
            let blocked = sides.iter().map(|ground| ground.blocked);
            let blocked = blocked.fold(Bitboard::EMPTY, |sum, squares| sum | squares);
            return self.say("dead-short-blocked", [("squares", squares(blocked).into())]);
        }
        let sketches = |ground: &Ground| match ground.why {
            Why::Sketches { sketches } => Some(sketches),
            _ => None,
        };
        // Name the side whose mate the sketches exclude if the other side's is excluded by
        // something else.
        let by = match (sketches(white), sketches(black)) {
            (Some(white), Some(black)) => Some(("both", white.max(black))),
            (Some(white), None) => Some(("white", white)),
            (None, Some(black)) => Some(("black", black)),
            (None, None) => None,
        };
        if let Some((by, sketches)) = by {
            let arguments = [("by", json!(by)), ("sketches", json!(sketches))];
            return self.say("dead-short-sketches", arguments);
        }
        let positions = sides.iter().filter_map(|ground| match ground.why {
            Why::Closure { positions, .. } => Some(positions),
            _ => None,
        });
        match positions.max() {
            Some(positions) => self.say("dead-short-visited", [("positions", json!(positions))]),
            None => self.say("dead-game-over", []),
        }
    }

    /// The full explanation, sentence by sentence, for the evidence sheet.
    #[must_use]
    pub fn grounds(&self, grounds: &Grounds) -> Vec<String> {
        let Grounds { white, black } = grounds;
        let mut lines = Vec::new();
        // Where the pieces can go does not depend on which side is to mate.
        if let Some(moving) = [white, black]
            .into_iter()
            .find(|ground| ground.is_by_mobility())
        {
            lines.extend(self.blocked(moving.blocked));
            lines.extend(moving.confined.iter().map(|man| self.confined(man)));
        }
        let roaming = |ground: &&&Ground| matches!(ground.why, Why::Sketches { .. });
        for ground in [white, black].iter().filter(roaming) {
            for line in ground.confined.iter().map(|man| self.confined(man)) {
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        if let (true, Why::Closure { .. }) = (white.why == black.why, &white.why) {
            lines.extend(self.why(None, &white.why));
        } else {
            lines.extend(self.why(Some(Color::White), &white.why));
            lines.extend(self.why(Some(Color::Black), &black.why));
        }
        lines
    }

    fn why(&self, winner: Option<Color>, why: &Why) -> Vec<String> {
        let by = winner.map_or("both", |color| color.fold_wb("white", "black"));
        let of_winner = [("by", json!(by)), ("player", json!(by))];
        let say = |id: &str, squares: Option<Bitboard>| {
            let squares = squares.map(|found| ("squares", super::squares(found).into()));
            self.say(id, of_winner.iter().cloned().chain(squares))
        };
        match why {
            Why::GameOver => vec![say("dead-game-over", None)],
            Why::Material { lack, men } => {
                let rest = [("lack", json!(lack)), ("men", self.men(men).into())];
                vec![self.say("dead-material", of_winner.into_iter().chain(rest))]
            }
            Why::Closure { positions, leaves } => {
                let leaves = Some(leaves).filter(|leaves| **leaves > 0);
                let leaves = leaves.map(u32::to_string);
                let rest = [("positions", json!(positions)), ("leaves", json!(leaves))];
                vec![self.say("dead-closure", of_winner.into_iter().chain(rest))]
            }
            Why::Sketches { sketches } => {
                let rest = [("sketches", json!(sketches))];
                vec![self.say("dead-sketches", of_winner.into_iter().chain(rest))]
            }
            Why::Mobility {
                no_check,
                flight,
                too_few,
            } => {
                let checks = [("dead-flight", flight), ("dead-too-few", too_few)];
                let checks = checks.into_iter().filter(|(_, squares)| squares.any());
                let mut lines: Vec<String> = checks
                    .map(|(id, squares)| say(id, Some(*squares)))
                    .collect();
                if lines.is_empty() {
                    lines.push(say("dead-no-check", None));
                } else if no_check.any() {
                    lines.push(say("dead-no-check-elsewhere", None));
                }
                lines
            }
        }
    }

    fn blocked(&self, pawns: Bitboard) -> Option<String> {
        let arguments = [
            ("count", json!(pawns.count())),
            ("squares", squares(pawns).into()),
        ];
        pawns.any().then(|| self.say("dead-blocked", arguments))
    }

    fn confined(&self, man: &Confined) -> String {
        let others = man.squares.without(man.home);
        let arguments = [
            ("by", json!(man.color.fold_wb("white", "black"))),
            ("man", self.man(man).into()),
            ("squares", squares(others).into()),
        ];
        self.say("dead-confined", arguments)
    }

    /// Pieces with their squares: `king d3, bishop f3`.
    fn men(&self, men: &[Confined]) -> String {
        let men: Vec<String> = men.iter().map(|man| self.man(man)).collect();
        men.join(", ")
    }

    fn man(&self, man: &Confined) -> String {
        format!("{} {}", self.piece_name(man.role), man.home)
    }

    fn say<'a>(&self, id: &str, arguments: impl IntoIterator<Item = (&'a str, Value)>) -> String {
        let arguments = arguments.into_iter();
        let arguments = arguments.map(|(name, value)| (name.to_owned(), value));
        self.text(id, &arguments.collect::<Map<String, Value>>())
    }
}
