//! The sizes that a benchmark measures.

/// The sizes to measure: those on the command line, otherwise `usual`; one `small` size if `cargo test` runs the benchmark,
/// which does so without `--bench`.
pub fn sizes(usual: &[usize], small: usize) -> Vec<usize> {
    let named: Vec<usize> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    match (named.is_empty(), std::env::args().any(|arg| arg == "--bench")) {
        (false, _) => named,
        (true, true) => usual.to_vec(),
        (true, false) => vec![small],
    }
}
