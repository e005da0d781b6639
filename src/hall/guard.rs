//! Checks on requests: host names, origins and the rate of sign-in attempts.

use std::{
    collections::{HashMap, VecDeque},
    net::{IpAddr, Ipv6Addr},
    sync::{Mutex, PoisonError},
};

use axum::http::{HeaderMap, Uri, header};

use remisd_vocabulary::time::{Moment, Span};

/// The maximum numbers of failed sign-in attempts within [`WINDOW`]: per remote address and
/// user, per remote address, and in all.
///
/// Behind a web server all clients share a loopback address and should not block one another, so
/// the second limit does not apply there.
const OF_ONE: usize = 10;
const OF_ONE_ADDRESS: usize = 100;
const OF_ALL: usize = 1000;
/// An address from which a user signed in within this time is exempt from the limit for all, and the
/// listener keeps places for it. The most recent addresses are kept, up to this number; the 2⁶⁴
/// addresses of an IPv6 customer count as one.
const TRUSTED_FOR: Span = Span::from_millis(16 * 60 * 60 * 1000);
const KNOWN: usize = 1024;
/// The number of characters of a user name that are compared.
const NAME: usize = 64;
const WINDOW: Span = Span::from_millis(60_000);

/// The host names that requests may address, besides IP addresses.
///
/// Another site whose name has been pointed at this computer is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names(Vec<String>);

impl Names {
    /// `localhost`, the name of this computer, and the configured names.
    #[must_use]
    pub fn new(configured: &[String]) -> Self {
        let mut names = vec!["localhost".to_owned()];
        let own = rustix::system::uname();
        let own = own.nodename().to_string_lossy().to_lowercase();
        if !own.is_empty() {
            names.push(format!("{own}.local"));
            names.push(own);
        }
        names.extend(configured.iter().map(|name| name.to_lowercase()));
        Self(names)
    }

    /// Whether a request addresses this server.
    #[must_use]
    pub fn are_ours(&self, headers: &HeaderMap) -> bool {
        let Some(host) = host(headers) else {
            return false;
        };
        let name = without_port(host);
        let address = name.trim_start_matches('[').trim_end_matches(']');
        address.parse::<IpAddr>().is_ok() || self.0.iter().any(|own| name.eq_ignore_ascii_case(own))
    }
}

/// Whether a request comes from this computer and addresses it.
#[must_use]
pub fn is_local(client: IpAddr, headers: &HeaderMap) -> bool {
    let Some(host) = host(headers) else {
        return false;
    };
    let name = without_port(host);
    let address = name.trim_start_matches('[').trim_end_matches(']');
    let named = name == "localhost" || address.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    named && client.to_canonical().is_loopback()
}

/// Whether a request comes from one of our pages, according to the browser.
#[must_use]
pub fn is_from_our_page(headers: &HeaderMap) -> bool {
    let origin = headers
        .get(header::ORIGIN)
        .and_then(|origin| origin.to_str().ok());
    let origin = origin.and_then(|origin| origin.parse::<Uri>().ok());
    let authority = origin.as_ref().and_then(Uri::authority);
    let (Some(authority), Some(host)) = (authority, host(headers)) else {
        return false;
    };
    authority.as_str().eq_ignore_ascii_case(host)
}

