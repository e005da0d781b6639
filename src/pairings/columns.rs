//! Recognises the columns of a table by their names in English, German and Dutch.

/// The meaning of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// The board.
    Board,
    /// A PGN tag.
    Tag(&'static str),
    /// A number in the list of players; it is the board if no other column is.
    Number,
    /// One column per player under the same name, White's first: a name, a rating.
    Each(Of),
    /// A column without a name before that of the player; may hold the player's title.
    Title(&'static str),
    /// The starting position.
    Fen,
    /// Anything else.
    Other,
}

/// An attribute of a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    Name,
    Elo,
    Title,
    Fed,
    FideId,
    Team,
}

impl Of {
    const fn tags(self) -> [&'static str; 2] {
        match self {
            Self::Name => ["White", "Black"],
            Self::Elo => ["WhiteElo", "BlackElo"],
            Self::Title => ["WhiteTitle", "BlackTitle"],
            Self::Fed => ["WhiteFed", "BlackFed"],
            Self::FideId => ["WhiteFideId", "BlackFideId"],
            Self::Team => ["WhiteTeam", "BlackTeam"],
        }
    }
}

const BOARD: [&str; 17] = [
    "board",
    "bo",
    "bd",
    "boardno",
    "boardnumber",
    "brett",
    "br",
    "brettnr",
    "brettnummer",
    "bord",
    "bordnr",
    "table",
    "tisch",
    "tischnr",
    "tafel",
    "tafelnr",
    "partij",
];
const NUMBER: [&str; 4] = ["no", "nr", "num", "number"];
const WHITE: [&str; 4] = ["white", "weiss", "wit", "w"];
const BLACK: [&str; 6] = ["black", "schwarz", "zwart", "b", "s", "z"];
const OF: [(&str, Of); 41] = [
    ("name", Of::Name),
    ("namen", Of::Name),
    ("naam", Of::Name),
    ("player", Of::Name),
    ("spieler", Of::Name),
    ("speler", Of::Name),
    ("teilnehmer", Of::Name),
    ("deelnemer", Of::Name),
    ("elo", Of::Elo),
    ("fideelo", Of::Elo),
    ("elofide", Of::Elo),
    ("eloi", Of::Elo),
    ("rating", Of::Elo),
    ("rtg", Of::Elo),
    ("rat", Of::Elo),
    ("twz", Of::Elo),
    ("wertung", Of::Elo),
    ("wertungszahl", Of::Elo),
    ("title", Of::Title),
    ("titel", Of::Title),
    ("tit", Of::Title),
    ("fed", Of::Fed),
    ("federation", Of::Fed),
    ("country", Of::Fed),
    ("land", Of::Fed),
    ("verband", Of::Fed),
    ("foederation", Of::Fed),
    ("föderation", Of::Fed),
    ("federatie", Of::Fed),
    ("bond", Of::Fed),
    ("fideid", Of::FideId),
    ("idfide", Of::FideId),
    ("fidenr", Of::FideId),
    ("fideno", Of::FideId),
    ("team", Of::Team),
    ("club", Of::Team),
    ("verein", Of::Team),
    ("vereinort", Of::Team),
    ("mannschaft", Of::Team),
    ("vereniging", Of::Team),
    ("ploeg", Of::Team),
];
const TAGS: [(&str, &str); 16] = [
    ("event", "Event"),
    ("turnier", "Event"),
    ("toernooi", "Event"),
    ("round", "Round"),
    ("rd", "Round"),
    ("runde", "Round"),
    ("ronde", "Round"),
    ("date", "Date"),
    ("datum", "Date"),
    ("site", "Site"),
    ("ort", "Site"),
    ("plaats", "Site"),
    ("timecontrol", "TimeControl"),
    ("bedenkzeit", "TimeControl"),
    ("bedenktijd", "TimeControl"),
    ("variant", "Variant"),
];

const FEN: [&str; 5] = ["fen", "startfen", "position", "stellung", "stelling"];

