//! Rebuilds when a page is added, removed or changed: the pages are embedded in the program.

fn main() {
    println!("cargo:rerun-if-changed=src/hall/assets");
}
