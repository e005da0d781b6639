//! The broker's users, with new passwords.

use std::fmt::Write as _;

use super::{boards::BoardPort, password};

/// The broker's user for the daemon, and the one for the public pages.
pub const DAEMON: &str = "remisd";
pub const PUBLIC: &str = "public";
/// The broker's users for people and screens.
const PEOPLE: [&str; 4] = ["arbiter", "operator", PUBLIC, "hall"];
/// The users of a board's devices, such as `b1-white`.
pub const DEVICES: [&str; 3] = ["white", "black", "clock"];

/// All users of the broker, with their passwords.
#[derive(Debug)]
pub struct Users(Vec<(String, String)>);

impl Users {
    /// Makes the users of these boards.
    ///
    /// # Errors
    ///
    /// Random numbers are not available.
    pub fn generate(boards: &[BoardPort]) -> anyhow::Result<Self> {
        let people = [DAEMON].into_iter().chain(PEOPLE).map(str::to_owned);
        let devices = boards
            .iter()
            .flat_map(|board| DEVICES.map(|device| format!("{}-{device}", board.id)));
        let users = people.chain(devices);
        let users = users.map(|user| Ok((user, password::generate()?)));
        Ok(Self(users.collect::<anyhow::Result<_>>()?))
    }

    /// The password of a user.
    pub fn password(&self, user: &str) -> &str {
        let found = self.0.iter().find(|(name, _)| name == user);
        found.map_or("", |(_, password)| password)
    }

    /// The broker's password file.
    ///
    /// # Errors
    ///
    /// Random numbers are not available.
    pub fn hashed(&self) -> anyhow::Result<String> {
        let lines = self.0.iter();
        lines
            .map(|(user, password)| password::line(user, password))
            .collect()
    }

    /// The users for people and devices, with their passwords.
    pub fn handed_out(&self) -> impl Iterator<Item = (&str, &str)> {
        let others = self.0.iter().filter(|(user, _)| user != DAEMON);
        others.map(|(user, password)| (user.as_str(), password.as_str()))
    }

    /// The list for the person who hands out the passwords.
    pub fn handed_out_list(&self) -> String {
        let mut text = String::from(
            "# Users of the broker and of the pages. Neither daemon nor broker reads this file.\n",
        );
        for (user, password) in self.handed_out() {
            // Writing to a `String` cannot fail.
            let _ = writeln!(text, "{user:<12} {password}");
        }
        text
    }
}
