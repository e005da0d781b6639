use super::*;

fn read(text: &str) -> Result<Call, &'static str> {
    Request::read(text).call
}

fn id(text: &str) -> Id {
    Id(RawValue::from_string(text.to_owned()).unwrap())
}

#[test]
fn every_row_of_the_calls_is_read() {
    for (text, call) in [
        (r#"{"id":1,"call":"eboards"}"#, Call::Eboards),
        (r#"{"call":"eboards","id":1,"param":null}"#, Call::Eboards),
        (r#"{"call":"eboards","param":{},"id":1}"#, Call::Eboards),
        (r#"{"call":"sources","id":1}"#, Call::Sources),
        (
            r#"{"id":2,"call":"subscribe","param":{"feed":"eboardevent","id":1,"param":{"serialnr":"23946"}}}"#,
            Call::Subscribe {
                feed: id("1"),
                serialnr: "23946".to_owned(),
            },
        ),
        (
            r#"{"id":3,"call":"call","param":{"id":"a","method":"setup","param":{"fen":"8/8"}}}"#,
            Call::Setup {
                feed: id("\"a\""),
                fen: "8/8".to_owned(),
            },
        ),
        (
            r#"{"id":4,"call":"call","param":{"id":1,"method":"flip","param":{"flip":true}}}"#,
            Call::Flip {
                feed: id("1"),
                flip: true,
            },
        ),
        (
            r#"{"id":4,"call":"call","param":{"id":1,"method":"setup","param":{"flip":true}}}"#,
            Call::Flip {
                feed: id("1"),
                flip: true,
            },
        ),
        (
            r#"{"id":5,"call":"unsubscribe","param":{"id":1}}"#,
            Call::Unsubscribe { feed: id("1") },
        ),
        (
            r#"{"id":5,"call":"unsubscribe","param":1}"#,
            Call::Unsubscribe { feed: id("1") },
        ),
    ] {
        assert_eq!(read(text), Ok(call), "{text}");
    }
}

#[test]
fn what_cannot_be_read_becomes_an_error_with_its_id() {
    for (text, own, message) in [
        ("", "0", "not a JSON object with call, id and param"),
        (
            "feed:23946",
            "0",
            "not a JSON object with call, id and param",
        ),
        ("[1]", "0", "not a JSON object with call, id and param"),
        (r#"{"id":7}"#, "7", "call is not a text"),
        (r#"{"id":7,"call":5}"#, "7", "call is not a text"),
        (r#"{"id":"7","call":"feed"}"#, "\"7\"", "unknown call"),
        (r#"{"id":[7],"call":"feed"}"#, "0", "unknown call"),
        (
            r#"{"id":7,"call":"subscribe"}"#,
            "7",
            "subscribe needs feed, id and param.serialnr",
        ),
        (
            r#"{"id":7,"call":"subscribe","param":{"feed":"eboardevent"}}"#,
            "7",
            "subscribe needs feed, id and param.serialnr",
        ),
        (
            r#"{"id":7,"call":"subscribe","param":{"feed":"x","id":1,"param":{"serialnr":"1"}}}"#,
            "7",
            "unknown feed",
        ),
        (
            r#"{"id":7,"call":"call","param":{"id":1,"method":"setup","param":{}}}"#,
            "7",
            "setup needs param.fen",
        ),
        (
            r#"{"id":7,"call":"call","param":{"id":1,"method":"flip","param":{}}}"#,
            "7",
            "flip needs param.flip",
        ),
        (
            r#"{"id":7,"call":"call","param":{"id":1,"method":"x","param":{}}}"#,
            "7",
            "unknown method",
        ),
        (
            r#"{"id":7,"call":"call","param":[]}"#,
            "7",
            "call needs id, method and param",
        ),
        (
            r#"{"id":7,"call":"unsubscribe","param":{}}"#,
            "7",
            "unsubscribe needs the id of a feed",
        ),
    ] {
        let request = Request::read(text);
        assert_eq!(
            (request.id, request.call),
            (id(own), Err(message)),
            "{text}"
        );
    }
}

#[test]
fn an_id_comes_back_as_it_was_written() {
    for text in ["7", "-1", "\"7\"", "1.50", "123456789012345678901234567890"] {
        let request = Request::read(&format!(r#"{{"call":"eboards","id":{text}}}"#));
        let reply = answer(&request.id, (), 5);
        let expected = format!(r#"{{"response":"call","id":{text},"param":null,"time":5}}"#);
        assert_eq!(reply, expected);
    }
    let long = format!(r#"{{"call":"eboards","id":"{}"}}"#, "x".repeat(100));
    assert_eq!(Request::read(&long).id, Id::none());
    assert_eq!(
        error(&id("9"), "unknown call", 5),
        r#"{"response":"error","id":9,"param":{"message":"unknown call"},"time":5}"#
    );
}
