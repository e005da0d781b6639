//! Lists what the messages of a language need, for tests.

use std::collections::{BTreeMap, BTreeSet};

use fluent_bundle::FluentResource;
use fluent_syntax::ast::{
    CallArguments, Entry, Expression, InlineExpression, Pattern, PatternElement, VariantKey,
};

use super::{Language, SUBJECTS};

/// What a message needs, directly and through the messages that it refers to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Needs {
    /// The names of its arguments.
    pub(crate) variables: BTreeSet<String>,
    /// The keys by which it selects, for each argument.
    pub(crate) choices: BTreeMap<String, BTreeSet<String>>,
    /// The messages to which it refers.
    pub(crate) messages: BTreeSet<String>,
}

/// Returns every message of a language by its id.
///
/// # Panics
///
/// A file cannot be read, or an id occurs twice.
pub(crate) fn listing(language: Language) -> BTreeMap<String, Needs> {
    let mut own = BTreeMap::new();
    for subject in SUBJECTS {
        let source = subject.source(language).into_owned();
        let resource = FluentResource::try_new(source)
            .unwrap_or_else(|(_, errors)| panic!("{language}: {errors:?}"));
        for entry in resource.entries() {
            if let Entry::Message(message) = entry {
                let mut needs = Needs::default();
                needs.pattern(message.value.as_ref().expect("a text"));
                let id = message.id.name.to_owned();
                assert!(own.insert(id, needs).is_none(), "{}", message.id.name);
            }
        }
    }
    let ids: Vec<String> = own.keys().cloned().collect();
    let whole = ids.into_iter().map(|id| {
        let needs = whole(&id, &own);
        (id, needs)
    });
    whole.collect()
}

fn whole(id: &str, own: &BTreeMap<String, Needs>) -> Needs {
    let mut needs = own.get(id).expect(id).clone();
    for message in needs.messages.clone() {
        let other = whole(&message, own);
        needs.variables.extend(other.variables);
        needs.messages.extend(other.messages);
        for (name, keys) in other.choices {
            needs.choices.entry(name).or_default().extend(keys);
        }
    }
    needs
}

impl Needs {
    fn pattern(&mut self, pattern: &Pattern<&str>) {
        for element in &pattern.elements {
            match element {
                PatternElement::TextElement { .. } => {}
                PatternElement::Placeable { expression } => self.expression(expression),
            }
        }
    }

    fn expression(&mut self, expression: &Expression<&str>) {
        match expression {
            Expression::Inline(inline) => self.inline(inline),
            Expression::Select { selector, variants } => {
                self.inline(selector);
                let InlineExpression::VariableReference { id } = selector else {
                    panic!("a selector that is no argument: {selector:?}");
                };
                let keys = self.choices.entry(id.name.to_owned()).or_default();
                for variant in variants {
                    let (VariantKey::Identifier { name }
                    | VariantKey::NumberLiteral { value: name }) = &variant.key;
                    keys.insert((*name).to_owned());
                }
                for variant in variants {
                    self.pattern(&variant.value);
                }
            }
        }
    }

    fn inline(&mut self, inline: &InlineExpression<&str>) {
        match inline {
            InlineExpression::VariableReference { id } => {
                self.variables.insert(id.name.to_owned());
            }
            InlineExpression::MessageReference { id, .. } => {
                self.messages.insert(id.name.to_owned());
            }
            InlineExpression::Placeable { expression } => self.expression(expression),
            InlineExpression::FunctionReference { arguments, .. }
            | InlineExpression::TermReference {
                arguments: Some(arguments),
                ..
            } => self.call(arguments),
            _ => {}
        }
    }

    fn call(&mut self, arguments: &CallArguments<&str>) {
        for argument in &arguments.positional {
            self.inline(argument);
        }
    }
}
