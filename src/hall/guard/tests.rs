use axum::http::HeaderValue;

use super::*;

fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.insert(name, HeaderValue::from_str(value).unwrap());
    }
    headers
}

#[test]
fn addresses_and_our_own_names_are_answered_and_no_others() {
    let names = Names::new(&["chess.example".to_owned()]);
    for (host, ours) in [
        ("localhost", true),
        ("localhost:9120", true),
        ("127.0.0.1:9120", true),
        ("[::1]:9120", true),
        ("192.0.2.7:80", true),
        ("chess.example", true),
        ("Chess.Example:443", true),
        ("evil.example", false),
        ("127.0.0.1.evil.example:80", false),
        ("", false),
    ] {
        assert_eq!(
            names.are_ours(&headers(&[(header::HOST, host)])),
            ours,
            "{host}"
        );
    }
    assert!(!names.are_ours(&HeaderMap::new()));
}

#[test]
fn local_requests_come_from_here_and_are_for_here() {
    let here = "127.0.0.1".parse().unwrap();
    let there = "192.0.2.7".parse().unwrap();
    let to = |host| headers(&[(header::HOST, host)]);
    assert!(is_local(here, &to("localhost:9120")));
    assert!(is_local(here, &to("[::1]")));
    assert!(!is_local(here, &to("192.0.2.1")));
    assert!(!is_local(here, &to("evil.example")));
    assert!(!is_local(there, &to("localhost")));
}

#[test]
fn only_pages_of_this_very_host_may_change_something() {
    let host = (header::HOST, "hall:8080");
    for (origin, ours) in [
        ("http://hall:8080", true),
        ("https://hall:8080", true),
        ("http://hall", false),
        ("http://evil.example", false),
        ("null", false),
    ] {
        let headers = headers(&[host.clone(), (header::ORIGIN, origin)]);
        assert_eq!(is_from_our_page(&headers), ours, "{origin}");
    }
    assert!(!is_from_our_page(&headers(&[host])));
}

#[test]
fn only_a_user_who_fails_too_often_has_to_wait() {
    let attempts = Attempts::default();
    let (one, other) = ([192, 0, 2, 1].into(), [192, 0, 2, 2].into());
    for _ in 0..OF_ONE {
        assert_eq!(
            attempts.begin(one, "arbiter", Moment::from_millis(1000)),
            Ok(())
        );
    }
    assert_eq!(
        attempts.begin(one, "arbiter", Moment::from_millis(2000)),
        Err(59)
    );
    assert_eq!(
        attempts.begin(one, "b1-white", Moment::from_millis(2000)),
        Ok(())
    );
    assert_eq!(
        attempts.begin(other, "arbiter", Moment::from_millis(2000)),
        Ok(())
    );
    attempts.take_back(one, "arbiter");
    assert_eq!(
        attempts.begin(one, "arbiter", Moment::from_millis(2000)),
        Ok(())
    );
    assert_eq!(
        attempts.begin(one, "arbiter", Moment::from_millis(61_000)),
        Ok(())
    );
}

#[test]
fn a_browser_that_is_known_waits_for_its_own_mistakes_alone() {
    let attempts = Attempts::default();
    let here = [127, 0, 0, 1].into();
    for _ in 0..OF_ONE {
        assert_eq!(
            attempts.begin(here, "arbiter", Moment::from_millis(1000)),
            Ok(())
        );
    }
    assert_eq!(
        attempts.begin(here, "arbiter", Moment::from_millis(1000)),
        Err(60)
    );
    for _ in 0..OF_ONE {
        assert_eq!(
            attempts.begin_for_device("browser", Moment::from_millis(1000)),
            Ok(())
        );
    }
    assert_eq!(
        attempts.begin_for_device("browser", Moment::from_millis(1000)),
        Err(60)
    );
    assert_eq!(
        attempts.begin_for_device("another", Moment::from_millis(1000)),
        Ok(())
    );
    attempts.take_back_known("browser");
    assert_eq!(
        attempts.begin_for_device("browser", Moment::from_millis(1000)),
        Ok(())
    );
    assert_eq!(
        attempts.begin_for_device("browser", Moment::from_millis(61_000)),
        Ok(())
    );
}

