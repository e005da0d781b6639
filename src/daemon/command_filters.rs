//! The topic filters through which the daemon receives commands.

use std::collections::HashSet;

use crate::{
    config::Config,
    publish::{node_command, topic},
};

/// Above this number of boards one filter takes the place of one for each, on a cluster of brokers.
///
/// The nodes of a cluster agree on each filter of a client. Hundreds of them take longer than a broker
/// may be silent, so the daemon would connect for ever. A single broker has no such trouble, and the
/// commands to boards of other daemons would only cost time there.
const FILTERED_BOARDS: usize = 64;

/// The filters for the commands to the boards and to the daemon.
#[derive(Debug)]
pub(super) struct CommandFilters {
    /// The filters.
    pub(super) filters: Vec<String>,
    /// The names whose commands are kept; `None` if the filters admit no others.
    pub(super) names: Option<HashSet<String>>,
}

impl CommandFilters {
    pub(super) fn of(config: &Config) -> Self {
        let (site, node) = (&config.site.id, &config.site.node);
        let boards = || config.boards.iter();
        if config.mqtt.brokers.count() > 1 && config.boards.len() > FILTERED_BOARDS {
            let names = boards().map(|board| board.id.to_string());
            return Self {
                filters: vec![topic::all_commands(site)],
                names: Some(names.chain([node.to_string()]).collect()),
            };
        }
        let of_boards = boards().map(|board| topic::commands(site, &board.id));
        // A board with the daemon's name has the daemon's commands in its own filter.
        let is_board = boards().any(|board| board.id.as_str() == node.as_str());
        let verbs = node_command::VERBS.into_iter().filter(|_| !is_board);
        let of_node = verbs.map(|verb| topic::node_commands(site, node, verb));
        Self {
            filters: of_boards.chain(of_node).collect(),
            names: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::config::{Configuration, Environment, editions};

    /// The filters of a daemon with boards of these names, on a cluster of brokers.
    fn filters(boards: &[String]) -> CommandFilters {
        filters_at("mqtt://a, mqtt://b", boards)
    }

    fn filters_at(url: &str, boards: &[String]) -> CommandFilters {
        let mut text = format!("[mqtt]\nurl = \"{url}\"\n");
        for board in boards {
            write!(text, "[[board]]\nid = \"{board}\"\nkind = \"commands\"\n").unwrap();
        }
        let nothing = Environment::default();
        let read = Configuration::parse(&text, "remisd.toml", &nothing, &editions());
        CommandFilters::of(&read.unwrap().config)
    }

    fn numbered(count: usize) -> Vec<String> {
        (1..=count).map(|number| format!("b{number}")).collect()
    }

    #[test]
    fn few_boards_have_a_filter_each_and_the_daemon_has_its_verbs() {
        let CommandFilters {
            filters: found,
            names,
        } = filters(&numbered(2));
        assert_eq!(names, None);
        assert_eq!(found[0], "chess/v1/hall/cmd/+/b1/+");
        assert_eq!(found[1], "chess/v1/hall/cmd/+/b2/+");
        assert_eq!(found.len(), 2 + node_command::VERBS.len());
        let verb = node_command::VERBS[0];
        assert_eq!(found[2], format!("chess/v1/hall/cmd/+/remisd/{verb}"));
    }

    #[test]
    fn a_board_with_the_name_of_the_daemon_has_its_commands_too() {
        assert_eq!(
            filters(&["remisd".to_owned()]).filters,
            ["chess/v1/hall/cmd/+/remisd/+"]
        );
    }

    #[test]
    fn many_boards_on_a_cluster_have_one_filter() {
        let most = filters(&numbered(FILTERED_BOARDS));
        assert!(most.filters.len() > FILTERED_BOARDS && most.names.is_none());
        let single = filters_at("mqtt://a", &numbered(FILTERED_BOARDS + 1));
        assert!(single.filters.len() > FILTERED_BOARDS && single.names.is_none());
        let many = filters(&numbered(FILTERED_BOARDS + 1));
        assert_eq!(many.filters, ["chess/v1/hall/cmd/+/+/+"]);
        let names = many.names.unwrap();
        assert_eq!(names.len(), FILTERED_BOARDS + 2);
        assert!(names.contains("b65") && names.contains("remisd") && !names.contains("b66"));
    }
}
