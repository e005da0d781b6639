//! A range of IP addresses, such as `192.0.2.0/24`.

use std::{fmt, net::IpAddr, str::FromStr};

/// IP addresses with a common prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u32,
}

/// The text is not a range of addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an address, or a range of addresses such as 192.0.2.0/24")]
pub struct NoNetwork;

impl Network {
    /// Whether the range contains an address.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let apart = own.to_bits() ^ other.to_bits();
                apart.leading_zeros() >= self.bits
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let apart = own.to_bits() ^ other.to_bits();
                apart.leading_zeros() >= self.bits
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = NoNetwork;

    fn from_str(text: &str) -> Result<Self, NoNetwork> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| NoNetwork)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            Some(bits) => bits.parse().map_err(|_| NoNetwork)?,
            None => most,
        };
        if bits > most {
            return Err(NoNetwork);
        }
        Ok(Self { address, bits })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_belong_to_their_network() {
        for (network, address, belongs) in [
            ("192.0.2.0/24", "192.0.2.255", true),
            ("192.0.2.0/24", "192.0.3.0", false),
            ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.6", false),
            ("0.0.0.0/0", "198.51.100.1", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("2001:db8::/32", "2001:db8:ffff::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            ("127.0.0.1", "::ffff:127.0.0.1", true),
            ("::1", "::1", true),
        ] {
            let range: Network = network.parse().unwrap();
            assert_eq!(
                range.contains(address.parse().unwrap()),
                belongs,
                "{network} {address}"
            );
        }
        for bad in [
            "",
            "localhost",
            "192.0.2.0/33",
            "::/129",
            "192.0.2.0/-1",
            "192.0.2.0/",
        ] {
            assert_eq!(bad.parse::<Network>(), Err(NoNetwork), "{bad}");
        }
    }
}
