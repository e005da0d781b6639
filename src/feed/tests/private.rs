//! The token for private rounds of broadcasts: who gets it, and what happens if it is refused.

use http::{HeaderValue, StatusCode, Uri};
use remisd_transport::Https;

use super::{
    super::{
        Failure, Location, NoAccess, Servers,
        polled::PolledText,
        rate_limiter::{RoundsToken, Server as ServerName},
        round_stream::RoundStream,
    },
    server::Server,
    streaming::{QUICK, game, until},
};

const TOKEN: &str = "lip_hunter2";
const PATH: &str = "/api/stream/broadcast/round/AbCd1234.pgn";

fn servers() -> Servers {
    Servers::new(Https::new().unwrap())
}

fn uri(text: &str) -> Uri {
    text.parse().unwrap()
}

fn stream(server: &Server, servers: Servers) -> RoundStream {
    let Ok(Location::LichessRound(address)) = server.at(PATH).parse() else {
        panic!();
    };
    RoundStream::new(address, servers, QUICK)
}

/// Servers of which this one gets a token. The configuration allows that only with TLS.
fn with_access(server: &Server, token: RoundsToken) -> Servers {
    let name = ServerName::of(&uri(&server.at("/"))).unwrap();
    servers().with_access(name, token)
}

fn with_token(server: &Server) -> Servers {
    let value = HeaderValue::from_static("Bearer lip_hunter2");
    with_access(server, RoundsToken::Authorization(value))
}

#[test]
fn a_token_goes_to_its_server_with_tls_and_to_no_other() {
    let given = servers()
        .with_token("https://chess.example", TOKEN)
        .unwrap();
    for its in [
        "https://chess.example/api/stream/broadcast/round/AbCd1234.pgn",
        "https://CHESS.example:443/api/stream/broadcast/round/AbCd1234.pgn",
    ] {
        let Some(RoundsToken::Authorization(value)) = given.token(&uri(its)) else {
            panic!("{its}");
        };
        assert_eq!(value.as_bytes(), b"Bearer lip_hunter2", "{its}");
        assert!(value.is_sensitive());
    }
    for other in [
        "http://chess.example/round",
        "http://chess.example:443/round",
        "https://chess.example:8443/round",
        "https://chess.example:99999/round",
        "https://www.chess.example/round",
        "https://chess.example.evil/round",
        "https://lichess.org/round",
    ] {
        assert!(given.token(&uri(other)).is_none(), "{other}");
    }
    assert!(!format!("{given:?}").contains("hunter2"));
    for (server, token, wrong) in [
        ("http://chess.example", TOKEN, NoAccess::Server),
        ("http://127.0.0.1", TOKEN, NoAccess::Server),
        ("chess.example", TOKEN, NoAccess::Server),
        ("https://chess.example/api", TOKEN, NoAccess::Server),
        ("https://chess.example:99999", TOKEN, NoAccess::Server),
        ("https://chess.example", "a\nb", NoAccess::Token),
    ] {
        let refused = servers().with_token(server, token).unwrap_err();
        assert_eq!(refused, wrong, "{server}");
        assert!(!refused.to_string().contains(token));
    }
}

#[tokio::test]
async fn a_token_is_sent_with_a_round_and_not_with_a_text() {
    let server = Server::start().await;
    server.serves("", &game("aaaaaaaa", "A", "1. e4").repeat(2));
    let given = with_token(&server);
    until(&mut stream(&server, given.clone()), &[1]).await;
    let sent = server.last_request();
    assert!(
        sent.contains("\r\nauthorization: bearer lip_hunter2\r\n"),
        "{sent}"
    );
    let Ok(Location::Text(address)) = server.at("/1.pgn").parse() else {
        panic!();
    };
    let every = std::time::Duration::ZERO;
    let mut text = PolledText::new(address, given, every);
    text.look().await.unwrap();
    assert!(!server.last_request().contains("authorization"));
    // The same host and port without TLS.
    let tls = server.at("").replace("http://", "https://");
    let given = servers().with_token(&tls, TOKEN).unwrap();
    stream(&server, given).look().await.unwrap();
    assert!(!server.last_request().contains("authorization"));
}

#[tokio::test]
async fn a_token_that_is_refused_takes_no_public_round_away() {
    let server = Server::start().await;
    server.serves("", &game("aaaaaaaa", "A", "1. e4").repeat(2));
    for refusal in ["401 Unauthorized", "403 Forbidden"] {
        server.answers_tokens(refusal);
        until(&mut stream(&server, with_token(&server)), &[1]).await;
        assert!(!server.last_request().contains("authorization"));
    }
    // A private round is lost, and both answers are named.
    server.answers("404 Not Found", "");
    let mut round = stream(&server, with_token(&server));
    let lost = round.look().await.unwrap_err().to_string();
    for part in ["token for private rounds (403 Forbidden)", "404 Not Found"] {
        assert!(lost.contains(part), "{lost}");
    }
    // A wait that the server asks for stays one.
    server.answers("429 Too Many Requests", "");
    let mut round = stream(&server, with_token(&server));
    let lost = round.look().await.unwrap_err();
    assert!(matches!(*lost, Failure::Busy { .. }), "{lost}");
}

#[tokio::test]
async fn a_token_that_cannot_be_used_is_named_when_a_round_needs_it() {
    let server = Server::start().await;
    let unusable = RoundsToken::Unusable("private_rounds.token_file: it is gone".into());
    let given = with_access(&server, unusable);
    server.serves("", &game("aaaaaaaa", "A", "1. e4").repeat(2));
    until(&mut stream(&server, given.clone()), &[1]).await;
    for status in [StatusCode::UNAUTHORIZED, StatusCode::NOT_FOUND] {
        server.answers(&status.to_string(), "");
        let lost = stream(&server, given.clone()).look().await.unwrap_err();
        let lost = lost.to_string();
        for part in [status.as_str(), "private_rounds.token_file: it is gone"] {
            assert!(lost.contains(part), "{lost}");
        }
    }
    server.answers("500 Oh", "");
    let lost = stream(&server, given).look().await.unwrap_err().to_string();
    assert!(!lost.contains("private_rounds"), "{lost}");
}