/// Names of columns that are not needed.
const PASSED_OVER: [&str; 46] = [
    "pts",
    "points",
    "pkt",
    "punkte",
    "pnt",
    "punten",
    "score",
    "res",
    "result",
    "results",
    "ergebnis",
    "erg",
    "resultat",
    "uitslag",
    "resultaat",
    "snr",
    "startnr",
    "startnummer",
    "rank",
    "rang",
    "rg",
    "rk",
    "pl",
    "platz",
    "plaats",
    "elon",
    "nwz",
    "dwz",
    "elonational",
    "typ",
    "type",
    "gr",
    "group",
    "gruppe",
    "groep",
    "sex",
    "time",
    "uhrzeit",
    "zeit",
    "tijd",
    "vs",
    "pgn",
    "partie",
    "status",
    "provisional",
    "reason",
];

/// Whether the column's name is recognised, even as one that is not needed. A name without letters
/// counts as recognised.
pub(super) fn is_known(name: &str) -> bool {
    let letters = name.chars().filter(|c| c.is_alphabetic());
    let plain: String = letters.flat_map(char::to_lowercase).collect();
    plain.is_empty()
        || column(name) != Column::Other
        || PASSED_OVER.contains(&plain.as_str())
        || of_either_side(&plain)
}

/// Whether the column is unneeded and of one player: `ptswhite`, `punkteschwarz`.
fn of_either_side(plain: &str) -> bool {
    PASSED_OVER.iter().any(|name| {
        let rest = plain
            .strip_prefix(name)
            .or_else(|| plain.strip_suffix(name));
        rest.is_some_and(|rest| side(rest).is_some())
    })
}

/// The meaning of a column with this name.
pub(super) fn column(name: &str) -> Column {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    let plain: String = letters.flat_map(char::to_lowercase).collect();
    let plain = plain.replace('ß', "ss");
    let plain = plain.as_str();
    if BOARD.contains(&plain) {
        return Column::Board;
    }
    if NUMBER.contains(&plain) {
        return Column::Number;
    }
    if FEN.contains(&plain) {
        return Column::Fen;
    }
    if let Some((_, tag)) = TAGS.iter().find(|(name, _)| *name == plain) {
        return Column::Tag(tag);
    }
    if let Some((_, of)) = OF.iter().find(|(name, _)| *name == plain) {
        return Column::Each(*of);
    }
    match side(plain) {
        Some(side) if plain.len() > 1 || matches!(plain, "w" | "b" | "s" | "z") => {
            Column::Tag(Of::Name.tags()[side])
        }
        _ => of_a_side(plain).map_or(Column::Other, Column::Tag),
    }
}

/// The index of a side: White is 0, Black 1.
fn side(plain: &str) -> Option<usize> {
    if WHITE.contains(&plain) {
        Some(0)
    } else {
        BLACK.contains(&plain).then_some(1)
    }
}

/// The tag of a combined name: `whiteelo`, `elowhite`, `titelweiss`.
fn of_a_side(plain: &str) -> Option<&'static str> {
    OF.iter().find_map(|(name, of)| {
        let rest = plain
            .strip_prefix(name)
            .or_else(|| plain.strip_suffix(name))?;
        Some(of.tags()[side(rest)?])
    })
}

/// The columns of a heading; `None` if it does not name both players.
pub(super) fn columns<'a>(names: impl Iterator<Item = &'a str>) -> Option<Vec<Column>> {
    let names: Vec<&str> = names.collect();
    let mut columns: Vec<Column> = names.iter().map(|name| column(name)).collect();
    for of in [Of::Name, Of::Elo, Of::Title, Of::Fed, Of::FideId, Of::Team] {
        let each = columns
            .iter_mut()
            .filter(|column| **column == Column::Each(of));
        for (column, tag) in each.zip(of.tags()) {
            *column = Column::Tag(tag);
        }
    }
    if !columns.contains(&Column::Board)
        && let Some(number) = columns.iter_mut().find(|column| **column == Column::Number)
    {
        *number = Column::Board;
    }
    title_unnamed(&names, &mut columns);
    let names_both = Of::Name
        .tags()
        .map(Column::Tag)
        .iter()
        .all(|tag| columns.contains(tag));
    names_both.then_some(columns)
}

