//! JSON formats for the squares, colours and roles of a proof.

/// A square as `"e4"`.
pub(super) mod square {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};
    use shakmaty::Square;

    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks for a reference"
    )]
    pub fn serialize<S: Serializer>(square: &Square, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(square)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Square, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// Squares as `["a1", "e4"]`, lowest rank first.
pub(super) mod squares {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};
    use shakmaty::{Bitboard, Square};

    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks for a reference"
    )]
    pub const fn is_empty(squares: &Bitboard) -> bool {
        squares.is_empty()
    }

    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks for a reference"
    )]
    pub fn serialize<S: Serializer>(squares: &Bitboard, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(squares.into_iter().map(|square| square.to_string()))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bitboard, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        let parsed = texts.iter().map(|text| text.parse::<Square>());
        parsed.collect::<Result<_, _>>().map_err(D::Error::custom)
    }
}

/// A colour as `"white"`.
pub(super) mod color {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};
    use shakmaty::Color;

    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks for a reference"
    )]
    pub fn serialize<S: Serializer>(color: &Color, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(color.fold_wb("white", "black"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Color, D::Error> {
        match String::deserialize(deserializer)?.as_str() {
            "white" => Ok(Color::White),
            "black" => Ok(Color::Black),
            _ => Err(D::Error::custom("neither \"white\" nor \"black\"")),
        }
    }
}

/// A role as `"pawn"`.
pub(super) mod role {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};
    use shakmaty::Role;

    const NAMES: [(Role, &str); 6] = [
        (Role::Pawn, "pawn"),
        (Role::Knight, "knight"),
        (Role::Bishop, "bishop"),
        (Role::Rook, "rook"),
        (Role::Queen, "queen"),
        (Role::King, "king"),
    ];

    #[allow(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde asks for a reference"
    )]
    pub fn serialize<S: Serializer>(role: &Role, serializer: S) -> Result<S::Ok, S::Error> {
        let name = NAMES.iter().find(|(known, _)| known == role);
        serializer.serialize_str(name.map_or("", |(_, name)| name))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Role, D::Error> {
        let text = String::deserialize(deserializer)?;
        let role = NAMES.iter().find(|(_, name)| *name == text);
        role.map(|(role, _)| *role)
            .ok_or_else(|| D::Error::custom("not a piece or a pawn"))
    }
}
