//! The demo's own broker: in memory, on this computer only.
//!
//! It stores nothing on disk, requires no password and listens on a loopback address, so it needs
//! no setup and leaves nothing behind. It is not meant for a hall: it has no access control and
//! forgets everything when it stops. A real installation runs Mosquitto.

use std::{net::SocketAddr, time::Duration};

use mqtt5::broker::{
    BrokerConfig, BrokerShutdownHandle, MqttBroker,
    config::{StorageBackend, StorageConfig},
};
use tokio::{task::JoinHandle, time::timeout};

/// Time limit for a clean stop.
const STOP: Duration = Duration::from_secs(2);
/// Maximum size of a packet, in bytes; the daemon's own limit.
const MAX_PACKET: usize = 256 * 1024;

/// The broker could not be started.
#[derive(Debug, thiserror::Error)]
#[error("cannot start the demo's own broker: {0}")]
pub struct DemoBrokerError(String);

/// A running broker. Dropping it stops it immediately.
#[derive(Debug)]
pub struct DemoBroker {
    address: SocketAddr,
    shutdown: Shutdown,
    task: JoinHandle<()>,
}

struct Shutdown(BrokerShutdownHandle);

impl std::fmt::Debug for Shutdown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shutdown")
    }
}

impl DemoBroker {
    /// Starts the broker on an address and waits until it accepts connections; port 0 takes any
    /// free port. The broker requires no password, so the address should be a loopback address.
    ///
    /// # Errors
    ///
    /// The port is taken.
    pub async fn start(address: SocketAddr) -> Result<Self, DemoBrokerError> {
        let refused = |error: mqtt5::MqttError| DemoBrokerError(error.to_string());
        let mut broker = MqttBroker::with_config(config(address))
            .await
            .map_err(refused)?;
        let address = broker
            .local_addr()
            .ok_or_else(|| DemoBrokerError("the broker has no address".to_owned()))?;
        let shutdown = Shutdown(broker.shutdown_handle());
        let mut ready = broker.ready_receiver();
        let task = tokio::spawn(async move {
            if let Err(error) = broker.run().await {
                tracing::error!(%error, "the demo's own broker has ended");
            }
        });
        let ended = |_| DemoBrokerError("it ended at once".to_owned());
        ready.wait_for(|ready| *ready).await.map_err(ended)?;
        Ok(Self {
            address,
            shutdown,
            task,
        })
    }

    /// The broker's address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The broker's URL, for the daemon's configuration.
    #[must_use]
    pub fn url(&self) -> String {
        format!("mqtt://{}", self.address)
    }

    /// Closes the listener and all connections; returns within two seconds.
    pub async fn stop(mut self) {
        self.shutdown.0.shutdown();
        if timeout(STOP, &mut self.task).await.is_err() {
            tracing::warn!("the demo's own broker does not stop by itself; it is ended");
        }
    }
}

impl Drop for DemoBroker {
    fn drop(&mut self) {
        self.shutdown.0.shutdown();
        self.task.abort();
    }
}

fn config(address: SocketAddr) -> BrokerConfig {
    BrokerConfig {
        bind_addresses: vec![address],
        max_clients: 1000,
        max_packet_size: MAX_PACKET,
        storage_config: StorageConfig {
            backend: StorageBackend::Memory,
            enable_persistence: true, // in memory: retained messages and queues
            ..StorageConfig::default()
        },
        sys_topics_enabled: false,
        ..BrokerConfig::default()
    }
}
