//! What `cargo package` takes into the crates, from which `cargo install remisd` builds the program,
//! and what the scripts of `packaging` refuse. `packaging/test-release` tries what they build.
#![allow(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;

/// Words in the path of a file that only a test reads.
const OF_TESTS: [&str; 6] = [
    "tests",
    "corpus",
    "benches",
    "fuzz",
    "node_modules",
    "target",
];
/// A crate has less than this before compression; crates.io takes 10 MB after it.
const LARGEST: u64 = 6_000_000;

/// What cargo prints, run in the root of the project without a network.
fn cargo(words: &[&str]) -> String {
    let output = Command::new(env!("CARGO"))
        .args(words)
        .arg("--offline")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "cargo {words:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// The packages of the workspace that are published, by name.
fn published() -> BTreeMap<String, Value> {
    let metadata = cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    packages
        .filter(|package| package["publish"].is_null())
        .map(|package| {
            (
                package["name"].as_str().unwrap().to_owned(),
                package.clone(),
            )
        })
        .collect()
}

/// The files of the project that a crate takes, below its folder. Cargo adds four of its own.
fn files(name: &str) -> BTreeSet<PathBuf> {
    let list = cargo(&["package", "--list", "--allow-dirty", "--package", name]);
    let made = [".cargo_vcs_info.json", "Cargo.lock", "Cargo.toml.orig"];
    let files = list.lines().filter(|file| !made.contains(file));
    files.map(PathBuf::from).collect()
}

/// The files that a source includes, its unit tests left out.
fn included(source: &str) -> Vec<&str> {
    let program = source.split("#[cfg(test)]").next().unwrap();
    let calls = program.split("include_str!(\"").skip(1);
    calls.map(|call| call.split('"').next().unwrap()).collect()
}

/// The path without `..`.
fn resolved(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for part in path {
        if part == ".." {
            resolved.pop();
        } else {
            resolved.push(part);
        }
    }
    resolved
}

#[test]
fn a_published_crate_needs_no_crate_that_is_not() {
    let published = published();
    assert!(published.contains_key("remisd"));
    for (name, package) in &published {
        for dependency in package["dependencies"].as_array().unwrap() {
            if dependency["kind"] == "dev" || dependency["path"].is_null() {
                continue;
            }
            let needed = dependency["name"].as_str().unwrap();
            assert!(
                published.contains_key(needed),
                "{name} needs {needed}, which is not published"
            );
            let version = format!("={}", published[needed]["version"].as_str().unwrap());
            assert_eq!(dependency["req"], *version, "{name} needs {needed}");
        }
        assert!(package["description"].is_string(), "{name}: no description");
        assert!(package["license"].is_string(), "{name}: no licence");
    }
}

#[test]
fn crates_hold_what_the_program_needs_and_nothing_of_the_tests() {
    for (name, package) in published() {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let folder = manifest.parent().unwrap();
        let files = files(&name);
        let mut size = 0;
        for file in &files {
            let of_tests = file
                .iter()
                .any(|part| OF_TESTS.iter().any(|word| part == *word) || part == "tests.rs");
            assert!(!of_tests, "{name} takes {}", file.display());
            let path = folder.join(file);
            size += fs::metadata(&path).unwrap().len();
            if file.extension().is_none_or(|end| end != "rs") {
                continue;
            }
            for include in included(&fs::read_to_string(&path).unwrap()) {
                let wanted = resolved(&file.parent().unwrap().join(include));
                assert!(
                    files.contains(&wanted),
                    "{name}: {} includes {include}, which the crate has not",
                    file.display()
                );
            }
        }
        assert!(files.contains(Path::new("Cargo.toml")), "{name}");
        assert!(size < LARGEST, "{name} has {size} bytes");
    }
}

#[test]
fn the_crate_of_the_program_has_its_pages_and_words() {
    let files = files("remisd");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for folder in [
        "src/hall/assets",
        "src/words/en",
        "src/words/de",
        "src/words/nl",
    ] {
        let mut found = 0;
        for file in fs::read_dir(root.join(folder)).unwrap() {
            let file = Path::new(folder).join(file.unwrap().file_name());
            assert!(files.contains(&file), "{} is missing", file.display());
            found += 1;
        }
        assert!(found >= 5, "{folder} has only {found} files");
    }
}

#[test]
fn the_package_has_every_unit_and_starts_the_daemon_alone() {
    let published = published();
    let units = &published["remisd"]["metadata"]["deb"]["systemd-units"];
    let units = units.as_array().unwrap().iter().map(|unit| {
        let starts = |key: &str| unit[key].as_bool().unwrap_or(true);
        let name = unit["unit-name"].as_str().unwrap();
        let file = format!("{name}.service");
        (file, starts("enable") || starts("start"))
    });
    let units: BTreeMap<String, bool> = units.collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("systemd");
    let files = fs::read_dir(folder).unwrap();
    let files = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let files: BTreeSet<String> = files.filter(|name| name.ends_with(".service")).collect();
    assert_eq!(units.keys().cloned().collect::<BTreeSet<_>>(), files);
    for (unit, starts) in units {
        assert_eq!(starts, unit == "remisd.service", "{unit}");
    }
}

#[test]
fn a_release_that_cannot_be_built_is_refused_before_anything_is_built() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (words, expected) in [
        (
            "--target sparc-sun-solaris",
            "there is x86_64-unknown-linux-gnu",
        ),
        ("--target", "--target has no value"),
        ("--key", "--key has no value"),
        ("--key /no/key", "there is no key /no/key"),
        ("--sign", "there is --target and --key, not --sign"),
    ] {
        let output = Command::new(root.join("packaging/release"))
            .args(words.split(' '))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(expected), "{words}: {said}");
        assert_eq!(output.status.code(), Some(1), "{words}");
    }
}

#[test]
fn a_release_says_how_to_get_what_is_missing() {
    // A compiler that has no standard library for any target.
    let folder = tempfile::tempdir().unwrap();
    let rustc = folder.path().join("rustc");
    fs::write(&rustc, "#!/bin/sh\necho /no/standard/library\n").unwrap();
    fs::set_permissions(&rustc, fs::Permissions::from_mode(0o755)).unwrap();
    let output = Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/release"))
        .env("RUSTC", &rustc)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    for target in ["aarch64-unknown-linux-gnu", "x86_64-unknown-linux-musl"] {
        let hint = format!("  rustup target add {target}\n");
        assert!(said.contains(&hint), "{said}");
    }
    assert_eq!(output.status.code(), Some(1), "{said}");
}

#[test]
fn a_release_is_built_without_the_features_of_the_tests() {
    // Cargo unites the features of all packages that it is asked for; with none named, of all.
    let folder = tempfile::tempdir().unwrap();
    let cargo = folder.path().join("cargo");
    fs::write(&cargo, "#!/bin/sh\necho \"cargo $*\"\nexit 1\n").unwrap();
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!(
        "{}:{}",
        folder.path().display(),
        std::env::var("PATH").unwrap()
    );
    let output =
        Command::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/build-program"))
            .env("PATH", path)
            .output()
            .unwrap();
    let called = String::from_utf8_lossy(&output.stdout);
    assert!(called.contains(" --package remisd "), "{called}");
}
