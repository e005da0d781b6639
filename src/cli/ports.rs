//! `remisd ports`: lists the serial ports and the boards on them.

use std::{
    fmt::Write as _,
    io::{self, Write as _},
    path::Path,
};

use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::Serialize;

use remisd_board::{
    DgtTiming,
    ports::{self, Access, Port},
};
use remisd_vocabulary::sensor::Device;

/// List the serial ports by their persistent names.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Ask on each port which board is there. Sends two harmless bytes to whatever is connected.
    #[arg(long)]
    probe: bool,
    /// Print one JSON object per port.
    #[arg(long)]
    json: bool,
}

/// `remisd/port/1`: a serial port and, if it was probed, the board on it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Found {
    schema: &'static str,
    #[serde(flatten)]
    port: Port,
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<Board>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl Found {
    /// The schema's name.
    pub const SCHEMA: &'static str = "remisd/port/1";
}

/// A board's answer to the probe.
#[derive(Debug, Serialize, JsonSchema)]
struct Board {
    kind: &'static str,
    serial: Option<String>,
    version: Option<String>,
}

impl From<Device> for Board {
    fn from(device: Device) -> Self {
        Self {
            kind: device.kind,
            serial: device.serial,
            version: device.version,
        }
    }
}

/// Prints the list.
///
/// # Errors
///
/// The ports cannot be listed, or stdout cannot be written.
pub async fn run(args: Args) -> anyhow::Result<()> {
    let found = find(args.probe, &[]).await?;
    let text = if args.json {
        lines(&found)?
    } else {
        table(&found)
    };
    match io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}

/// The serial ports of this computer, and `more` by their paths. With `probe` all are asked at the
/// same time which board is there.
///
/// # Errors
///
/// The ports cannot be listed.
pub(super) async fn find(probe: bool, more: &[String]) -> anyhow::Result<Vec<Found>> {
    let mut ports = ports::list()?;
    for path in more.iter().map(Path::new) {
        if !ports.iter().any(|port| port.name == path) {
            ports.push(ports::named(path));
        }
    }
    let asked = ports.into_iter().map(async |port| {
        let (board, problem) = if probe {
            match ports::probe(&port.name.to_string_lossy(), &DgtTiming::default()).await {
                Ok(device) => (Some(device.into()), None),
                Err(error) => (None, Some(error.to_string())),
            }
        } else {
            (None, None)
        };
        Found {
            schema: Found::SCHEMA,
            port,
            board,
            problem,
        }
    });
    Ok(join_all(asked).await)
}

fn lines(found: &[Found]) -> serde_json::Result<String> {
    let mut text = String::new();
    for one in found {
        text += &serde_json::to_string(one)?;
        text.push('\n');
    }
    Ok(text)
}

fn table(found: &[Found]) -> String {
    if found.is_empty() {
        return "No serial port. Is the board plugged in?\n".to_owned();
    }
    let rows: Vec<[String; 4]> = found.iter().map(row).collect();
    let head = ["PORT", "DEVICE", "USB", "STATE"].map(str::to_owned);
    let widths: Vec<usize> = (0..3)
        .map(|column| {
            let cells = rows
                .iter()
                .chain([&head])
                .map(|row| row[column].chars().count());
            cells.max().unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for [port, device, usb, state] in [&head].into_iter().chain(&rows) {
        // Writing to a `String` cannot fail.
        let _ = writeln!(
            text,
            "{port:0$}  {device:1$}  {usb:2$}  {state}",
            widths[0], widths[1], widths[2]
        );
    }
    text
}

fn row(found: &Found) -> [String; 4] {
    let usb = found.port.usb.as_ref();
    let state = match (&found.board, &found.problem, &found.port.access) {
        (Some(board), _, _) => {
            let unknown = || "?".to_owned();
            format!(
                "{} board, serial number {}, version {}",
                board.kind,
                board.serial.clone().unwrap_or_else(unknown),
                board.version.clone().unwrap_or_else(unknown),
            )
        }
        (None, Some(problem), _) => problem.clone(),
        (None, None, Access::Open) => "accessible".to_owned(),
        (None, None, Access::Denied { group: Some(group) }) => {
            format!("permission denied: join the group {group}")
        }
        (None, None, Access::Denied { group: None }) => "permission denied".to_owned(),
    };
    [
        found.port.name.display().to_string(),
        found.port.device.display().to_string(),
        usb.map_or_else(
            || "-".to_owned(),
            |usb| format!("{:04x}:{:04x}", usb.vid, usb.pid),
        ),
        state,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use remisd_board::ports::Usb;

    fn found() -> Found {
        Found {
            schema: "remisd/port/1",
            port: Port {
                name: "/dev/serial/by-id/board".into(),
                device: "/dev/ttyACM0".into(),
                access: Access::Denied {
                    group: Some("dialout".into()),
                },
                usb: Some(Usb {
                    vid: 0x045B,
                    pid: 0x0001,
                    serial: None,
                    product: None,
                }),
            },
            board: None,
            problem: None,
        }
    }

    #[test]
    fn the_table_lists_the_next_steps() {
        let text = table(&[found()]);
        assert!(
            text.contains("045b:0001  permission denied: join the group dialout"),
            "{text}"
        );
        assert!(table(&[]).starts_with("No serial port"));
    }

    #[test]
    fn a_json_line_is_one_object() {
        let text = lines(&[found()]).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["schema"], "remisd/port/1");
        assert_eq!(value["access"]["group"], "dialout");
    }
}
