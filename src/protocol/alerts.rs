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

What the topic `alerts` (see [mqtt.md](mqtt.md)) can hold. `level` says how urgent it is: `red`, act now; `amber`, look at
it; `grey`, the equipment needs somebody. Here it is the level when the alert is raised: `play_after_end` is amber once it is
acknowledged. Scripts read `code` and `arguments`; the texts are for people, stand under `text`
by language in those languages that the configuration names, and may change. `de-ch` is the German text with ss for ß.

The first line of a table has every argument of the alert; the others have only what differs from it and changes the text.
Where it says `white` or `black`, both are possible. Moves are in English letters in `arguments` and in the language's own
in the texts. The article is the field `article` of the alert and depends on the edition of the Laws; where there is none,
the brackets are left out. `after` names the last move by its number and SAN, as on a scoresheet (`26.Nb5`, `25…Ra8`), and `start` the
position before the first move; where there are several plies it is a list. `null`, an empty text and an empty list mean that there is no such thing.
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
        let mut row = vec![told(&specimen)];
        row.extend(texts);
        row
    });
    markdown(&["arguments", "`en`", "`de`", "`nl`"], rows)
}

/// The arguments that a specimen illustrates, and its article.
fn told(specimen: &Specimen) -> String {
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
