//! Documentation that is made from the code.

use std::path::Path;

/// Compares a file with what the code says now, or writes it if `UPDATE_DOCS` is set, as `cargo xtask docs` does.
pub fn assert_current(path: &str, text: &str) {
    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(path);
    let mut written = std::fs::read_to_string(&file).unwrap_or_default();
    // Another test may read a page at the same time, so a current one is left alone.
    if written != text && std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, text).unwrap();
        text.clone_into(&mut written);
    }
    let differs = written.lines().zip(text.lines()).find(|(was, now)| was != now);
    assert!(written == text, "{path} is out of date ({differs:?}); run `cargo xtask docs` and read `git diff`");
}
