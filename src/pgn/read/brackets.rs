//! Reads what stands in brackets: tags, commands outside comments, variations, and promotions
//! written as `e8(Q)`.

use super::{MAX_TAGS, PartialGame, unreadable};
use crate::tags::{self, Tag};

impl PartialGame {
    /// A variation, or a promotion in brackets after its move.
    pub(super) fn variation<'a>(&mut self, rest: &'a str, number: u64) -> &'a str {
        let short = rest.find(')').map(|end| &rest[..=end]);
        if self.depth == 0
            && self.game.unreadable.is_none()
            && let (Some(word), Some(last)) = (short, self.game.moves.last_mut())
            && let Some(promoted) = last.word.promoted_to(word)
        {
            last.word = promoted;
            last.text.push_str(word);
            return &rest[word.len()..];
        }
        if self.depth == 0 {
            self.variation_line = number;
        }
        self.depth = self.depth.saturating_add(1);
        &rest[1..]
    }

    /// A tag, a command outside a comment, or a diagram marker.
    pub(super) fn bracket<'a>(
        &mut self,
        rest: &'a str,
        number: u64,
        at_margin: bool,
    ) -> Result<&'a str, usize> {
        let length = rest.find(']').map_or(rest.len(), |end| end + 1);
        if rest.starts_with("[%") {
            self.commented(&rest[..length]);
            return Ok(&rest[length..]);
        }
        if matches!(&rest[..length], "[#]" | "[D]" | "[d]") {
            return Ok(&rest[length..]);
        }
        let tag = tags::tag(rest);
        if self.has_moves() {
            let begins = match &tag {
                Tag::Pair { quoted, .. } => *quoted || at_margin,
                Tag::Open => at_margin,
                Tag::None => false,
            };
            if begins {
                return Err(rest.len());
            }
        }
        match tag {
            Tag::Pair { name, .. } if self.begins_again(name) => Err(rest.len()),
            Tag::Pair {
                name,
                value,
                length,
                ..
            } if !self.has_moves() => {
                self.begin(number);
                if self.contradicts(name, &value) {
                    let tag = unreadable(&rest[..length], number, "the tag appears twice");
                    self.contradiction.get_or_insert(tag);
                }
                if self.game.tags.len() < MAX_TAGS {
                    self.game.tags.push((name.to_owned(), value));
                }
                self.after_gap = false;
                Ok(&rest[length..])
            }
            Tag::Open if !self.has_moves() => {
                if tags::unclosed(rest).is_some_and(|(name, _)| self.begins_again(name)) {
                    return Err(rest.len());
                }
                self.begin(number);
                self.open_tag = Some(rest.to_owned());
                self.after_gap = false;
                Ok("")
            }
            _ => {
                self.begin(number);
                self.refuse(rest, number, "not a tag");
                Ok(&rest[length..])
            }
        }
    }

    /// Whether a tag begins the next game, when this one has only tags and not even a result. After
    /// an empty line, any repeated tag does. Otherwise it is `Event` or the tag with which this
    /// game began, once both players are named.
    pub(super) fn begins_again(&self, name: &str) -> bool {
        if self.after_gap {
            return self.game.tag(name).is_some();
        }
        let first = self.game.tags.first().map(|(first, _)| first.as_str());
        let opens = name == "Event" || (first == Some(name) && !matches!(name, "White" | "Black"));
        let has = |name| self.game.tags.iter().any(|(tag, _)| tag == name);
        opens && has(name) && has("White") && has("Black")
    }

    /// Whether one of the usual tags is repeated with a different value.
    pub(super) fn contradicts(&self, name: &str, value: &str) -> bool {
        let earlier = self.game.tags.iter().find(|(tag, _)| tag == name);
        tags::is_usual(name) && earlier.is_some_and(|(_, earlier)| earlier != value)
    }
}
