//! The addresses of a broker: one, or those of all nodes of a cluster.

use std::{
    fmt,
    net::SocketAddr,
    str::FromStr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use super::{BrokerUrl, UrlError};

/// The most addresses.
const MAX: usize = 16;
/// A connection that lasts for so long did not fail.
const STEADY: Duration = Duration::from_secs(5);
/// The silence that ends the retained messages: of a broker on this computer, and of one behind a
/// network. One lost packet on the way makes a gap of several round trips.
const QUIET_LOCAL: Duration = Duration::from_millis(200);
const QUIET_REMOTE: Duration = Duration::from_secs(1);

/// The addresses of one broker, or of the nodes of one cluster, separated by commas in text.
///
/// All of them use TLS, or none does. Clients with copies of one list begin with the address that
/// has worked for another.
///
/// ```
/// use remisd::publish::mqtt::Brokers;
/// let brokers: Brokers = "mqtt://a, mqtt://b:1884".parse()?;
/// assert_eq!(brokers.to_string(), "mqtt://a:1883, mqtt://b:1884");
/// # Ok::<_, remisd::publish::mqtt::BrokersError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Brokers {
    first: BrokerUrl,
    others: Vec<BrokerUrl>,
    /// The index of the address that worked last; copies share it.
    working: Arc<AtomicUsize>,
}

impl PartialEq for Brokers {
    fn eq(&self, other: &Self) -> bool {
        (&self.first, &self.others) == (&other.first, &other.others)
    }
}

impl Eq for Brokers {}

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

    /// The silence after which all retained messages of a subscription count as received.
    #[must_use]
    pub fn quiet(&self) -> Duration {
        if self.first.is_local() && self.others.iter().all(BrokerUrl::is_local) {
            QUIET_LOCAL
        } else {
            QUIET_REMOTE
        }
    }

    /// How many addresses there are, from 1 to 16.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.others.len() + 1
    }
}

impl From<BrokerUrl> for Brokers {
    fn from(first: BrokerUrl) -> Self {
        Self {
            first,
            others: Vec::new(),
            working: Arc::default(),
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

/// The address that is in use, and when to wait before the next one.
///
/// A client stays with an address while it works. When it is lost, the others are tried at once, and
/// a back-off follows when all have failed.
#[derive(Debug)]
pub(super) struct Failover {
    brokers: Brokers,
    at: usize,
    /// Why addresses have failed, since the last wait or the last connection that lasted.
    failed: Vec<Failure>,
}

/// Why an address has failed.
#[derive(Debug)]
struct Failure {
    at: usize,
    why: String,
    is_about_user: bool,
}

/// All addresses have failed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AllFailed {
    /// Why, in words; with the addresses if there are several.
    pub(super) why: String,
    /// Whether all of them refuse this user.
    pub(super) is_about_user: bool,
}

impl Failover {
    /// Begins with the address that another client of these brokers has found to work.
    pub(super) fn new(brokers: Brokers) -> Self {
        let at = brokers.working.load(Ordering::Relaxed);
        Self {
            brokers,
            at,
            failed: Vec::new(),
        }
    }

    /// The address to use now.
    pub(super) fn current(&self) -> &BrokerUrl {
        self.brokers.at(self.at)
    }

    /// The address in use has accepted the connection.
    pub(super) fn works(&self) {
        self.brokers.working.store(self.at, Ordering::Relaxed);
    }

    /// The address in use has failed, and the next one comes; `lasted` is how long the connection
    /// was up. Returns why all addresses have failed, if so: then wait before the next attempt.
    pub(super) fn next(
        &mut self,
        why: &str,
        is_about_user: bool,
        lasted: Option<Duration>,
    ) -> Option<AllFailed> {
        let count = self.brokers.count();
        if lasted.is_some_and(|lasted| lasted >= STEADY) {
            self.failed.clear();
        }
        self.failed.push(Failure {
            at: self.at % count,
            why: why.to_owned(),
            is_about_user,
        });
        self.at = (self.at + 1) % count;
        if self.failed.len() < count {
            return None;
        }
        let mut failed = std::mem::take(&mut self.failed);
        // The same failures give the same text, whichever address came first.
        failed.sort_by_key(|failure| failure.at);
        let whys = failed.iter().map(|Failure { at, why, .. }| match count {
            1 => why.clone(),
            _ => format!("{}: {why}", self.brokers.at(*at)),
        });
        Some(AllFailed {
            why: whys.collect::<Vec<_>>().join("; "),
            is_about_user: failed.iter().all(|failure| failure.is_about_user),
        })
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

    fn failover(text: &str) -> Failover {
        Failover::new(text.parse().unwrap())
    }

    #[test]
    fn every_address_is_tried_before_a_wait() {
        let mut failover = failover("mqtt://a, mqtt://b, mqtt://c");
        let mut tried = Vec::new();
        for why in ["1", "2", "3", "4"] {
            let host = failover.current().host().to_owned();
            tried.push((host, failover.next(why, true, None).map(|all| all.why)));
        }
        let all = "mqtt://a:1883: 1; mqtt://b:1883: 2; mqtt://c:1883: 3".to_owned();
        let expected = [("a", None), ("b", None), ("c", Some(all)), ("a", None)];
        assert_eq!(tried, expected.map(|(host, all)| (host.to_owned(), all)));
        // After a connection that lasted, all others are tried at once.
        let lasted = Some(STEADY);
        let waits = [lasted, None, None].map(|lasted| failover.next("x", false, lasted).is_some());
        assert_eq!(waits, [false, false, true]);
        // Connections that are lost at once are failures.
        let short = Some(Duration::from_millis(1));
        let waits = [short, short, short].map(|lasted| failover.next("x", false, lasted).is_some());
        assert_eq!(waits, [false, false, true]);
    }

    #[test]
    fn a_user_is_refused_only_when_every_address_refuses() {
        let mut failover = failover("mqtt://a, mqtt://b");
        let mut refused = |first, second| {
            assert_eq!(failover.next("x", first, None), None);
            failover.next("x", second, None).unwrap().is_about_user
        };
        assert!(refused(true, true));
        assert!(!refused(true, false) && !refused(false, true));
    }

    #[test]
    fn a_single_address_waits_after_every_failure() {
        let mut failover = failover("mqtt://a");
        for lasted in [None, Some(STEADY)] {
            let all = failover.next("gone", false, lasted).unwrap();
            assert_eq!(all.why, "gone");
        }
    }

    #[test]
    fn clients_begin_with_the_address_that_works() {
        let brokers: Brokers = "mqtt://a, mqtt://b".parse().unwrap();
        let mut first = Failover::new(brokers.clone());
        first.next("gone", false, None);
        first.works();
        assert_eq!(Failover::new(brokers).current().host(), "b");
    }
}
