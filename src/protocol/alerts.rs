//! The page `protocol/alerts.md`: every alert with its texts.

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    schemas::{description, variants},
    specimens::{Specimen, specimens},
    tables::{level, markdown},
};
use crate::words::{Language, Words};
use remisd_game::AlertCode;

const HEAD: &str = "# Alerts

<!-- made from the code: UPDATE_SCHEMAS=1 cargo test --lib -->

The alerts that can be on the topic `alerts` ([mqtt.md](mqtt.md)). `level` says how urgent an alert
is: `red`, act now; `amber`, look at it; `grey`, the equipment needs attention. This page shows the
level at which the alert is raised: `play_after_end` becomes amber once it is acknowledged.

Scripts read `code` and `arguments`. The texts are for people and may change. They are under `text`,
by language, in the languages that the configuration names. `de-ch` is the German text with ss for
ß.

The first row of a table shows every argument of the alert. The other rows show only what differs
from it and changes the text. Where a row has `white` or `black`, both are possible. Moves have
English piece letters in `arguments`, and the letters of the language in the texts.

The article is the field `article` of the alert and depends on the edition of the Laws. Without an
article the brackets are left out. `after` names the last move by its number and SAN, as on a
scoresheet (`26.Nb5`, `25…Ra8`); `start` is the position before the first move. Several plies make a
list. `null`, an empty text and an empty list mean that there is none.
";

/// Generates the whole page.
#[must_use]
pub fn alerts_page() -> String {
    let codes = variants::<AlertCode>();
    let about = |code: AlertCode| {
        let variant = codes.iter().find(|known| known["const"] == code.as_str());
        variant.map_or("", description)
    };
    let mut page = HEAD.to_owned();
    for code in AlertCode::ALL {
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "\n## `{}`\n\n{}: {}\n\n{}",
            code.as_str(),
            level(code),
            about(code),
            texts(code)
        );
    }
    page
}

fn texts(code: AlertCode) -> String {
    let languages = [Language::En, Language::De, Language::Nl];
    let rows = specimens(code).into_iter().map(|specimen| {
        let texts = languages.map(|language| Words::of(language).alert(&specimen.alert));
        let mut row = vec![arguments(&specimen)];
        row.extend(texts);
        row
    });
    markdown(&["arguments", "`en`", "`de`", "`nl`"], rows)
}

/// The arguments that a specimen illustrates, and its article.
fn arguments(specimen: &Specimen) -> String {
    let arguments = specimen.differs.iter().map(|name| {
        let value = match name.as_str() {
            "article" => match &specimen.alert.article {
                Some(article) => return format!("article {article}"),
                None => return "no article".to_owned(),
            },
            name => specimen.alert.arguments.get(name),
        };
        format!("`{name}: {}`", value.unwrap_or(&Value::Null))
    });
    let arguments: Vec<String> = arguments.collect();
    if arguments.is_empty() {
        return "–".to_owned();
    }
    arguments.join(", ")
}
