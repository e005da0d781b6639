//! Builds anew when a page has come, gone or changed: they are embedded in the program.

fn main() {
    println!("cargo:rerun-if-changed=src/hall/assets");
}
