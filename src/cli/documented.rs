//! The commands in the documents can be typed as they stand.
//!
//! `remisd …` is read by the program's own command line, and what `mosquitto_pub` and
//! `mosquitto_rr` send is checked against the schema of its command.

use std::{fs, path::Path};

use clap::{Parser as _, error::ErrorKind};
use serde_json::Value;

use super::Arguments;

/// The pages with commands.
const FOLDERS: [&str; 4] = [".", "docs", "protocol", "fuzz"];

/// The options of Mosquitto's clients that the documents use, with the number of their values.
const MOSQUITTO: [(&str, usize); 15] = [
    ("-C", 1),
    ("-D", 3),
    ("-P", 1),
    ("-V", 1),
    ("-W", 1),
    ("-e", 1),
    ("-h", 1),
    ("-l", 0),
    ("-m", 1),
    ("-p", 1),
    ("-q", 1),
    ("-r", 0),
    ("-t", 1),
    ("-u", 1),
    ("-v", 0),
];

/// The subcommands of cargo that the documents use.
const CARGO: [&str; 9] = [
    "bench", "build", "deb", "fuzz", "install", "nextest", "publish", "run", "test",
];

/// A line of a block of code, with its continuation lines.
#[derive(Debug)]
struct Line {
    number: usize,
    text: String,
}

/// The lines in the fenced `sh` blocks and the indented blocks of a page.
fn lines(page: &str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let (mut fence, mut indented, mut after_blank, mut goes_on) = (None, false, true, false);
    for (number, line) in (1..).zip(page.lines()) {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            fence = match fence {
                None => Some(language.trim() == "sh"),
                Some(_) => None,
            };
            continue;
        }
        let is_blank = line.trim().is_empty();
        indented = line.starts_with("    ") && (indented || after_blank);
        after_blank = is_blank;
        if is_blank || !(fence == Some(true) || fence.is_none() && indented) {
            continue;
        }
        let (text, continues) = match line.trim().strip_suffix('\\') {
            Some(begun) => (begun, true),
            None => (line.trim(), false),
        };
        match lines.last_mut() {
            Some(before) if goes_on => {
                before.text.push(' ');
                before.text.push_str(text);
            }
            _ => lines.push(Line {
                number,
                text: text.to_owned(),
            }),
        }
        goes_on = continues;
    }
    lines
}

