//! Where the account is printed: redrawn in place on a terminal, else line by line.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal as _, Write as _},
};

use super::{
    account::{Account, News},
    screen::{self, Style},
    words,
};

/// Hides the cursor.
const HIDE: &str = "\x1b[?25l";
/// Shows the cursor.
const SHOW: &str = "\x1b[?25h";

/// Standard output. Dropping it gives a terminal back as it was.
pub enum Terminal {
    /// One line for each thing that happens.
    Lines,
    /// A picture, as many lines high as the number.
    Picture(usize),
}

/// Prints lines, and keeps them.
///
/// # Errors
///
/// When nobody reads any more.
pub fn print(lines: &[String]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in lines {
        writeln!(out, "{}", words::printable(line))?;
    }
    out.flush()
}

impl Terminal {
    /// Looks at what standard output is.
    pub fn of_stdout() -> Self {
        let dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
        if io::stdout().is_terminal() && !dumb {
            Self::Picture(0)
        } else {
            Self::Lines
        }
    }

    /// Whether somebody is looking.
    pub const fn is_live(&self) -> bool {
        matches!(self, Self::Picture(_))
    }

    /// Prints what is new, or draws the picture again.
    ///
    /// # Errors
    ///
    /// When nobody reads any more.
    pub fn show(
        &mut self,
        account: &Account,
        news: &[News],
        title: &str,
        hint: &str,
    ) -> io::Result<()> {
        let Self::Picture(height) = self else {
            let lines: Vec<String> = news.iter().flat_map(words::lines).collect();
            return print(&lines);
        };
        let (rows, columns) = size();
        let colour = anstream::AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never;
        let mut lines = screen::picture(account, title, hint, Style { colour, columns });
        lines.truncate(rows.saturating_sub(1).max(1));
        let mut frame = String::from(HIDE);
        if *height > 0 {
            let _ = write!(frame, "\x1b[{height}A\r"); // to a string, which cannot fail
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
            // If nobody reads any more, nobody sees the cursor either.
            let _ = io::stdout().write_all(SHOW.as_bytes());
            let _ = io::stdout().flush();
        }
    }
}

/// Rows and columns of the terminal.
fn size() -> (usize, usize) {
    match rustix::termios::tcgetwinsize(io::stdout()) {
        Ok(size) if size.ws_row > 0 && size.ws_col > 0 => {
            (usize::from(size.ws_row), usize::from(size.ws_col))
        }
        _ => (24, 80),
    }
}
