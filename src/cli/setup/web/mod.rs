//! `remisd setup --web`: a page that asks for the answers and shows the result.
//!
//! | request | does |
//! |---|---|
//! | `POST api/session` | opens the session with the code |
//! | `GET api/setup` | the first answers |
//! | `POST api/ports` | lists the ports and asks which board is there |
//! | `POST api/plan` | names the files and users of the answers, and what is wrong with them |
//! | `POST api/write` | writes the files, once; returns the users with their passwords |
//! | `POST api/end` | ends the server; the page has received everything |
//!
//! All but the first need the cookie of the session. The answers are checked and the files made by
//! the same functions as for the command line.

mod door;

use std::{
    io::{self, Write as _},
    net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::Context as _;
use axum::{
    Json, Router,
    extract::{ConnectInfo, DefaultBodyLimit, Request, State},
    http::{HeaderMap, Method, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::{get, post},
};
use remisd_vocabulary::time::{Clock, Span, SystemClock};
use serde::Deserialize;
use serde_json::json;
use tokio::{net::TcpListener, time::sleep};
use tokio_util::sync::CancellationToken;

use self::door::{Door, IDLE, Refusal};
use super::{
    Plan, Written,
    answers::{Answers, Fault, Form, Problem},
    layout::Layout,
    loopback, password,
    plan::in_use,
    steps::without_port,
};
use crate::{
    cli::{ports, service::Ending},
    hall::{
        HostNames, JsonBody, Peer, RequestRefusal, asset, is_from_our_page, security_headers,
        send_asset, serve_router_at,
    },
};

/// The longest body: the answers for the greatest number of boards.
const LONGEST: usize = 512 * 1024;
/// The longest body of somebody who has not typed the code yet.
const LONGEST_CODE: usize = 1024;
/// How long the server stays after the files have been written, for a slow network.
const FAREWELL: Duration = Duration::from_secs(30);

/// What the requests share.
#[derive(Debug)]
struct Page {
    layout: Layout,
    first: Form,
    listen: SocketAddr,
    door: Door,
    names: HostNames,
    clock: Arc<dyn Clock>,
    /// Two probes of one port would hear each other's answers.
    probing: tokio::sync::Mutex<()>,
    written: Mutex<Option<Written>>,
    cancel: CancellationToken,
}

/// Asks on a page until the files are written; `None` if nobody answers or it is interrupted.
///
/// # Errors
///
/// The address cannot be listened on, or random numbers are not available.
pub async fn ask(
    layout: Layout,
    first: Form,
    listen: Option<SocketAddr>,
) -> anyhow::Result<Option<Written>> {
    let wanted = listen.unwrap_or_else(|| loopback(0));
    let listener = TcpListener::bind(wanted).await;
    let listener = listener.with_context(|| format!("--listen: cannot listen on {wanted}"))?;
    let listen = listener.local_addr()?;
    let code = password::code()?;
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let cancel = CancellationToken::new();
    let page = Arc::new(Page {
        layout,
        first,
        listen,
        door: Door::new(&code, listen.port(), clock.monotonic())?,
        names: HostNames::new(&[]),
        clock: Arc::clone(&clock),
        probing: tokio::sync::Mutex::default(),
        written: Mutex::default(),
        cancel: cancel.clone(),
    });
    let mut ending = Ending::new()?;
    announce(listen, &code)?;
    let serving = serve_router_at(listener, router(Arc::clone(&page)), &cancel);
    let unused = unused(&page.door, &*clock);
    tokio::select! {
        () = serving => {}
        () = unused => anstream::eprintln!(
            "remisd: nobody has used the page for {} minutes",
            IDLE.as_millis() / 60_000
        ),
        () = ending.signalled() => {}
    }
    let written = page.take_written();
    if written.is_none() {
        anstream::eprintln!("remisd: nothing has been written");
    }
    Ok(written)
}

/// Prints the address. On this computer it carries the code in its fragment, which no browser sends
/// to a server; on a network the code must be typed.
fn announce(listen: SocketAddr, code: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if listen.ip().is_loopback() {
        writeln!(out, "Open http://{listen}/#code={code}")?;
    } else {
        writeln!(out, "Open http://{}/", for_others(listen, None))?;
        writeln!(out, "Code {code}")?;
        writeln!(
            out,
            "The connection is not encrypted: use it in a network that you trust."
        )?;
    }
    let minutes = IDLE.as_millis() / 60_000;
    writeln!(
        out,
        "The page ends when the files are written, or after {minutes} minutes without use.\n"
    )?;
    out.flush()
}

/// An address under which other computers reach what listens on `at`. If that is on all addresses,
/// `of_page` is taken, the one of the set-up's page, as far as others reach it.
fn for_others(at: SocketAddr, of_page: Option<IpAddr>) -> SocketAddr {
    let ip = Some(at.ip()).filter(|ip| !ip.is_unspecified());
    let of_page = of_page.filter(|ip| !ip.is_unspecified() && !ip.is_loopback());
    let ip = ip.or(of_page).or_else(own_address);
    (ip.unwrap_or(Ipv4Addr::LOCALHOST.into()), at.port()).into()
}

/// The address of this computer in its network. It is the one from which a datagram would go to
/// elsewhere; none is sent.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    Some(socket.local_addr().ok()?.ip())
}

/// Ends when the door has not been used for a while.
async fn unused(door: &Door, clock: &dyn Clock) {
    loop {
        let left = door.closes() - clock.monotonic();
        if left == Span::ZERO {
            return;
        }
        sleep(left.into()).await;
    }
}

fn router(page: Arc<Page>) -> Router {
    let inside = Router::new()
        .route("/api/setup", get(first))
        .route("/api/ports", post(find_ports))
        .route("/api/plan", post(plan))
        .route("/api/write", post(write))
        .route("/api/end", post(end))
        .layer(middleware::from_fn_with_state(
            Arc::clone(&page),
            require_session,
        ));
    Router::new()
        .route(
            "/",
            get(async |headers: HeaderMap| send_asset("setup.html", &headers)),
        )
        .route("/assets/{name}", get(asset))
        .route(
            "/api/session",
            post(open).layer(DefaultBodyLimit::max(LONGEST_CODE)),
        )
        .merge(inside)
        .layer(DefaultBodyLimit::max(LONGEST))
        .layer(middleware::from_fn_with_state(
            Arc::clone(&page),
            require_own_page,
        ))
        .with_state(page)
        .fallback(async || RequestRefusal::NotFound)
        .layer(middleware::from_fn(security_headers))
}

/// Refuses requests that another site has sent through the browser: under a name of its own, or
/// from one of its pages.
async fn require_own_page(State(page): State<Arc<Page>>, request: Request, next: Next) -> Response {
    let headers = request.headers();
    if !page.names.are_ours(headers) {
        return RequestRefusal::ForeignHost.into_response();
    }
    if request.method() != Method::GET && !is_from_our_page(headers) {
        return RequestRefusal::ForeignOrigin.into_response();
    }
    next.run(request).await
}

async fn require_session(State(page): State<Arc<Page>>, request: Request, next: Next) -> Response {
    if page.door.admits(request.headers(), page.clock.monotonic()) {
        next.run(request).await
    } else {
        RequestRefusal::NotSignedIn.into_response()
    }
}

#[derive(Deserialize)]
struct Code {
    code: String,
}

async fn open(
    State(page): State<Arc<Page>>,
    ConnectInfo(Peer(peer)): ConnectInfo<Peer>,
    headers: HeaderMap,
    JsonBody(Code { code }): JsonBody<Code>,
) -> Response {
    let now = page.clock.monotonic();
    match page.door.open(&code, peer.ip(), &headers, now) {
        Ok(cookie) => (StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response(),
        Err(Refusal::Wrong) => {
            let message = "this is not the code, or it has been used";
            let body = json!({ "ok": false, "code": "wrong_code", "message": message });
            (StatusCode::UNAUTHORIZED, Json(body)).into_response()
        }
        Err(Refusal::TooMany(seconds)) => RequestRefusal::TooMany(seconds).into_response(),
        Err(Refusal::NoRandomness(error)) => {
            RequestRefusal::Internal(error.to_string()).into_response()
        }
    }
}

async fn first(State(page): State<Arc<Page>>) -> Response {
    Json(json!({ "form": page.first })).into_response()
}

#[derive(Deserialize)]
struct Ports {
    /// Further ports, by their paths.
    ports: Vec<String>,
}

async fn find_ports(State(page): State<Arc<Page>>, JsonBody(more): JsonBody<Ports>) -> Response {
    let _alone = page.probing.lock().await;
    match ports::find(true, &more.ports).await {
        Ok(found) => Json(found).into_response(),
        Err(error) => RequestRefusal::Internal(error.to_string()).into_response(),
    }
}

/// The answers and what would be written, or everything that is wrong.
fn planned(page: &Page, form: &Form) -> Result<(Answers, Plan), Vec<Problem>> {
    let answers = form.answers()?;
    let plan = Plan::new(&page.layout, &answers).map_err(|error| not_written(&error))?;
    let mut problems = in_use(&page.layout, &answers, Some(page.listen));
    problems.extend(plan.problems());
    if problems.is_empty() {
        Ok((answers, plan))
    } else {
        Err(problems)
    }
}

/// A failure that belongs to no answer.
fn not_written(error: &anyhow::Error) -> Vec<Problem> {
    vec![Problem::new(
        "files",
        Fault::NotWritten,
        format!("{error:#}"),
    )]
}

fn refused(problems: &[Problem]) -> Response {
    let body = json!({ "problems": problems });
    (StatusCode::UNPROCESSABLE_ENTITY, Json(body)).into_response()
}

async fn plan(State(page): State<Arc<Page>>, JsonBody(form): JsonBody<Form>) -> Response {
    match planned(&page, &form) {
        Ok((_, plan)) => {
            let users: Vec<&str> = plan.users.handed_out().map(|(user, _)| user).collect();
            let files: Vec<String> = plan
                .paths()
                .map(|path| path.display().to_string())
                .collect();
            Json(json!({ "files": files, "users": users })).into_response()
        }
        Err(problems) => refused(&problems),
    }
}

async fn write(State(page): State<Arc<Page>>, JsonBody(form): JsonBody<Form>) -> Response {
    // Held until the files are there: a second request must not touch those of the first.
    let mut done = page.written.lock().unwrap_or_else(PoisonError::into_inner);
    if done.is_some() {
        return RequestRefusal::NotFound.into_response();
    }
    let (answers, plan) = match planned(&page, &form) {
        Ok(planned) => planned,
        Err(problems) => return refused(&problems),
    };
    if let Err(error) = plan.write(&page.layout, &[]) {
        return refused(&not_written(&error));
    }
    let written = Written {
        answers,
        files: plan.paths().map(Into::into).collect(),
    };
    let response = Json(result(&page, &plan, &written)).into_response();
    *done = Some(written);
    let cancel = page.cancel.clone();
    tokio::spawn(async move {
        sleep(FAREWELL).await;
        cancel.cancel();
    });
    response
}

/// What the page shows at the end.
fn result(page: &Page, plan: &Plan, written: &Written) -> serde_json::Value {
    let layout = &page.layout;
    let users = plan.users.handed_out();
    let users: Vec<_> = users
        .map(|(user, password)| json!({ "user": user, "password": password }))
        .collect();
    let answers = &written.answers;
    let boards: Vec<&str> = answers.boards.iter().map(|board| &*board.id).collect();
    let open_files = layout.open_files(answers);
    json!({
        "files": written.files,
        "users": users,
        "boards": boards,
        "start": layout.start(),
        "pages": format!("http://{}/", for_others(answers.http, Some(page.listen.ip()))),
        "passwords": layout.passwords(),
        "without_port": without_port(written),
        "open_files": open_files.map(|(needed, limit)| json!({ "needed": needed, "limit": limit })),
        "system": !layout.is_directory(),
        "plain_broker": !answers.mqtt.ip().is_loopback(),
        "plain_pages": !answers.http.ip().is_loopback(),
        "as_root": layout.runs_as_root(),
    })
}

async fn end(State(page): State<Arc<Page>>) -> StatusCode {
    if page.is_written() {
        page.cancel.cancel();
    }
    StatusCode::NO_CONTENT
}

impl Page {
    fn take_written(&self) -> Option<Written> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.take()
    }

    fn is_written(&self) -> bool {
        let written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.is_some()
    }
}

#[cfg(test)]
mod tests {
    use remisd_vocabulary::time::Moment;
    use tokio::time::Instant;

    use super::*;

    /// The clock of the test's runtime.
    #[derive(Debug)]
    struct TestClock(Instant);

    impl Clock for TestClock {
        fn now(&self) -> jiff::Timestamp {
            jiff::Timestamp::UNIX_EPOCH
        }

        fn monotonic_us(&self) -> u64 {
            u64::try_from(self.0.elapsed().as_micros()).unwrap()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_page_that_nobody_uses_ends() {
        let clock = TestClock(Instant::now());
        let door = Door::new("abcd-efgh-2345", 8000, clock.monotonic()).unwrap();
        let half = Duration::from(IDLE) / 2;
        let using = async {
            sleep(half).await;
            let headers = HeaderMap::new();
            let here = Ipv4Addr::LOCALHOST.into();
            door.open("abcd-efgh-2345", here, &headers, clock.monotonic())
        };
        let (opened, ()) = tokio::join!(using, unused(&door, &clock));
        opened.unwrap();
        assert_eq!(
            clock.monotonic(),
            Moment::START + Span::from_millis(45 * 60 * 1000)
        );
    }

    #[test]
    fn pages_on_all_addresses_are_named_by_the_one_of_the_set_up() {
        let all = "0.0.0.0:9120".parse().unwrap();
        let of_page = Some("192.0.2.7".parse().unwrap());
        assert_eq!(for_others(all, of_page).to_string(), "192.0.2.7:9120");
        let own = "192.0.2.9:9120".parse().unwrap();
        assert_eq!(for_others(own, of_page), own);
        // An address of this computer alone helps no tablet.
        for unusable in ["127.0.0.1", "0.0.0.0"] {
            let unusable = Some(unusable.parse().unwrap());
            assert_eq!(for_others(all, unusable), for_others(all, None));
        }
    }
}
