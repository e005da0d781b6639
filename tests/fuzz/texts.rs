//! Texts from outside: PGN and positions.

use proptest::{collection::vec, prelude::*, sample::select};
use remisd::{
    laws::{self, History, parse_position},
    notation::fen,
    pgn::Games,
};

/// Text in which the signs of PGN are frequent.
fn pgn_like() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        select(vec![
            "[Event \"x\"]\n",
            "[FEN \"",
            "\"]\n",
            "1. ",
            "e4 ",
            "e5 ",
            "Nf3 ",
            "O-O ",
            "0-0-0 ",
            "{",
            "}",
            "(",
            ")",
            ";",
            "%",
            "\n",
            "[%clk 1:02:03.4]",
            "[%clk 99999999999999999:0]",
            "$1 ",
            "1-0 ",
            "* ",
            "1/2-1/2",
            "e8=Q+ ",
            "N@e4 ",
            "-- ",
            "e.p. ",
            "!? ",
            "\u{feff}",
        ])
        .prop_map(|word| word.as_bytes().to_vec()),
        vec(any::<u8>(), 0..8),
    ];
    vec(word, 0..120).prop_map(|words| words.concat())
}

/// Starting positions, good and bad.
pub fn fen_like() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(vec![
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "4k3/8/8/8/8/8/8/4K2R w K - 148 90",
            "4k3/8/8/8/8/8/8/4K2R w K - 4294967295 4294967295",
            "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
            "k7/8/8/8/8/8/8/3KR2R w E - 0 1",
            "8/P6k/8/8/8/8/8/K7 w - - 99 1",
            "k7/8/8/8/8/8/8/K7 w - - 0 1",
        ])
        .prop_map(str::to_owned),
        1 => select(vec!["", "8/8/8/8/8/8/8/8 w - - 0 1", "x"]).prop_map(str::to_owned),
        1 => "[rnbqkpRNBQKP1-8]{1,8}(/[rnbqkpRNBQKP1-8]{1,8}){7} [wb] [KQkqA-Ha-h-]{1,4} [a-h-][36]? [0-9]{1,11} [0-9]{1,11}",
        1 => any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_to_their_end_as_pgn(
        bytes in prop_oneof![pgn_like(), vec(any::<u8>(), 0..2_000)]
    ) {
        let games: Vec<_> = Games::new(&bytes[..]).collect();
        let mut kept = 0;
        for game in &games {
            let game = game.as_ref().expect("memory can always be read");
            let tags = game.tags.iter().map(|(name, value)| name.len() + value.len());
            kept += game.moves.len() + tags.sum::<usize>();
            game.start().ok();
        }
        // A byte that is no UTF-8 becomes a character of three.
        prop_assert!(kept <= 3 * bytes.len() && games.len() <= bytes.len());
    }

    #[test]
    fn any_text_is_a_position_or_an_error_that_says_why(text in fen_like()) {
        match parse_position(&text) {
            Ok(position) => {
                let written = fen(&position);
                prop_assert_eq!(&fen(&parse_position(&written).unwrap()), &written);
                let state = History::new(position).draw_state(laws::newest());
                prop_assert_eq!(state.repetition.count(), 1);
            }
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
