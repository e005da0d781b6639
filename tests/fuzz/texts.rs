//! Texts from outside: PGN and positions.

use proptest::{collection::vec, prelude::*, sample::select};
use remisd::pgn::Games;
use remisd_laws::{self as laws, History};
use remisd_vocabulary::notation::{self, fen, parse_position};
use shakmaty::Position as _;

/// Text with many PGN symbols.
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
            "0-0 ",
            "0 - 1",
            "* ",
            "\r",
            "\u{1a}",
            "[White “",
            "e8(Q) ",
            "exd6e.p. ",
            "\u{a0}",
            "[%clk 1:29]",
            "board;white;black\n",
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

/// Starting positions, valid and invalid.
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

/// Words with many symbols of moves.
fn word_like() -> impl Strategy<Value = String> {
    prop_oneof![
        "[KQRBNPDTLSOo0a-h1-8x:=+#!?()/.$~-]{0,12}",
        "[♔-♟О×–…±∞a-h1-8]{0,8}",
        any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_word_is_a_legal_move_or_an_error_and_strict_moves_are_read_alike(
        word in word_like(),
        fen in select(vec![
            "r3k2r/1P3ppp/8/2npP3/4n3/2N2N2/PPP2PPP/R3K2R w KQkq d6 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ]),
    ) {
        let position = parse_position(fen).unwrap();
        let read = notation::read_move(&word, &position);
        if let Ok(m) = read {
            prop_assert!(position.is_legal(m));
        }
        // P is a pawn in strict notation, but may be a knight elsewhere.
        if let Ok(strict) = notation::parse_move(&word, &position)
            && !word.starts_with('P')
        {
            prop_assert_eq!(read, Ok(strict));
        }
        let strict = notation::strict(&word);
        prop_assert_eq!(notation::strict(&strict), strict);
    }

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
            let _ = game.start_ms();
        }
        let round = remisd::pairings::read(&bytes, &["b1", "b2"]);
        prop_assert!(round.seats.len() <= 2);
        // An invalid UTF-8 byte becomes a character of three bytes.
        prop_assert!(kept <= 3 * bytes.len() && games.len() <= bytes.len());
    }

    #[test]
    fn any_text_is_a_position_or_an_error_with_a_reason(text in fen_like()) {
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
