//! A command queue with two lanes; the arbiter's commands go first.

use tokio::sync::mpsc;

use super::{handle::CommandMessage, topic};
use remisd_game::Role;

/// The lane of a message, which decides what goes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    /// The arbiter's lane.
    Arbiter,
    /// The lane of all other roles.
    Others,
}

impl Lane {
    /// The lane of a command on this topic; the broker's access list verifies the role.
    #[must_use]
    pub fn of(topic: &str) -> Self {
        match topic::parse_command(topic) {
            Some((role, _, _)) if role == Role::Arbiter.as_str() => Self::Arbiter,
            _ => Self::Others,
        }
    }
}

/// The capacity of each lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// How many commands of the arbiter may wait.
    pub arbiter: usize,
    /// How many commands of all others together may wait.
    pub others: usize,
}

/// The sending end of the queue; it never waits.
#[derive(Debug, Clone)]
pub struct CommandSender {
    arbiter: mpsc::Sender<CommandMessage>,
    others: mpsc::Sender<CommandMessage>,
}

/// The receiving end of the queue.
#[derive(Debug)]
pub struct Commands {
    arbiter: mpsc::Receiver<CommandMessage>,
    others: mpsc::Receiver<CommandMessage>,
}

/// Creates a command queue.
#[must_use]
pub fn commands(room: Capacity) -> (CommandSender, Commands) {
    let (to_arbiter, arbiter) = mpsc::channel(room.arbiter);
    let (to_others, others) = mpsc::channel(room.others);
    let sender = CommandSender {
        arbiter: to_arbiter,
        others: to_others,
    };
    (sender, Commands { arbiter, others })
}

impl CommandSender {
    /// Adds a command.
    ///
    /// # Errors
    ///
    /// Returns the command if its lane is full or the receiver is gone.
    pub fn try_send(&self, message: CommandMessage) -> Result<(), Box<CommandMessage>> {
        let lane = match Lane::of(&message.topic) {
            Lane::Arbiter => &self.arbiter,
            Lane::Others => &self.others,
        };
        lane.try_send(message)
            .map_err(|error| Box::new(error.into_inner()))
    }
}

impl Commands {
    /// The next command, the arbiter's first; `None` once no more can come. Cancel-safe.
    pub async fn recv(&mut self) -> Option<CommandMessage> {
        self.recv_of(true).await
    }

    /// Like [`recv`](Self::recv), but takes commands of others only if `others` is set.
    pub async fn recv_of(&mut self, others: bool) -> Option<CommandMessage> {
        tokio::select! {
            biased;
            Some(message) = self.arbiter.recv() => Some(message),
            Some(message) = self.others.recv(), if others => Some(message),
            else => None,
        }
    }

    /// The arbiter's next command, if one is waiting.
    pub fn try_arbiter(&mut self) -> Option<CommandMessage> {
        self.arbiter.try_recv().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(role: &str) -> CommandMessage {
        CommandMessage {
            topic: format!("chess/v1/hall/cmd/{role}/b1/ack"),
            payload: "{}".into(),
            retain: false,
            response_topic: None,
            correlation: None,
            at: None,
        }
    }

    #[tokio::test]
    async fn the_arbiter_goes_first_and_others_take_none_of_his_room() {
        let room = Capacity {
            arbiter: 1,
            others: 3,
        };
        let (sender, mut commands) = commands(room);
        for _ in 0..3 {
            sender.try_send(message("white")).unwrap();
        }
        let refused = sender.try_send(message("black")).unwrap_err();
        assert!(refused.topic.contains("black"));
        sender.try_send(message("arbiter")).unwrap();
        assert!(sender.try_send(message("arbiter")).is_err());
        let first = commands.recv().await.unwrap();
        assert!(first.topic.contains("arbiter"));
        assert_eq!(commands.try_arbiter(), None);
        for _ in 0..3 {
            assert!(commands.recv().await.unwrap().topic.contains("white"));
        }
        drop(sender);
        assert_eq!(commands.recv().await, None);
    }
}
