//! Errors in a configuration, shown at their place.

use std::{fmt, io, ops::Range, path::PathBuf};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::{masked::without_secrets, value::Origin};

/// An error, or something that deserves a second look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The key, with the index of its board: `board.0.port`.
    pub key: String,
    /// The origin of the value.
    pub origin: Origin,
    /// The error.
    pub message: String,
    /// The allowed values.
    pub allowed: String,
    /// A related place in the text, and its label.
    pub beside: Option<(Range<usize>, &'static str)>,
}

/// A configuration that cannot be used. Its text contains no secret.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file could not be read.
    #[error("cannot read the configuration {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's error.
        source: io::Error,
    },
    /// The configuration has errors; the report holds all that were found.
    #[error("{0}")]
    Wrong(Report),
}

impl ConfigError {
    /// Formats the error for a terminal, in colour if `styled`.
    #[must_use]
    pub fn render(&self, styled: bool) -> String {
        match self {
            Self::Wrong(report) => report.render(styled),
            Self::Unreadable { .. } => format!("error: {self}"),
        }
    }
}

/// Problems together with the text in which they occur.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    file: String,
    /// The text, with secrets masked.
    text: String,
    problems: Vec<Problem>,
}

impl Report {
    pub(super) fn new(file: &str, text: &str, problems: Vec<Problem>) -> Self {
        Self {
            file: file.to_owned(),
            text: without_users(&without_secrets(text)),
            problems,
        }
    }

    /// The problems, in the order in which they were found.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Formats the report for a terminal, in colour if `styled`.
    #[must_use]
    pub fn render(&self, styled: bool) -> String {
        let renderer = if styled {
            Renderer::styled()
        } else {
            Renderer::plain()
        };
        let parts: Vec<String> = self
            .problems
            .iter()
            .map(|problem| renderer.render(&[self.group(problem)]))
            .collect();
        parts.join("\n\n")
    }

    fn group<'a>(&'a self, problem: &'a Problem) -> Group<'a> {
        let title = if problem.key.is_empty() {
            problem.message.clone()
        } else {
            format!("{}: {}", problem.key, problem.message)
        };
        let title = Level::ERROR.primary_title(title);
        let group = match &problem.origin {
            Origin::File(span) => {
                let mut snippet = Snippet::source(self.text.as_str())
                    .path(self.file.as_str())
                    .annotation(
                        AnnotationKind::Primary
                            .span(self.within(span))
                            .label(problem.allowed.as_str()),
                    );
                if let Some((span, label)) = &problem.beside {
                    snippet = snippet.annotation(
                        AnnotationKind::Context
                            .span(self.within(span))
                            .label(*label),
                    );
                }
                return title.element(snippet);
            }
            Origin::Environment(variable) => title.element(
                Level::NOTE.message(format!("it is set by the environment variable {variable}")),
            ),
            Origin::Default => Group::with_title(title),
        };
        if problem.allowed.is_empty() {
            group
        } else {
            group.element(Level::HELP.message(problem.allowed.as_str()))
        }
    }

    /// The first line of a span, clamped to the text.
    fn within(&self, span: &Range<usize>) -> Range<usize> {
        let start = span.start.min(self.text.len());
        let end = span.end.clamp(start, self.text.len());
        let line = self.text.get(start..end).and_then(|text| text.find('\n'));
        start..line.map_or(end, |length| start + length)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.render(false))
    }
}

/// The line and column of a byte offset, both from 1; columns count characters.
pub fn place(text: &str, at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |lf| lf + 1);
    (line, before[start..].chars().count() + 1)
}

/// The text, with asterisks for the user and password in a URL, where they do not belong.
fn without_users(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        shown.push_str(before);
        let end = after.find(['"', '\'', '\n']).unwrap_or(after.len());
        let user = after[..end].rfind('@').unwrap_or(0);
        shown.push_str(&"*".repeat(user));
        rest = &after[user..];
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_characters_from_one() {
        assert_eq!(place("a\nä = 1", 5), (2, 3));
        assert_eq!(place("", 0), (1, 1));
    }
}
