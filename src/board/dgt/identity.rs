//! What a board says of itself, and what it is still to be asked.
//!
//! The questions are put before the first dump. On a line that is silent then, they are lost, and
//! the board counts as up all the same when it answers: what is not known yet is asked again, but
//! not for ever, since there are boards that do not know every question.

use super::{codec::Reply, table::Command};
use remisd_vocabulary::sensor::Device;

/// The first firmware version whose boards have a battery (they answer 3.x).
const FIRST_WITH_BATTERY: u8 = 3;
/// So often what was not answered is asked again.
const ASKED_AGAIN: u32 = 5;

/// A board's name, as far as it has told it.
#[derive(Debug)]
pub(super) struct Identity {
    device: Device,
    /// The short serial number is empty.
    serial_is_long: bool,
    has_battery: bool,
    asked_again: u32,
}

impl Identity {
    /// Nothing is known of a DGT board but its port.
    pub(super) fn at(port: &str) -> Self {
        Self {
            device: Device {
                kind: "dgt",
                port: port.to_owned(),
                ..Device::default()
            },
            serial_is_long: false,
            has_battery: false,
            asked_again: 0,
        }
    }

    /// What is known.
    pub(super) const fn device(&self) -> &Device {
        &self.device
    }

    /// Takes an answer, and returns the question that it raises.
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

    /// One more round of what is to be asked again, as long as there are any.
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
        let asks = self.asked_again < ASKED_AGAIN && open.iter().any(Option::is_some);
        self.asked_again += u32::from(asks);
        open.into_iter().flatten().filter(move |_| asks)
    }
}
