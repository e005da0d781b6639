//! The evidence sheet in print.

use std::{fs, path::Path, process::Command};

use super::{KARPOV_MILES, folder, sheet, text};

/// Prints a sheet with Chromium and returns the PDF.
fn printed(folder: &Path, html: &str) -> Vec<u8> {
    let (page, pdf) = (folder.join("sheet.html"), folder.join("sheet.pdf"));
    fs::write(&page, html).unwrap();
    let output = Command::new("chromium")
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-pdf-header-footer",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .arg(format!("--print-to-pdf={}", pdf.display()))
        .arg(&page)
        .output()
        .expect("tests/run installs chromium");
    assert!(output.status.success(), "{}", text(&output.stderr));
    fs::read(pdf).unwrap()
}

/// The number of page objects in a PDF.
fn pages(pdf: &[u8]) -> usize {
    let text = String::from_utf8_lossy(pdf);
    let objects = text.match_indices("/Type /Page");
    objects
        .filter(|(at, found)| !text[at + found.len()..].starts_with('s'))
        .count()
}

#[test]
fn an_ordinary_claim_prints_to_one_page_of_a4() {
    let (folder, pgn) = folder(KARPOV_MILES);
    for language in ["en", "de", "nl"] {
        let claims = ["threefold:Nb5@50", "threefold:Ra4", "fifty_move@51"];
        for claim in claims {
            let html = sheet(&["--pgn", &pgn, "--claim", claim, "--lang", language]);
            let pdf = printed(folder.path(), &html);
            assert_eq!(pages(&pdf), 1, "{language} {claim}");
            let text = String::from_utf8_lossy(&pdf);
            let media = text.split("/MediaBox").nth(1).unwrap();
            let media: Vec<f64> = media
                .trim_start_matches([' ', '['])
                .split(']')
                .next()
                .unwrap()
                .split_whitespace()
                .map(|number| number.parse().unwrap())
                .collect();
            // A4 in points.
            assert!(
                (media[2] - 595.3).abs() < 1.0 && (media[3] - 841.9).abs() < 1.0,
                "{media:?}"
            );
        }
    }
}