/// Marks the unnamed title columns of Chess-Results, which precede each name.
fn title_unnamed(names: &[&str], columns: &mut [Column]) {
    for at in 1..columns.len() {
        for (of_name, of_title) in Of::Name.tags().into_iter().zip(Of::Title.tags()) {
            let titled = columns.contains(&Column::Tag(of_title));
            let unnamed = names[at - 1].trim().is_empty() && columns[at - 1] == Column::Other;
            if columns[at] == Column::Tag(of_name) && unnamed && !titled {
                columns[at - 1] = Column::Title(of_title);
            }
        }
    }
}

/// The columns of a table without a heading, by their number.
pub(super) fn unnamed(count: usize) -> Vec<Column> {
    let tags = |of: Of| of.tags().map(Column::Tag);
    let players = tags(Of::Name).into_iter();
    if count == 2 {
        return players.collect();
    }
    let more = [Of::Elo, Of::Title, Of::Fed].into_iter().flat_map(tags);
    [Column::Board]
        .into_iter()
        .chain(players)
        .chain(more)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Option<Vec<Column>> {
        columns(line.split(';'))
    }

    #[test]
    fn columns_are_known_in_three_languages() {
        let expected = [
            Column::Board,
            Column::Tag("White"),
            Column::Tag("Black"),
            Column::Tag("WhiteElo"),
            Column::Tag("BlackElo"),
        ];
        for line in [
            "board;white;black;whiteelo;blackelo",
            "Brett;Weiß;Schwarz;EloWeiß;EloSchwarz",
            "Br.;Weiss;Schwarz;Elo Weiss;Elo Schwarz",
            "Tisch;Weiß;Schwarz;Weiß-Elo;Schwarz-Elo",
            "Bord;Wit;Zwart;Elo wit;Elo zwart",
            "BO;White;Black;White Rating;Black Rating",
            "Bord;Naam;Naam;Rating;Rating",
            "Nr.;Name;Name;Elo;Elo",
        ] {
            assert_eq!(of(line).as_deref(), Some(&expected[..]), "{line}");
        }
    }

    #[test]
    fn lists_of_pairing_programs_name_each_player_in_turn() {
        let columns = of("Br.;Nr.;Titel;Name;Elo;Pkt.;Ergebnis;Pkt.;Titel;Name;Elo;Nr.").unwrap();
        let tags: Vec<Column> = columns
            .into_iter()
            .filter(|column| *column != Column::Other)
            .collect();
        let expected = [
            Column::Board,
            Column::Number,
            Column::Tag("WhiteTitle"),
            Column::Tag("White"),
            Column::Tag("WhiteElo"),
            Column::Tag("BlackTitle"),
            Column::Tag("Black"),
            Column::Tag("BlackElo"),
            Column::Number,
        ];
        assert_eq!(tags, expected);
    }

    #[test]
    fn the_document_lists_every_name() {
        let document = include_str!("../../protocol/pgn.md");
        let of = OF.iter().map(|(name, _)| *name);
        let tags = TAGS.iter().map(|(name, _)| *name);
        let sides = WHITE.into_iter().chain(BLACK);
        let places = BOARD.into_iter().chain(NUMBER).chain(FEN);
        for name in of.chain(tags).chain(sides).chain(places) {
            assert!(document.contains(&format!("`{name}`")), "{name}");
        }
    }

    #[test]
    fn a_line_of_players_names_no_columns() {
        for line in [
            "1;A;B",
            "1;Smit, Anna;Jansen, Piet",
            "Runde 3",
            "board;white",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
