//! The sections `[[tournament]]`: the reports whose standings the overlay shows.

use remisd_vocabulary::name::SiteId;

use super::{raw, valid, validate::Check, value::Key};

impl Check<'_> {
    pub(super) fn tournaments(&mut self, file: &raw::File) -> Vec<valid::Tournament> {
        let mut tournaments: Vec<valid::Tournament> = Vec::new();
        for (number, tournament) in file.tournament.iter().enumerate() {
            let path = format!("tournament.{number}");
            let Some(found) = self.tournament(&path, tournament.get_ref()) else {
                continue;
            };
            if tournaments.iter().any(|other| other.id == found.id) {
                let message = format!("\"{}\" is also the id of another tournament", found.id);
                let id = &tournament.get_ref().id;
                let allowed = "allowed: a name of its own for each tournament";
                self.refuse::<_, ()>(&format!("{path}.id"), id, message, allowed);
                continue;
            }
            tournaments.push(found);
        }
        tournaments
    }

    fn has<T>(&mut self, path: &str, key: &Key<T>) -> Option<()> {
        if key.value.is_some() {
            return Some(());
        }
        let name = path.rsplit('.').next().unwrap_or(path);
        let allowed = format!("this tournament has no `{name}`");
        self.refuse(path, key, "must be set".to_owned(), &allowed)
    }

    fn tournament(&mut self, path: &str, of: &raw::Tournament) -> Option<valid::Tournament> {
        let at = |key: &str| format!("{path}.{key}");
        let id = self.has(&at("id"), &of.id);
        let id = id.and_then(|()| self.name::<SiteId>(&at("id"), &of.id));
        let file = self.has(&at("file"), &of.file);
        let file = file.and_then(|()| self.path(&at("file"), &of.file));
        let rounds = self.number(&at("published_rounds"), &of.published_rounds);
        Some(valid::Tournament {
            id: id?.to_string(),
            file: file?.into(),
            published_rounds: rounds.and_then(|rounds| u16::try_from(rounds).ok()),
        })
    }
}
