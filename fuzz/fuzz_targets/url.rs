#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| remisd_readers::read("url", data));
