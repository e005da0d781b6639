//! Shows refusals as pages in a browser.
//!
//! A program gets a refusal as JSON. A browser that requests a page gets a page with the same
//! status, in the reader's language and with a link back.

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, header},
    middleware::Next,
    response::{Html, IntoResponse as _, Response},
};

use super::{answer::RefusedWith, pages};

/// Replaces a refusal by a page if the request asks for one.
pub(super) async fn refused(request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let wants_page = reads && wants_page(request.headers());
    let up = if wants_page {
        up(request.uri().path())
    } else {
        String::new()
    };
    let response = next.run(request).await;
    let Some(RefusedWith(code)) = response.extensions().get().copied() else {
        return response;
    };
    let page = wants_page.then(|| pages::refusal(code, &up)).flatten();
    let mut answer = match page {
        Some(page) => (response.status(), Html(page)).into_response(),
        None => response,
    };
    let vary = HeaderValue::from_static("accept");
    answer.headers_mut().insert(header::VARY, vary);
    answer
}

/// Whether the request accepts HTML and does not prefer JSON.
fn wants_page(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    let accepted = accepted.filter_map(|value| value.to_str().ok());
    let ranges: Vec<&str> = accepted.flat_map(|value| value.split(',')).collect();
    let weight = |kind: &str| {
        let weights = ranges.iter().filter_map(|range| {
            let mut parts = range.split(';').map(str::trim);
            let named = parts.next()?.eq_ignore_ascii_case(kind);
            let weight = parts.find_map(|part| part.strip_prefix("q="));
            named.then(|| weight.map_or(1.0, |weight| weight.parse().unwrap_or(0.0)))
        });
        weights.fold(0.0, f32::max)
    };
    let page = weight("text/html");
    page > 0.0 && page >= weight("application/json")
}

/// The relative path from an address to the start page. Links in pages must be relative, because a
/// web server may serve all pages below an unknown path.
fn up(path: &str) -> String {
    let folders = path.matches('/').count().saturating_sub(1);
    format!("./{}", "../".repeat(folders))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_wants_a_page_and_a_program_does_not() {
        for (accept, page) in [
            (
                "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
                true,
            ),
            ("TEXT/HTML ; q=0.5", true),
            ("application/json;q=0.5, text/html", true),
            ("*/*", false),
            ("application/json", false),
            ("application/json, text/html;q=0.9", false),
            ("text/html;q=0", false),
            ("text/html;q=x", false),
            ("image/avif,image/webp", false),
            ("", false),
        ] {
            let headers = [(header::ACCEPT, HeaderValue::from_str(accept).unwrap())];
            assert_eq!(wants_page(&headers.into_iter().collect()), page, "{accept}");
        }
        assert!(!wants_page(&HeaderMap::new()));
    }

    #[test]
    fn the_way_back_counts_the_folders() {
        assert_eq!(up("/nothing"), "./");
        assert_eq!(up("/evidence/b1"), "./../");
        assert_eq!(up("/a//b/"), "./../../../");
        assert_eq!(up(""), "./");
    }
}
