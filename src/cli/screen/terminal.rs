//! Where boards are shown: redrawn in place on a terminal, otherwise line by line.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal as _, Write as _},
};

use super::{picture::Style, words};

/// Hides the cursor.
const HIDE: &str = "\x1b[?25l";
/// Shows the cursor.
const SHOW: &str = "\x1b[?25h";

/// Standard output. Dropping it restores the terminal.
pub enum Terminal {
    /// One line per event.
    Lines,
    /// A display of the given number of lines.
    Picture(usize),
}

/// Prints lines that stay.
///
/// # Errors
///
/// The reader of standard output has gone.
pub fn print(lines: &[String]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in lines {
        writeln!(out, "{}", words::printable(line))?;
    }
    out.flush()
}

impl Terminal {
    /// Determines what standard output is.
    pub fn of_stdout() -> Self {
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        if io::stdout().is_terminal() && !dumb {
            Self::Picture(0)
        } else {
            Self::Lines
        }
    }

    /// Whether the display is redrawn on a live terminal.
    pub const fn is_live(&self) -> bool {
        matches!(self, Self::Picture(_))
    }

    /// Prints the new lines, or redraws the display.
    ///
    /// # Errors
    ///
    /// The reader of standard output has gone.
    pub fn show(
        &mut self,
        news: &[String],
        picture: impl FnOnce(Style) -> Vec<String>,
    ) -> io::Result<()> {
        let Self::Picture(height) = self else {
            return print(news);
        };
        let (rows, columns) = size();
        let colour = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
        let lines = fit(picture(Style { colour, columns }), rows.saturating_sub(1));
        let mut frame = String::from(HIDE);
        if *height > 0 {
            let _ = write!(frame, "\x1b[{height}A\r"); // writing to a `String` cannot fail
        }
        for line in &lines {
            frame.push_str(line);
            frame.push_str("\x1b[K\n");
        }
        frame.push_str("\x1b[J");
        *height = lines.len();
        let mut out = io::stdout().lock();
        out.write_all(frame.as_bytes())?;
        out.flush()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Self::Picture(1..) = self {
            // If the reader has gone, the cursor does not matter either.
            let _ = io::stdout().write_all(SHOW.as_bytes());
            let _ = io::stdout().flush();
        }
    }
}

/// Cuts the display to the given rows; its last line, the hint, always stays.
fn fit(mut lines: Vec<String>, rows: usize) -> Vec<String> {
    let rows = rows.max(1);
    if lines.len() > rows {
        let last = lines.split_off(lines.len() - 1);
        lines.truncate(rows - 1);
        lines.extend(last);
    }
    lines
}

/// The terminal's rows and columns.
fn size() -> (usize, usize) {
    match rustix::termios::tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_row > 0 && size.ws_col > 0 => {
            (usize::from(size.ws_row), usize::from(size.ws_col))
        }
        _ => (24, 80),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_a_picture_that_is_too_high_stays() {
        let lines = || ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        assert_eq!(fit(lines(), 9), lines());
        assert_eq!(fit(lines(), 3), ["a", "b", "d"]);
        assert_eq!(fit(lines(), 0), ["d"]);
    }
}
