//! What a board has reported about itself, and what is still unknown.
//!
//! The questions are sent before the first dump. If the line is dead at that moment they are lost,
//! yet the board counts as up once it answers. Missing answers are therefore requested again, but
//! only a few times, since some boards do not know every question.

use super::{codec::Reply, table::Command};
use remisd_vocabulary::sensor::Device;

/// The first firmware version whose boards have a battery (they report 3.x).
const FIRST_WITH_BATTERY: u8 = 3;
/// How many more times unanswered questions are sent.
const MAX_REPEATS: u32 = 5;

/// The identity of a board, as far as known.
#[derive(Debug)]
pub(super) struct Identity {
    device: Device,
    /// Whether the short serial number is empty, so that the long one must be requested.
    serial_is_long: bool,
    has_battery: bool,
    repeats: u32,
}

impl Identity {
    /// Starts with only the port known.
    pub(super) fn at(port: &str) -> Self {
        Self {
            device: Device {
                kind: "dgt",
                port: port.to_owned(),
                ..Device::default()
            },
            serial_is_long: false,
            has_battery: false,
            repeats: 0,
        }
    }

    /// Returns what is known.
    pub(super) const fn device(&self) -> &Device {
        &self.device
    }

    /// Records an answer and returns the follow-up question, if there is one.
    pub(super) fn take(&mut self, reply: &Reply) -> Option<Command> {
        match reply {
            Reply::Version(main, sub) => {
                self.device.version = Some(format!("{main}.{sub}"));
                let had = std::mem::replace(&mut self.has_battery, *main >= FIRST_WITH_BATTERY);
                (self.has_battery && !had).then_some(Command::Battery)
            }
            Reply::SerialNumber(serial) => {
                if serial.bytes().any(|digit| matches!(digit, b'1'..=b'9')) {
                    self.device.serial = Some(serial.clone());
                    return None;
                }
                let was = std::mem::replace(&mut self.serial_is_long, true);
                (!was).then_some(Command::LongSerialNumber)
            }
            Reply::LongSerialNumber(serial) => {
                self.device.serial = Some(serial.clone());
                None
            }
            Reply::Battery(battery) => {
                self.device.battery = Some(battery.percent);
                None
            }
            _ => None,
        }
    }

    /// Returns the questions of the next round, or none once the rounds are used up.
    pub(super) fn next_round(&mut self) -> impl Iterator<Item = Command> + use<> {
        let serial = if self.serial_is_long {
            Command::LongSerialNumber
        } else {
            Command::SerialNumber
        };
        let Device {
            serial: known,
            version,
            battery,
            ..
        } = &self.device;
        let open = [
            version.is_none().then_some(Command::Version),
            known.is_none().then_some(serial),
            (self.has_battery && battery.is_none()).then_some(Command::Battery),
        ];
        let repeats_now = self.repeats < MAX_REPEATS && open.iter().any(Option::is_some);
        self.repeats += u32::from(repeats_now);
        open.into_iter().flatten().filter(move |_| repeats_now)
    }
}
