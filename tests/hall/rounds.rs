//! The pairings of a round, read by the server.

use serde_json::json;

use super::Stage;

#[tokio::test(flavor = "multi_thread")]
async fn the_arbiter_has_a_round_read_whatever_its_encoding() {
    let stage = Stage::set().await;
    let mut arbiter = stage.signed_in("arbiter", None).await;
    let file = b"Brett;Wei\xdf;Schwarz;EloWeiss\r\n1;M\xfcller, J\xf6rg;Gro\xdf;unr.\r\n7;C;D;\r\n2;E;spielfrei;\r\n";
    let answer = arbiter.post_file("/api/pairings?boards=b1,b2", file).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let expected = json!({
        "schema": "remisd/pairings/1",
        "text": "Brett;Weiß;Schwarz;EloWeiss\n1;Müller, Jörg;Groß;unr.\n7;C;D;\n2;E;spielfrei;",
        "seats": [{
            "board": "b1", "line": 2, "start_fen": null,
            "headers": {"Board": "1", "White": "Müller, Jörg", "Black": "Groß"},
        }],
        "problems": [],
        "warnings": [
            {"line": 3, "trouble": "unknown_board", "detail": "7"},
            {"line": 4, "trouble": "bye", "detail": "E"},
        ],
    });
    assert_eq!(answer.json(), expected);
    // A complete round with all its moves exceeds the size limit of commands.
    let moves = "1. Nf3 Nf6 2. Ng1 Ng8 ".repeat(2000);
    let large = format!("[White \"A\"]\n[Black \"B\"]\n\n{moves}*\n");
    let answer = arbiter
        .post_file("/api/pairings?boards=b1", large.as_bytes())
        .await;
    assert_eq!(answer.json()["seats"][0]["board"], "b1");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_an_arbiter_may_upload_a_file_and_its_size_is_limited() {
    let stage = Stage::set().await;
    let path = "/api/pairings?boards=b1";
    assert_eq!(
        stage.browser().await.post_file(path, b"A;B").await.status,
        401
    );
    let mut white = stage.signed_in("white", Some("b1")).await;
    assert_eq!(white.post_file(path, b"A;B").await.status, 401);
    let mut arbiter = stage.signed_in("arbiter", None).await;
    let large = vec![b'x'; (1 << 20) + 1];
    assert_eq!(arbiter.post_file(path, &large).await.status, 413);
}
