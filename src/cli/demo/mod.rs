//! `remisd demo`: everything in one process, on this computer only.
//!
//! ```text
//! simulated hand ─▶ simulated board ─▶ pseudo-terminal ─▶ daemon ─▶ broker ─┬─▶ account
//!                                                                          └─▶ you
//! ```
//!
//! What the demo prints comes from the broker, as it would for any other client.

mod board;
#[cfg(feature = "embedded-broker")]
pub mod broker;
#[cfg(feature = "embedded-broker")]
mod folder;
#[cfg(feature = "embedded-broker")]
mod show;
#[cfg(feature = "embedded-broker")]
mod stage;

use std::{net::SocketAddrV4, num::NonZeroUsize, path::PathBuf};

use super::Outcome;

/// Show everything in one process: a broker, simulated boards, the daemon.
///
/// It needs no setup and leaves nothing behind. It first prints the topics, so that you can
/// subscribe from elsewhere on this computer, and then every event as the arbiter sees it. On a
/// terminal it runs until Ctrl-C, otherwise it ends after the last game.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The games to play, dealt out to the boards in turn; without it one game on each board, of
    /// which the first ends by fivefold repetition.
    #[arg(long, value_name = "FILE")]
    pgn: Option<PathBuf>,
    /// Play only this game, counted from 1.
    #[arg(long, value_name = "N")]
    game: Option<NonZeroUsize>,
    /// Number of boards: b1, b2 and so on; at most 16.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=16))]
    boards: u16,
    /// Start again after the last game, until Ctrl-C.
    #[arg(long = "loop")]
    repeat: bool,
    /// Seconds a player waits when they can first claim a draw by the position on the board, so
    /// that you can try it; 0 for no wait.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(0..=3600))]
    wait: u64,
    /// Speed; 1 is about one ply per second; from 0.1 to 100.
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = speed)]
    speed: f64,
    /// Address of the broker, such as 127.0.0.1:1883; without it that address, or any free port if
    /// it is taken.
    #[arg(long, value_name = "ADDR", value_parser = loopback)]
    mqtt: Option<SocketAddrV4>,
    /// Address of the pages, such as 127.0.0.1:9120; without it that address, or any free port if
    /// it is taken.
    #[arg(long, value_name = "ADDR", value_parser = loopback)]
    http: Option<SocketAddrV4>,
}

fn speed(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(speed) if (0.1..=100.0).contains(&speed) => Ok(speed),
        _ => Err("the speed is a number from 0.1 to 100".to_owned()),
    }
}

fn loopback(text: &str) -> Result<SocketAddrV4, String> {
    match text.parse::<SocketAddrV4>() {
        Ok(address) if address.ip().is_loopback() => Ok(address),
        Ok(_) => Err(
            "the demo asks for no password, so its address must be of this computer alone, such \
             as 127.0.0.1:1883"
                .to_owned(),
        ),
        Err(_) => Err("an address and a port, such as 127.0.0.1:1883".to_owned()),
    }
}

/// Runs the demo.
///
/// # Errors
///
/// Something cannot be started or read.
#[cfg(feature = "embedded-broker")]
pub async fn run(arguments: Arguments) -> anyhow::Result<Outcome> {
    show::run(arguments).await
}

/// Explains what to do in a build without the broker.
///
/// # Errors
///
/// Never.
#[cfg(not(feature = "embedded-broker"))]
#[expect(clippy::unused_async, reason = "same signature as with a broker")]
pub async fn run(arguments: Arguments) -> anyhow::Result<Outcome> {
    let Arguments { pgn, .. } = arguments;
    let pgn = pgn.map_or_else(|| "FILE.pgn".to_owned(), |pgn| pgn.display().to_string());
    anstream::eprintln!(
        "remisd: this build has no broker in it, so there is no demo. With Mosquitto, in \
         three terminals:\n\
         \n\
         \x20   mosquitto -p 1883\n\
         \x20   remisd simulate dgt --pgn {pgn} --link /tmp/board\n\
         \x20   REMISD_BOARD_0_ID=b1 REMISD_BOARD_0_KIND=dgt REMISD_BOARD_0_PORT=/tmp/board \\\n\
         \x20   REMISD_JOURNAL_DIR=/tmp/journal remisd run\n\
         \n\
         Then listen with: mosquitto_sub -v -t 'chess/v1/#'"
    );
    Ok(Outcome::Usage)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_broker_listens_on_the_loopback_only() {
        assert!(loopback("127.0.0.1:1884").is_ok());
        for bad in ["0.0.0.0:1883", "192.168.1.1:1883", "localhost", "1883"] {
            assert!(loopback(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn speeds_out_of_range_are_refused() {
        assert_eq!(speed("20"), Ok(20.0));
        for bad in ["0", "-1", "NaN", "1000", "fast"] {
            assert!(speed(bad).is_err(), "{bad}");
        }
    }
}
