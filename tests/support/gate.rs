//! A door between a client and a broker that the test opens and shuts.

use std::net::SocketAddr;

use tokio::{
    io::copy_bidirectional,
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
};

/// While it is shut, connections are cut and new ones are dropped at once.
pub struct Gate {
    address: SocketAddr,
    open: watch::Sender<bool>,
    _task: JoinSet<()>,
}

impl Gate {
    /// An open gate before `broker`.
    pub async fn before(broker: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (open, state) = watch::channel(true);
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut connections = JoinSet::new();
            loop {
                let (mut client, _) = listener.accept().await.unwrap();
                let mut state = state.clone();
                connections.spawn(async move {
                    if !*state.borrow_and_update() {
                        return;
                    }
                    let Ok(mut broker) = TcpStream::connect(broker).await else {
                        return;
                    };
                    tokio::select! {
                        _ = copy_bidirectional(&mut client, &mut broker) => {}
                        _ = state.wait_for(|open| !open) => {}
                    }
                });
            }
        });
        Self {
            address,
            open,
            _task: task,
        }
    }

    pub fn set_open(&self, open: bool) {
        self.open.send_replace(open);
    }

    pub fn url(&self) -> String {
        format!("mqtt://{}", self.address)
    }
}
