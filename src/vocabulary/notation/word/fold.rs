//! Converts a written move to ASCII.

/// The longest word that can be a move, in ASCII characters.
const LONGEST: usize = 32;

/// Stands for any annotation glyph outside ASCII.
const GLYPH: u8 = b'~';

/// The word in ASCII; `None` if it is too long or contains a character that no move has.
pub(super) fn folded(text: &str) -> Option<Vec<u8>> {
    let mut word = Vec::with_capacity(8);
    for c in text.chars() {
        match c {
            '\u{fe0e}' | '\u{fe0f}' => {}
            '…' => word.extend(b"..."),
            _ => word.push(letter(c)?),
        }
        if word.len() > LONGEST {
            return None;
        }
    }
    Some(word)
}

/// Converts a character of a move to ASCII.
fn letter(c: char) -> Option<u8> {
    Some(match c {
        '!'..='~' => u8::try_from(c).ok()?,
        '♔' | '♚' => b'K',
        '♕' | '♛' => b'Q',
        '♖' | '♜' => b'R',
        '♗' | '♝' => b'B',
        '♘' | '♞' => b'N',
        '♙' | '♟' => b'P',
        // Cyrillic letters that look like an O.
        'О' | 'о' => b'O',
        '×' | '✕' | '╳' => b'x',
        '†' => b'+',
        '‡' | '≠' => b'#',
        c if is_dash(c) => b'-',
        // Arrows, mathematical signs, geometric shapes: the annotations of Chess Informant.
        '±' | '¤' | '°' | '\u{2190}'..='\u{2bff}' => GLYPH,
        _ => return None,
    })
}

/// Whether a character is a dash other than the ASCII one.
#[must_use]
pub const fn is_dash(c: char) -> bool {
    matches!(
        c,
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{ff0d}'
    )
}

/// Removes a leading move number: `12.e4`, `12...e5`, `...e5`.
pub(super) fn without_number(word: &[u8]) -> &[u8] {
    let digits = word.iter().take_while(|b| b.is_ascii_digit()).count();
    let dots = word[digits..].iter().take_while(|b| **b == b'.').count();
    if dots > 0 {
        &word[digits + dots..]
    } else {
        word
    }
}
