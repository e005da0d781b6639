//! An ordinary MQTT 5 client that receives what a broker delivers.

use std::{net::SocketAddr, time::Duration};

use bytes::Bytes;
use rumqttc::v5::{
    AsyncClient, Event, EventLoop, Incoming, MqttOptions,
    mqttbytes::{
        QoS,
        v5::{ConnectProperties, Publish, PublishProperties},
    },
};
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{sleep, timeout},
};

use super::DEADLINE;

enum Seen {
    Subscribed,
    Message(Box<Publish>),
}

/// Subscribes to one filter and can publish. Reconnects when the broker returns.
pub struct Observer {
    client: AsyncClient,
    seen: mpsc::UnboundedReceiver<Seen>,
    _task: JoinSet<()>,
}

impl Observer {
    /// Connects and waits for the subscription.
    pub async fn watch(broker: SocketAddr, filter: &str) -> Self {
        let name = format!("observer-{}", filter.replace(['/', '#', '+'], "-"));
        Self::watch_as(&name, broker, filter).await
    }

    /// The same with this client id.
    pub async fn watch_as(name: &str, broker: SocketAddr, filter: &str) -> Self {
        let mut options = MqttOptions::new(name, broker.ip().to_string(), broker.port());
        options.set_connect_properties(ConnectProperties {
            max_packet_size: Some(1_000_000),
            ..ConnectProperties::new()
        });
        let (client, events) = AsyncClient::new(options, 100);
        let (sender, seen) = mpsc::unbounded_channel();
        let mut task = JoinSet::new();
        task.spawn(run(events, client.clone(), filter.to_owned(), sender));
        let mut observer = Self {
            client,
            seen,
            _task: task,
        };
        observer.subscribed().await;
        observer
    }

    /// Waits for the (renewed) subscription and discards everything received before.
    pub async fn subscribed(&mut self) {
        loop {
            if let Seen::Subscribed = self.next().await {
                return;
            }
        }
    }

    /// The next message.
    pub async fn message(&mut self) -> Publish {
        loop {
            if let Seen::Message(message) = self.next().await {
                return *message;
            }
        }
    }

    /// The next message with this payload.
    pub async fn payload(&mut self, wanted: &[u8]) -> Publish {
        loop {
            let message = self.message().await;
            if message.payload == wanted {
                return message;
            }
        }
    }

    /// Publishes with `QoS` 1.
    pub async fn publish(&self, topic: &str, payload: impl Into<Bytes>, retain: bool) {
        self.publish_with(topic, payload, retain, PublishProperties::default())
            .await;
    }

    /// Publishes with `QoS` 1 with these properties.
    pub async fn publish_with(
        &self,
        topic: &str,
        payload: impl Into<Bytes>,
        retain: bool,
        properties: PublishProperties,
    ) {
        let (qos, payload) = (QoS::AtLeastOnce, payload.into());
        let sent = self
            .client
            .publish_with_properties(topic, qos, retain, payload, properties);
        sent.await.unwrap();
    }

    async fn next(&mut self) -> Seen {
        let next = timeout(DEADLINE, self.seen.recv()).await;
        next.expect("the observer sees nothing").unwrap()
    }
}

async fn run(
    mut events: EventLoop,
    client: AsyncClient,
    filter: String,
    seen: mpsc::UnboundedSender<Seen>,
) {
    loop {
        let news = match events.poll().await {
            Ok(Event::Incoming(Incoming::ConnAck(_))) => {
                client.try_subscribe(&filter, QoS::AtLeastOnce).unwrap();
                continue;
            }
            Ok(Event::Incoming(Incoming::SubAck(_))) => Seen::Subscribed,
            Ok(Event::Incoming(Incoming::Publish(publish))) => Seen::Message(Box::new(publish)),
            Ok(_) => continue,
            Err(_) => {
                sleep(Duration::from_millis(10)).await;
                continue;
            }
        };
        if seen.send(news).is_err() {
            return;
        }
    }
}
