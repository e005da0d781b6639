//! A proxy between a client and a broker that the test opens and shuts.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
    time::sleep,
};

/// The state of the connection to the broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateState {
    /// Bytes pass in both directions.
    Open,
    /// Connections are cut, and new ones are dropped immediately.
    Shut,
    /// Everything arrives this much later, and in order.
    Slow(Duration),
    /// Nothing arrives, without any error.
    Stuck,
}

/// A proxy to a broker, controlled by the test.
pub struct Gate {
    address: SocketAddr,
    way: watch::Sender<GateState>,
    _task: JoinSet<()>,
}

impl Gate {
    /// An open gate in front of `broker`.
    pub async fn before(broker: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (way, state) = watch::channel(GateState::Open);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (client, _) = listener.accept().await.unwrap();
                connections.spawn(pass(client, broker, state.clone()));
                while connections.try_join_next().is_some() {}
            }
        });
        Self {
            address,
            way,
            _task: task,
        }
    }

    /// Opens or closes it.
    pub fn set_open(&self, open: bool) {
        self.set(if open {
            GateState::Open
        } else {
            GateState::Shut
        });
    }

    /// Sets what it does with bytes.
    pub fn set(&self, way: GateState) {
        self.way.send_replace(way);
    }

    /// The URL of the broker, through the gate.
    pub fn url(&self) -> String {
        format!("mqtt://{}", self.address)
    }
}

async fn pass(client: TcpStream, broker: SocketAddr, mut way: watch::Receiver<GateState>) {
    if *way.borrow_and_update() == GateState::Shut {
        return;
    }
    let Ok(broker) = TcpStream::connect(broker).await else {
        return;
    };
    // Data held back while stuck must not pass once the gate is shut.
    let (one, more) = (way.clone(), way.clone());
    let (from_client, to_client) = client.into_split();
    let (from_broker, to_broker) = broker.into_split();
    tokio::select! {
        biased;
        _ = way.wait_for(|way| *way == GateState::Shut) => {}
        () = pump(from_client, to_broker, one) => {}
        () = pump(from_broker, to_client, more) => {}
    }
}

async fn pump(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut way: watch::Receiver<GateState>,
) {
    let mut buffer = vec![0; 65_536];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        if way.wait_for(|way| *way != GateState::Stuck).await.is_err() {
            return;
        }
        let now = *way.borrow();
        if let GateState::Slow(by) = now {
            sleep(by).await;
        }
        if to.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}
