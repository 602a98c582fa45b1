//! Measures `recall` with a file of LongMemEval.

use crate::app::{Error, ErrorKind};
pub use crate::memory::long_mem_eval::RetrievalScore;
use crate::memory::long_mem_eval::{Question, score};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Scores by type of question; `all` for all of them.
///
/// # Errors
/// The file cannot be read or is not in the format of LongMemEval.
pub fn measure(path: &Path) -> Result<BTreeMap<String, RetrievalScore>, Error> {
    let failed = |reason: String| {
        Error::new(ErrorKind::Unreadable, format!("{}: {reason}", path.display())).help(
            "give a file of LongMemEval, such as longmemeval_s_cleaned.json: https://github.com/xiaowu0162/LongMemEval",
        )
    };
    let file = File::open(path).map_err(|e| failed(e.to_string()))?;
    let questions: Vec<Question> = serde_json::from_reader(BufReader::new(file)).map_err(|e| failed(e.to_string()))?;
    Ok(score(&questions))
}
