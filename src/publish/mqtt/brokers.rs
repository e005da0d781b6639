//! The addresses of a broker: one, or those of all nodes of a cluster.

use std::{fmt, net::SocketAddr, str::FromStr};

use super::{BrokerUrl, UrlError};

/// The most addresses.
const MAX: usize = 16;

/// The addresses of one broker, or of the nodes of one cluster, separated by commas in text.
///
/// All of them use TLS, or none does.
///
/// ```
/// use remisd::publish::mqtt::Brokers;
/// let brokers: Brokers = "mqtt://a, mqtt://b:1884".parse()?;
/// assert_eq!(brokers.to_string(), "mqtt://a:1883, mqtt://b:1884");
/// # Ok::<_, remisd::publish::mqtt::BrokersError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brokers {
    first: BrokerUrl,
    others: Vec<BrokerUrl>,
}

/// Why a text is not a list of addresses.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BrokersError {
    /// One of the addresses is wrong.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// An address is given twice.
    #[error("{0} is given twice")]
    Twice(BrokerUrl),
    /// Some of the addresses use TLS, and some do not.
    #[error("{0} and {1}: either all addresses use TLS, or none does")]
    Mixed(BrokerUrl, BrokerUrl),
    /// There are too many addresses.
    #[error("there are more than {MAX} addresses")]
    TooMany,
}

impl Brokers {
    /// Whether the connection uses TLS.
    #[must_use]
    pub const fn is_tls(&self) -> bool {
        self.first.is_tls()
    }

    /// The first address.
    #[must_use]
    pub const fn first(&self) -> &BrokerUrl {
        &self.first
    }

    /// The address at `index`, which wraps around.
    fn at(&self, index: usize) -> &BrokerUrl {
        let index = index % self.count();
        match index.checked_sub(1) {
            None => &self.first,
            Some(other) => self.others.get(other).unwrap_or(&self.first),
        }
    }

    const fn count(&self) -> usize {
        self.others.len() + 1
    }
}

impl From<BrokerUrl> for Brokers {
    fn from(first: BrokerUrl) -> Self {
        Self {
            first,
            others: Vec::new(),
        }
    }
}

impl From<SocketAddr> for Brokers {
    /// A broker without TLS.
    fn from(address: SocketAddr) -> Self {
        BrokerUrl::from(address).into()
    }
}

impl fmt::Display for Brokers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        for other in &self.others {
            write!(f, ", {other}")?;
        }
        Ok(())
    }
}

impl FromStr for Brokers {
    type Err = BrokersError;

    fn from_str(text: &str) -> Result<Self, BrokersError> {
        let mut urls = text.split(',').map(str::parse::<BrokerUrl>);
        // A split has at least one part.
        let first = urls.next().unwrap_or(Err(UrlError::NoScheme))?;
        let mut brokers = Self::from(first);
        for url in urls {
            let url = url?;
            if (0..brokers.count()).any(|at| *brokers.at(at) == url) {
                return Err(BrokersError::Twice(url));
            }
            if url.is_tls() != brokers.is_tls() {
                return Err(BrokersError::Mixed(brokers.first, url));
            }
            if brokers.count() == MAX {
                return Err(BrokersError::TooMany);
            }
            brokers.others.push(url);
        }
        Ok(brokers)
    }
}

/// The address that is in use, and when to wait before the next.
///
/// A client stays with an address while it works. When it is lost, the others are tried at once, and
/// a back-off follows when all have failed.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Failover {
    at: usize,
    failed: usize,
}

impl Failover {
    /// The address to use now.
    pub(super) fn current(self, brokers: &Brokers) -> &BrokerUrl {
        brokers.at(self.at)
    }

    /// The address in use works.
    pub(super) const fn works(&mut self) {
        self.failed = 0;
    }

    /// The address in use has failed: the next one comes. Returns whether to wait before it, since
    /// all have failed.
    pub(super) const fn next(&mut self, brokers: &Brokers) -> bool {
        self.at = (self.at + 1) % brokers.count();
        self.failed = (self.failed + 1) % brokers.count();
        self.failed == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_addresses() {
        let one: Brokers = "mqtt://a".parse().unwrap();
        assert_eq!(one, Brokers::from("mqtt://a".parse::<BrokerUrl>().unwrap()));
        let three: Brokers = " mqtts://a,mqtts://b ,mqtts://c:1".parse().unwrap();
        assert!(three.is_tls());
        assert_eq!(
            three.to_string(),
            "mqtts://a:8883, mqtts://b:8883, mqtts://c:1"
        );
        assert_eq!(three.to_string().parse(), Ok(three));
    }

    #[test]
    fn each_mistake_in_a_list_is_named() {
        let error = |text: &str| text.parse::<Brokers>().unwrap_err().to_string();
        assert!(error("").contains("begins with mqtt://"));
        assert!(error("mqtt://a,").contains("begins with mqtt://"));
        assert!(error("mqtt://a, mqtt://a:1883").contains("mqtt://a:1883 is given twice"));
        assert!(error("mqtt://a, mqtts://b").contains("either all"));
        let many: Vec<String> = (0..=MAX).map(|n| format!("mqtt://n{n}")).collect();
        assert!(error(&many.join(",")).contains("more than 16"));
    }

    #[test]
    fn every_address_is_tried_before_a_wait() {
        let brokers: Brokers = "mqtt://a, mqtt://b, mqtt://c".parse().unwrap();
        let mut failover = Failover::default();
        let host = |failover: Failover| failover.current(&brokers).host().to_owned();
        let mut tried = Vec::new();
        for _ in 0..4 {
            tried.push((host(failover), failover.next(&brokers)));
        }
        let expected = [("a", false), ("b", false), ("c", true), ("a", false)];
        assert_eq!(tried, expected.map(|(host, wait)| (host.to_owned(), wait)));
        // It stays with an address that works, and tries all others when that is lost.
        failover.works();
        assert_eq!(host(failover), "b");
        let waits: Vec<bool> = (0..3).map(|_| failover.next(&brokers)).collect();
        assert_eq!(waits, [false, false, true]);
    }

    #[test]
    fn a_single_address_waits_after_every_failure() {
        let broker: Brokers = "mqtt://a".parse().unwrap();
        let mut failover = Failover::default();
        assert!(failover.next(&broker) && failover.next(&broker));
    }
}
