//! An MQTT client that remembers everything it receives, in order.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
        mpsc,
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use bytes::Bytes;
use rumqttc::v5::{
    AsyncClient, Event, EventLoop, Incoming, MqttOptions,
    mqttbytes::{
        QoS,
        v5::{ConnectProperties, Filter, Publish, PublishProperties},
    },
};
use serde_json::Value;
use tokio::{
    sync::watch,
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{PATIENCE, schemas};

/// A message received on a topic.
#[derive(Debug, Clone)]
pub struct Message {
    /// Its topic.
    pub topic: String,
    /// Its payload.
    pub payload: Bytes,
    /// Whether the broker delivered it as a retained message.
    pub retain: bool,
    /// Its correlation data.
    pub correlation: Option<Bytes>,
}

impl Message {
    /// The payload as JSON; null if it is empty.
    pub fn json(&self) -> Value {
        if self.payload.is_empty() {
            return Value::Null;
        }
        serde_json::from_slice(&self.payload)
            .unwrap_or_else(|error| panic!("{}: {error}: {:?}", self.topic, self.payload))
    }
}

#[derive(Default)]
struct Seen {
    messages: Mutex<Vec<Message>>,
    connections: AtomicU64,
    /// Sends messages to the thread that validates payloads.
    to_validate: Mutex<Option<mpsc::Sender<Message>>>,
}

impl Seen {
    fn take_in(&self, message: Message) {
        if let Some(to_validate) = &*self.to_validate.lock().unwrap() {
            to_validate.send(message.clone()).expect("the thread lives");
        }
        self.messages.lock().unwrap().push(message);
    }
}

/// Subscribes to some filters and can publish. Reconnects when the broker returns.
pub struct Witness {
    client: AsyncClient,
    seen: Arc<Seen>,
    news: watch::Receiver<()>,
    /// Ends with the violations that it found.
    validator: Option<JoinHandle<Vec<String>>>,
    _task: JoinSet<()>,
}

impl Witness {
    /// Connects and waits for the subscriptions.
    pub async fn watch(broker: SocketAddr, filters: &[&str]) -> Self {
        Self::watch_as(broker, None, filters).await
    }

    /// The same as this user, by name and password.
    pub async fn watch_as(
        broker: SocketAddr,
        user: Option<(&str, &str)>,
        filters: &[&str],
    ) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("witness-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let mut options = MqttOptions::new(name, broker.ip().to_string(), broker.port());
        options.set_connect_properties(ConnectProperties {
            max_packet_size: Some(1_000_000),
            // Otherwise the broker keeps messages back, which are lost if it is killed.
            receive_maximum: Some(u16::MAX),
            ..ConnectProperties::new()
        });
        if let Some((name, password)) = user {
            options.set_credentials(name, password);
        }
        let (client, events) = AsyncClient::new(options, 1_000);
        let filters = filters
            .iter()
            .map(|filter| Filter::new(*filter, QoS::AtLeastOnce))
            .collect();
        let seen = Arc::new(Seen::default());
        let (notify, news) = watch::channel(());
        let mut task = JoinSet::new();
        task.spawn(run(
            events,
            client.clone(),
            filters,
            Arc::clone(&seen),
            notify,
        ));
        let witness = Self {
            client,
            seen,
            news,
            validator: None,
            _task: task,
        };
        witness.connected(1).await;
        witness
    }

    /// Validates every payload from now on against the published schemas. The test fails at its end
    /// if one is invalid. Validation runs on its own thread, so it does not slow down receiving.
    #[must_use]
    pub fn checking(mut self) -> Self {
        let (sender, received) = mpsc::channel::<Message>();
        *self.seen.to_validate.lock().unwrap() = Some(sender);
        self.validator = Some(thread::spawn(move || {
            let faults = |message: Message| schemas::published(&message.topic, &message.payload);
            received.into_iter().flat_map(faults).collect()
        }));
        self
    }

    /// Waits until it has subscribed for the `times`th time.
    pub async fn connected(&self, times: u64) {
        let enough = |_: &[Message]| (self.connections() >= times).then_some(());
        self.until("subscription", enough).await;
    }

    /// How often it has subscribed.
    pub fn connections(&self) -> u64 {
        self.seen.connections.load(Ordering::SeqCst)
    }

    /// Waits until `find` returns a value for all messages so far, in order.
    pub async fn until<T>(&self, what: &str, mut find: impl FnMut(&[Message]) -> Option<T>) -> T {
        let mut news = self.news.clone();
        let wait = async {
            loop {
                news.borrow_and_update();
                if let Some(found) = find(&self.seen.messages.lock().unwrap()) {
                    return found;
                }
                news.changed().await.expect("the client lives");
            }
        };
        let found = timeout(PATIENCE, wait).await;
        found.unwrap_or_else(|_| {
            let messages = self.seen.messages.lock().unwrap();
            let last: Vec<String> = messages.iter().rev().take(12).map(brief).collect();
            panic!("no {what} came; the last were {last:#?}")
        })
    }

    /// Waits until `find` returns a value for the newest payload on `topic`. An empty topic is
    /// null.
    pub async fn retained<T>(&self, topic: &str, mut find: impl FnMut(&Value) -> Option<T>) -> T {
        self.until(topic, |all| {
            let newest = all.iter().rev().find(|message| message.topic == topic);
            find(&newest.map_or(Value::Null, Message::json))
        })
        .await
    }

    /// All messages so far.
    pub fn messages(&self) -> Vec<Message> {
        self.seen.messages.lock().unwrap().clone()
    }

    /// Takes all messages received so far.
    pub fn take(&self) -> Vec<Message> {
        std::mem::take(&mut self.seen.messages.lock().unwrap())
    }

    /// A receiver that is notified of new messages.
    pub fn listen(&self) -> watch::Receiver<()> {
        self.news.clone()
    }

    /// Waits for a new message; fails at the deadline.
    pub async fn news(&mut self) {
        let changed = timeout(PATIENCE, self.news.changed()).await;
        changed.expect("nothing comes").expect("the client lives");
    }

    /// Publishes with `QoS` 1.
    pub async fn publish(&self, topic: &str, payload: impl Into<Bytes>) {
        self.publish_with(topic, payload, false, PublishProperties::default())
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
}

impl Drop for Witness {
    fn drop(&mut self) {
        // Dropping the sender stops the thread.
        self.seen.to_validate.lock().unwrap().take();
        let Some(validator) = self.validator.take() else {
            return;
        };
        if !thread::panicking() {
            let faults = validator.join().expect("validation does not panic");
            let first: Vec<&String> = faults.iter().take(3).collect();
            assert!(faults.is_empty(), "{} payloads: {first:#?}", faults.len());
        }
    }
}

fn brief(message: &Message) -> String {
    let text = String::from_utf8_lossy(&message.payload);
    let text: String = text.chars().take(300).collect();
    format!("{} {text}", message.topic)
}

async fn run(
    mut events: EventLoop,
    client: AsyncClient,
    filters: Vec<Filter>,
    seen: Arc<Seen>,
    notify: watch::Sender<()>,
) {
    loop {
        match events.poll().await {
            Ok(Event::Incoming(Incoming::ConnAck(_))) => {
                client.try_subscribe_many(filters.clone()).unwrap();
            }
            Ok(Event::Incoming(Incoming::SubAck(_))) => {
                seen.connections.fetch_add(1, Ordering::SeqCst);
                notify.send_replace(());
            }
            Ok(Event::Incoming(Incoming::Publish(publish))) => {
                seen.take_in(message(publish));
                notify.send_replace(());
            }
            Ok(_) => {}
            Err(_) => sleep(Duration::from_millis(10)).await,
        }
    }
}

fn message(publish: Publish) -> Message {
    Message {
        topic: String::from_utf8(publish.topic.to_vec()).unwrap(),
        payload: publish.payload,
        retain: publish.retain,
        correlation: publish.properties.and_then(|p| p.correlation_data),
    }
}
