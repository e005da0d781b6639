use super::*;
use crate::{
    hall::upstream::Broker,
    publish::mqtt::{Access, CurrentAccess},
};

#[test]
fn the_user_with_the_most_sessions_loses_one() {
    let session = |user: &str, used| BrowserSession {
        held: Held::nothing(),
        user: Some(user.to_owned()),
        used,
    };
    let mut sessions = HashMap::new();
    sessions.insert(hash("arbiter"), session("arbiter", Moment::from_millis(1)));
    for used in 2..6 {
        sessions.insert(
            hash(&used.to_string()),
            session("b1-white", Moment::from_millis(used)),
        );
    }
    for gone in ["2", "3", "4"] {
        evict(&mut sessions);
        assert!(!sessions.contains_key(&hash(gone)), "{gone}");
    }
    assert!(sessions.contains_key(&hash("arbiter")));
    assert_eq!(sessions.len(), 2);
}

/// A grant of a user whose broker is unreachable.
fn grant(role: Role) -> Grant {
    let broker = Broker::unreachable();
    let access = CurrentAccess::fixed(Access::default());
    Grant {
        role,
        board: None,
        user: None,
        name: None,
        upstream: Upstream::open(&broker, access, role.audience(), None, "test"),
    }
}

fn with_cookie(cookie: &HeaderValue) -> HeaderMap {
    let pair = cookie.to_str().unwrap().split(';').next().unwrap();
    let pair = HeaderValue::from_str(pair).unwrap();
    HeaderMap::from_iter([(header::COOKIE, pair)])
}

/// Signs in, and returns the headers that the browser sends from then on.
fn sign_in(sessions: &Sessions, browser: &HeaderMap, held: Option<Held>, role: Role) -> HeaderMap {
    with_cookie(
        &sessions
            .add(browser, held, grant(role), Moment::START)
            .unwrap()
            .1,
    )
}

fn roles(sessions: &Sessions, browser: &HeaderMap) -> Vec<Role> {
    let grants = sessions.grants(browser, Moment::START);
    grants.iter().map(|grant| grant.role).collect()
}

#[tokio::test]
async fn two_servers_of_one_computer_do_not_sign_each_others_browsers_out() {
    let one = Sessions::new("remisd-hall-9120".to_owned());
    let other = Sessions::new("remisd-hall-9121".to_owned());
    let of = |sessions: &Sessions| sign_in(sessions, &HeaderMap::new(), None, Role::Arbiter);
    let (mut browser, theirs) = (of(&one), of(&other));
    browser.append(header::COOKIE, theirs[header::COOKIE].clone());
    let cookies = browser.get_all(header::COOKIE).iter();
    let cookies: Vec<&str> = cookies.map(|cookie| cookie.to_str().unwrap()).collect();
    let both = HeaderValue::from_str(&cookies.join("; ")).unwrap();
    let both = HeaderMap::from_iter([(header::COOKIE, both)]);
    for sessions in [&one, &other] {
        assert_eq!(roles(sessions, &both), [Role::Arbiter]);
    }
}

#[tokio::test]
async fn two_concurrent_sign_ins_lose_nothing() {
    let sessions = Sessions::new("remisd-hall-9120".to_owned());
    let browser = sign_in(&sessions, &HeaderMap::new(), None, Role::Hall);
    let held = sessions.held(&browser, Moment::START);
    let one = sign_in(&sessions, &browser, held.clone(), Role::Arbiter);
    let other = sign_in(&sessions, &browser, held, Role::Operator);
    // Either key may be the browser's current one; the previous key opens nothing.
    for browser in [&one, &other] {
        let roles = roles(&sessions, browser);
        assert_eq!(roles, [Role::Hall, Role::Arbiter, Role::Operator]);
    }
    assert!(roles(&sessions, &browser).is_empty());
    // The next sign-in shows which one it is.
    let next = sign_in(&sessions, &one, None, Role::White);
    assert_eq!(roles(&sessions, &next).len(), 4);
    assert!(roles(&sessions, &other).is_empty());
}

#[tokio::test]
async fn a_sign_out_during_a_sign_in_is_kept() {
    for role in [None, Some(Role::Arbiter)] {
        let sessions = Sessions::new("remisd-hall-9120".to_owned());
        let browser = sign_in(&sessions, &HeaderMap::new(), None, Role::Arbiter);
        let held = sessions.held(&browser, Moment::START);
        sessions.remove(&browser, role);
        let browser = sign_in(&sessions, &browser, held, Role::Hall);
        assert_eq!(roles(&sessions, &browser), [Role::Hall], "{role:?}");
    }
}

#[tokio::test]
async fn a_sign_out_is_one_by_both_keys() {
    let sessions = Sessions::new("remisd-hall-9120".to_owned());
    let browser = sign_in(&sessions, &HeaderMap::new(), None, Role::Hall);
    let held = sessions.held(&browser, Moment::START);
    let one = sign_in(&sessions, &browser, held.clone(), Role::Arbiter);
    let other = sign_in(&sessions, &browser, held, Role::Operator);
    sessions.remove(&one, Some(Role::Arbiter));
    assert_eq!(roles(&sessions, &other), [Role::Hall, Role::Operator]);
    sessions.remove(&one, None);
    assert!(roles(&sessions, &other).is_empty());
}

#[tokio::test]
async fn feeds_keep_their_places_over_a_sign_in() {
    let sessions = Sessions::new("remisd-hall-9120".to_owned());
    let mut browser = sign_in(&sessions, &HeaderMap::new(), None, Role::Hall);
    let places = (0..FEEDS).map(|_| sessions.place(&browser).unwrap());
    let places: Vec<_> = places.collect();
    browser = sign_in(&sessions, &browser, None, Role::Arbiter);
    assert!(sessions.place(&browser).is_none());
    drop(places);
    assert!(sessions.place(&browser).is_some());
}
