//! The pages and their assets, embedded at build time.

use std::{collections::HashMap, fmt::Write as _, io::Write as _, sync::LazyLock};

use axum::{
    extract::Path,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest as _, Sha256};

use super::answer::Refusal;

#[derive(rust_embed::RustEmbed)]
#[folder = "src/hall/assets"]
struct Embedded;

/// A file with its response headers.
#[derive(Debug)]
struct Asset {
    kind: &'static str,
    plain: Bytes,
    /// The content compressed with gzip, if that is smaller.
    gzip: Option<Bytes>,
    etag: HeaderValue,
}

static ASSETS: LazyLock<HashMap<String, Asset>> = LazyLock::new(|| {
    let files = Embedded::iter().filter_map(|name| {
        let file = Embedded::get(&name)?;
        Some((
            name.clone().into_owned(),
            Asset::new(&name, Bytes::from(file.data.into_owned())),
        ))
    });
    files.collect()
});

impl Asset {
    fn new(name: &str, plain: Bytes) -> Self {
        let digest = Sha256::digest(&plain);
        let etag = digest
            .iter()
            .take(12)
            .fold(String::new(), |mut etag, byte| {
                _ = write!(etag, "{byte:02x}"); // writing to a string cannot fail
                etag
            });
        let gzip = compress(&plain).filter(|gzip| gzip.len() < plain.len());
        Self {
            kind: kind(name),
            gzip,
            etag: HeaderValue::from_str(&format!("\"{etag}\""))
                .unwrap_or_else(|_| HeaderValue::from_static("\"\"")),
            plain,
        }
    }
}

fn compress(plain: &[u8]) -> Option<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).ok()?;
    encoder.finish().ok().map(Bytes::from)
}

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "woff2" => "font/woff2",
        "json" | "webmanifest" => "application/json",
        "txt" | "md" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Handles `GET /assets/<name>`.
pub(crate) async fn asset(Path(name): Path<String>, headers: HeaderMap) -> Response {
    send(&name, &headers)
}

/// The page that explains a refusal. `code` names the reason, and `up` is the relative path from
/// the requested address to the start page.
pub(super) fn refusal(code: &str, up: &str) -> Option<String> {
    let template = std::str::from_utf8(&ASSETS.get("refused.html")?.plain).ok()?;
    Some(template.replace("{code}", code).replace("{up}", up))
}

/// Serves an asset by name.
pub(crate) fn send(name: &str, headers: &HeaderMap) -> Response {
    let Some(asset) = ASSETS.get(name) else {
        return Refusal::NotFound.into_response();
    };
    let is_known = headers.get(header::IF_NONE_MATCH) == Some(&asset.etag);
    let takes_gzip = headers.get_all(header::ACCEPT_ENCODING).iter();
    let takes_gzip = takes_gzip
        .filter_map(|value| value.to_str().ok())
        .any(|value| value.split(',').any(|one| one.trim().starts_with("gzip")));
    let gzip = asset.gzip.as_ref().filter(|_| takes_gzip);
    let (status, body) = if is_known {
        (StatusCode::NOT_MODIFIED, Bytes::new())
    } else {
        (StatusCode::OK, gzip.unwrap_or(&asset.plain).clone())
    };
    let mut response = (status, body).into_response();
    let answer = response.headers_mut();
    answer.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    answer.insert(header::ETAG, asset.etag.clone());
    // Revalidated on every request, which costs little: a new version shows immediately.
    answer.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    answer.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    if gzip.is_some() {
        answer.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    response
}
