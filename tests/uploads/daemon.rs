//! The built daemon with an upload in its configuration.

use std::{fs, os::unix::fs::PermissionsExt as _};

use remisd_testkit::{
    DEADLINE,
    by_hand::ByHand,
    file_server::{FileServer, own_user},
    mosquitto::Mosquitto,
    poll::poll_until,
    remisd::Home,
    witness::Witness,
};

const TUNING: &str = "orientation = \"normal\"\n[board.hand]\nspeed = 20\n\
    new_game_ms = 1200\nmismatch_ms = 6000\n[board.dgt]\n\
    command_gap_ms = 5\nquiet_ms = 15\nburst_ms = 75\ndump_every_ms = 250\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_move_on_the_board_is_in_a_file_on_the_server() {
    let server = FileServer::sshd().await;
    let key = server.client_key();
    let sections = format!(
        "[broadcast]\nupload_url = \"sftp://{}@{}{}\"\nupload_key_file = \"{}\"\n\
         upload_host_keys = [\"{}\"]\n",
        own_user(),
        server.address(),
        server.files().display(),
        key.display(),
        server.fingerprint()
    );
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    let broker = Mosquitto::start().await;
    let home = Home::new(&broker.url(), &sections, &["b1"], TUNING);
    let daemon = home.start();
    let public = Witness::watch(broker.address(), &["chess/v1/#"]).await;
    let mut board = ByHand::start(&home.port("b1"));
    let topic = "chess/v1/hall/public/b1/game";
    let is_seen = |game: &serde_json::Value| game["moves"].is_array().then_some(());
    public.retained(topic, is_seen).await;
    board.play("e2e4").await;
    let file = server.files().join("round-1/game-1.pgn");
    let there = || fs::read_to_string(&file).unwrap_or_default();
    let what = || format!("no move in {:?}\n{}", there(), daemon.log());
    poll_until(DEADLINE, what, || there().contains("1. e4")).await;
    let state = "chess/v1/hall/node/remisd/broadcast";
    let is_written = |state: &serde_json::Value| {
        let upload = state.get("upload")?;
        (upload.get("written_at").is_some() && upload.get("error").is_none()).then_some(())
    };
    public.retained(state, is_written).await;
}