fn host(headers: &HeaderMap) -> Option<&str> {
    headers.get(header::HOST)?.to_str().ok()
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

/// The recent failed sign-in attempts.
#[derive(Debug, Default)]
pub struct Attempts(Mutex<FailedAttempts>);

#[derive(Debug, Default)]
struct FailedAttempts {
    of: HashMap<(IpAddr, String), VecDeque<Moment>>,
    from: HashMap<IpAddr, VecDeque<Moment>>,
    all: VecDeque<Moment>,
    /// Attempts from known browsers, in which a user has signed in before.
    of_devices: HashMap<String, VecDeque<Moment>>,
    /// When a user last signed in from each address.
    known: HashMap<IpAddr, Moment>,
}

impl Attempts {
    /// Like [`begin`](Self::begin), for a browser in which this user has signed in before. Only its
    /// own failures count.
    ///
    /// # Errors
    ///
    /// Returns the number of seconds until another attempt is allowed.
    pub fn begin_for_device(&self, device: &str, now: Moment) -> Result<(), u64> {
        let mut failed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failed.of_devices.retain(|_, times| {
            forget(times, now);
            !times.is_empty()
        });
        let own = failed.of_devices.entry(device.to_owned()).or_default();
        if let Some(seconds) = wait_of(own, OF_ONE, now) {
            return Err(seconds);
        }
        own.push_back(now);
        Ok(())
    }

    /// Withdraws the browser's last attempt because it did not fail.
    pub fn take_back_known(&self, device: &str) {
        let mut failed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        failed
            .of_devices
            .get_mut(device)
            .and_then(VecDeque::pop_back);
    }

    /// Records an attempt before its outcome is known.
    ///
    /// # Errors
    ///
    /// Returns the number of seconds until another attempt is allowed.
    pub fn begin(&self, from: IpAddr, user: &str, now: Moment) -> Result<(), u64> {
        let from = network(from);
        let mut failed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let failed = &mut *failed;
        let stay = |times: &mut VecDeque<Moment>| {
            forget(times, now);
            !times.is_empty()
        };
        failed.of.retain(|_, times| stay(times));
        failed.from.retain(|_, times| stay(times));
        forget(&mut failed.all, now);
        (failed.known).retain(|_, at| now - *at < TRUSTED_FOR);
        let own = failed.of.entry(attempt_key(from, user)).or_default();
        let of_address = failed.from.entry(from).or_default();
        let until = |times: &VecDeque<Moment>, most| wait_of(times, most, now);
        let mut wait = until(own, OF_ONE);
        if !from.is_loopback() {
            wait = wait.max(until(of_address, OF_ONE_ADDRESS));
        }
        if !failed.known.contains_key(&from) {
            wait = wait.max(until(&failed.all, OF_ALL));
        }
        if let Some(seconds) = wait {
            return Err(seconds);
        }
        own.push_back(now);
        of_address.push_back(now);
        failed.all.push_back(now);
        Ok(())
    }

    /// Withdraws the last attempt from this address because it did not fail.
    pub fn take_back(&self, from: IpAddr, user: &str) {
        let from = network(from);
        let mut failed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = failed.of.get_mut(&attempt_key(from, user));
        if own.and_then(VecDeque::pop_back).is_some() {
            failed.from.get_mut(&from).and_then(VecDeque::pop_back);
            failed.all.pop_back();
        }
    }

    /// Records a sign-in from this address. Loopback addresses are ignored, because a web server on
    /// this computer may represent anyone.
    pub fn succeeded(&self, from: IpAddr, now: Moment) {
        let from = network(from);
        if from.is_loopback() {
            return;
        }
        let mut failed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !failed.known.contains_key(&from) && failed.known.len() >= KNOWN {
            let oldest = failed.known.iter().min_by_key(|(_, at)| **at);
            if let Some(oldest) = oldest.map(|(from, _)| *from) {
                failed.known.remove(&oldest);
            }
        }
        failed.known.insert(from, now);
    }

    /// Whether a user has signed in from this address within [`TRUSTED_FOR`].
    #[must_use]
    pub fn knows(&self, from: IpAddr, now: Moment) -> bool {
        let failed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = failed.known.get(&network(from));
        at.is_some_and(|at| now - *at < TRUSTED_FOR)
    }
}

/// The number of seconds until another attempt is allowed, if `most` is reached.
fn wait_of(times: &VecDeque<Moment>, most: usize, now: Moment) -> Option<u64> {
    let oldest = times.front().filter(|_| times.len() >= most)?;
    let left = (*oldest + WINDOW - now).as_millis();
    Some(left.div_ceil(1000).max(1))
}

/// The customer behind an address: an IPv6 customer has 64 bits of addresses.
pub fn network(from: IpAddr) -> IpAddr {
    match from.to_canonical() {
        // Its /64 network, `::`, also contains addresses of others.
        IpAddr::V6(here) if here.is_loopback() => here.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        v4 @ IpAddr::V4(_) => v4,
    }
}

fn attempt_key(from: IpAddr, user: &str) -> (IpAddr, String) {
    (from, user.chars().take(NAME).collect())
}

fn forget(times: &mut VecDeque<Moment>, now: Moment) {
    while times.front().is_some_and(|time| *time + WINDOW <= now) {
        times.pop_front();
    }
}

#[cfg(test)]
mod tests;