/// The simple commands of a line of the shell, each as its words; `None` if a quote is not closed.
fn commands(text: &str) -> Option<Vec<Vec<String>>> {
    let (mut commands, mut words, mut word) = (Vec::new(), Vec::new(), None::<String>);
    let (mut quote, mut escaped) = (None, false);
    for char in text.chars() {
        match (quote, char) {
            _ if escaped => {
                word.get_or_insert_default().push(char);
                escaped = false;
            }
            (None | Some('"'), '\\') => escaped = true,
            (Some(open), _) if char == open => quote = None,
            (None, '"' | '\'') => {
                word.get_or_insert_default();
                quote = Some(char);
            }
            (None, '#') if word.is_none() => break,
            (None, ' ') => words.extend(word.take()),
            (None, '|' | ';' | '&' | '(' | ')') => {
                words.extend(word.take());
                commands.push(std::mem::take(&mut words));
            }
            _ => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    commands.push(words);
    commands.retain(|words| !words.is_empty());
    quote.is_none().then_some(commands)
}

/// What is wrong with one command; `None` for one that is not ours.
fn fault(words: &[String]) -> Option<String> {
    let begins = words
        .iter()
        .position(|word| word != "sudo" && word != "$")?;
    let words: Vec<&str> = words[begins..]
        .iter()
        .map(String::as_str)
        .take_while(|word| !word.starts_with('>') && !word.starts_with("2>") && *word != "<")
        .collect();
    let (program, arguments) = words.split_first()?;
    match program.rsplit('/').next()? {
        "remisd" => remisd(arguments),
        "cargo" => cargo(arguments),
        "mosquitto_pub" | "mosquitto_sub" | "mosquitto_rr" => mosquitto(arguments),
        _ => None,
    }
}

fn remisd(arguments: &[&str]) -> Option<String> {
    let words = std::iter::once("remisd").chain(arguments.iter().copied());
    let error = Arguments::try_parse_from(words).err()?;
    let helps = matches!(
        error.kind(),
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
    );
    (!helps).then(|| error.to_string())
}

fn cargo(arguments: &[&str]) -> Option<String> {
    let task = arguments.iter().find(|word| !word.starts_with('+'))?;
    if !CARGO.contains(task) {
        return Some(format!("cargo has no task {task} here"));
    }
    let own = arguments.iter().position(|word| *word == "--");
    let is_remisd = *task == "run" && !arguments.contains(&"-p");
    own.filter(|_| is_remisd)
        .and_then(|at| remisd(&arguments[at + 1..]))
}

fn mosquitto(arguments: &[&str]) -> Option<String> {
    let mut rest = arguments.iter().copied();
    let (mut topic, mut message) = (None, None);
    while let Some(option) = rest.next() {
        let Some((_, values)) = MOSQUITTO.iter().find(|(name, _)| *name == option) else {
            return Some(format!("{option} is not an option"));
        };
        let values: Vec<&str> = rest.by_ref().take(*values).collect();
        match (option, values.first()) {
            ("-t", Some(value)) => topic = Some(*value),
            ("-m", Some(value)) => message = Some(*value),
            (_, None) if !matches!(option, "-l" | "-r" | "-v") => {
                return Some(format!("{option} has no value"));
            }
            _ => {}
        }
    }
    let (topic, message) = (topic?, message?);
    let (_, rest) = topic.split_once("/cmd/")?;
    let (_, verb) = rest.rsplit_once('/')?;
    let value: Value = match serde_json::from_str(message) {
        Ok(value) => value,
        Err(error) => return Some(format!("{message}: {error}")),
    };
    let schemas = crate::protocol::schemas();
    let Some(schema) = schemas.get(&format!("command-{verb}")) else {
        return Some(format!("there is no command {verb}"));
    };
    let validator = jsonschema::validator_for(schema).expect("a test checks the schemas");
    let errors: Vec<String> = validator
        .iter_errors(&value)
        .map(|e| e.to_string())
        .collect();
    (!errors.is_empty()).then(|| errors.join("; "))
}

/// What is wrong with the commands of a page, and how many of ours it has.
fn faults(page: &str) -> (Vec<String>, usize) {
    let (mut faults, mut known) = (Vec::new(), 0);
    for Line { number, text } in lines(page) {
        let ours = ["remisd", "cargo", "mosquitto_"];
        if text.starts_with('-') {
            faults.push(format!("{number}: an option without its command: {text}"));
        }
        if !ours.iter().any(|name| text.contains(name)) {
            continue;
        }
        let Some(commands) = commands(&text) else {
            faults.push(format!("{number}: a quote is not closed: {text}"));
            continue;
        };
        known += commands.len();
        let wrong = commands.iter().filter_map(|words| fault(words));
        faults.extend(wrong.map(|fault| format!("{number}: {fault}")));
    }
    (faults, known)
}

#[test]
fn the_commands_in_the_documents_are_unbroken() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut wrong, mut known) = (Vec::new(), 0);
    for folder in FOLDERS {
        for file in fs::read_dir(root.join(folder)).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|end| end == "md") {
                let page = fs::read_to_string(&path).unwrap();
                let (faults, of_page) = faults(&page);
                let name = path.file_name().unwrap().display().to_string();
                wrong.extend(faults.into_iter().map(|fault| format!("{name}:{fault}")));
                known += of_page;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(known >= 25, "only {known} commands were found");
}

#[test]
fn broken_commands_are_found() {
    let claim = "mosquitto_pub -t chess/v1/hall/cmd/white/b1/claim";
    for (block, expected) in [
        ("remisd journal lst", "unrecognized subcommand"),
        ("remisd setup --boards 3 --dirr x", "unexpected argument"),
        ("remisd setup --boards 3\n--dir club", "without its command"),
        ("mosquitto_sub -v -t 'chess/v1/#", "not closed"),
        ("mosquitto_sub -v -t", "has no value"),
        ("mosquitto_sub -x", "is not an option"),
        ("cargo run --release -- demmo", "unrecognized subcommand"),
        ("cargo biuld", "no task"),
        (&format!("{claim} -m '{{\"id\":\"a\"'"), "EOF"),
        (&format!("{claim} -m '{{\"id\":\"a\"}}'"), "kind"),
        (&format!("{claim}s -m '{{\"id\":\"a\"}}'"), "no command"),
    ] {
        for page in [
            format!("Text:\n\n```sh\n{block}\n```\n"),
            format!("Text:\n\n    {}\n", block.replace('\n', "\n    ")),
        ] {
            let (faults, _) = faults(&page);
            assert!(
                faults.iter().any(|f| f.contains(expected)),
                "{page}{faults:?}"
            );
        }
    }
}

#[test]
fn sound_commands_are_taken() {
    for block in [
        "sudo remisd setup \\\n  --boards 3",
        "remisd journal list | head > games.txt",
        "remisd --version && target/release/remisd check --config 'a b.toml' # a comment",
        "mosquitto_pub -t chess/v1/hall/cmd/white/b1/claim \\\n  -m '{\"id\":\"a\",\"kind\":\"threefold\"}'",
        "cargo run --release -- demo",
    ] {
        let (faults, known) = faults(&format!("```sh\n{block}\n```\n"));
        assert!(faults.is_empty() && known > 0, "{block}: {faults:?}");
    }
    assert_eq!(faults("remisd nonsense in prose\n").1, 0);
}
