//! Sections of the configuration whose keys can be visited.

use toml::Spanned;

use super::value::{Key, Value, Written};

/// A part of the configuration whose keys can be visited.
pub trait Part {
    /// Calls `see` for each key below `path`, in the order of the table.
    fn walk(&mut self, path: &str, see: &mut dyn FnMut(&str, &mut dyn Value));
}

impl<T: Written> Part for Key<T> {
    fn walk(&mut self, path: &str, see: &mut dyn FnMut(&str, &mut dyn Value)) {
        see(path, self);
    }
}

impl<T: Part> Part for Vec<Spanned<T>> {
    fn walk(&mut self, path: &str, see: &mut dyn FnMut(&str, &mut dyn Value)) {
        for (number, section) in self.iter_mut().enumerate() {
            section.get_mut().walk(&format!("{path}.{number}"), see);
        }
    }
}

/// Defines a section: a struct with its keys, their defaults and [`Part`].
macro_rules! section {
    ($(#[$about:meta])* $name:ident { $($(#[$key_about:meta])* $key:ident: $type:ty = $default:expr,)* }) => {
        #[derive(Debug, Clone, Deserialize, JsonSchema)]
        $(#[$about])*
        #[serde(deny_unknown_fields, default)]
        #[allow(clippy::struct_field_names, reason = "some sections name units in all their keys")]
        pub struct $name {
            $($(#[$key_about])* pub $key: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($key: $default,)* }
            }
        }

        impl Part for $name {
            fn walk(&mut self, path: &str, see: &mut dyn FnMut(&str, &mut dyn Value)) {
                $(
                    let name = stringify!($key);
                    let below = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                    self.$key.walk(&below, see);
                )*
            }
        }
    };
}

pub(super) use section;