#[test]
fn one_device_that_guesses_stops_itself_alone() {
    let attempts = Attempts::default();
    let guesser = [192, 0, 2, 1].into();
    let guess = |from, number: usize| {
        attempts.begin(from, &format!("user-{number}"), Moment::from_millis(1000))
    };
    for number in 0..OF_ONE_ADDRESS {
        assert_eq!(guess(guesser, number), Ok(()), "{number}");
    }
    assert_eq!(guess(guesser, OF_ONE_ADDRESS), Err(60));
    assert_eq!(guess([192, 0, 2, 2].into(), 0), Ok(()));
    // A web server on this computer represents many clients.
    for number in 0..2 * OF_ONE_ADDRESS {
        assert_eq!(guess([127, 0, 0, 1].into(), number), Ok(()), "{number}");
    }
}

#[test]
fn a_user_who_signed_in_recently_does_not_wait_for_others() {
    let attempts = Attempts::default();
    let (known, stranger) = ([192, 0, 2, 1].into(), [192, 0, 2, 2].into());
    let here = [127, 0, 0, 1].into();
    attempts.succeeded(known, Moment::from_millis(1000));
    attempts.succeeded(here, Moment::from_millis(1000));
    for number in 0..OF_ALL {
        let address = [198, 51, 100, u8::try_from(number / OF_ONE_ADDRESS).unwrap()];
        let user = format!("user-{number}");
        assert_eq!(
            attempts.begin(address.into(), &user, Moment::from_millis(2000)),
            Ok(())
        );
    }
    assert_eq!(
        attempts.begin(stranger, "arbiter", Moment::from_millis(2000)),
        Err(60)
    );
    assert_eq!(
        attempts.begin(here, "arbiter", Moment::from_millis(2000)),
        Err(60)
    );
    assert_eq!(
        attempts.begin(known, "arbiter", Moment::from_millis(2000)),
        Ok(())
    );
}

#[test]
fn the_number_of_known_addresses_is_bounded() {
    let attempts = Attempts::default();
    for number in 0..=KNOWN {
        let number = u32::try_from(number).unwrap();
        let address = std::net::Ipv4Addr::from(0xC000_0200 + number);
        attempts.succeeded(address.into(), Moment::from_millis(u64::from(number)));
    }
    // Refreshing a known address displaces no other.
    attempts.succeeded([192, 0, 2, 9].into(), Moment::from_millis(10_000));
    let failed = attempts.0.lock().unwrap();
    assert_eq!(failed.known.len(), KNOWN);
    assert!(!failed.known.contains_key(&IpAddr::from([192, 0, 2, 0])));
    assert!(failed.known.contains_key(&IpAddr::from([192, 0, 2, 1])));
}

#[test]
fn all_addresses_of_one_customer_are_one() {
    let attempts = Attempts::default();
    let address = |network: u16, host: usize| {
        let host = u16::try_from(host).unwrap();
        IpAddr::from([0x2001, 0xdb8, 0, network, 0, 0, 0, host])
    };
    for number in 0..OF_ONE_ADDRESS {
        let user = format!("user-{number}");
        assert_eq!(
            attempts.begin(address(1, number), &user, Moment::from_millis(1000)),
            Ok(())
        );
    }
    assert_eq!(
        attempts.begin(address(1, 7000), "another", Moment::from_millis(1000)),
        Err(60)
    );
    assert_eq!(
        attempts.begin(address(2, 1), "another", Moment::from_millis(1000)),
        Ok(())
    );
    attempts.take_back(address(1, 7001), "user-1");
    assert_eq!(
        attempts.begin(address(1, 7002), "user-1", Moment::from_millis(1000)),
        Ok(())
    );
    for number in 0..2 * KNOWN {
        attempts.succeeded(address(1, number), Moment::from_millis(1000));
    }
    assert_eq!(attempts.0.lock().unwrap().known.len(), 1);
    // The same address in its other form; and loopback is distinct from its network.
    let mapped = "::ffff:127.0.0.1".parse().unwrap();
    assert!(network(mapped).is_loopback());
    assert!(network(Ipv6Addr::LOCALHOST.into()).is_loopback());
    assert!(!network("::2".parse().unwrap()).is_loopback());
}
