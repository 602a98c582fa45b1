//! The files that a step may change.

use canonry_model::canon::plan::PlanStep;
use canonry_text::RepoPath;
use globset::{GlobBuilder, GlobMatcher};

/// The `files` of a step: files, folders, or patterns.
#[derive(Debug)]
pub struct StepFiles {
    paths: Vec<RepoPath>,
    patterns: Vec<GlobMatcher>,
}

impl StepFiles {
    pub fn new(step: &PlanStep) -> Self {
        let (patterns, paths): (Vec<&str>, Vec<&str>) =
            step.files.iter().map(|file| file.text.as_str()).partition(|text| text.contains(['*', '?', '[', '{']));
        let compile = |text: &str| {
            let text = text.trim_start_matches("./");
            GlobBuilder::new(text).literal_separator(true).build().ok().map(|glob| glob.compile_matcher())
        };
        Self {
            paths: paths.into_iter().map(RepoPath::new).collect(),
            patterns: patterns.into_iter().filter_map(compile).collect(),
        }
    }

    /// Whether the step names a path. A step without files names none.
    pub fn contains(&self, path: &RepoPath) -> bool {
        let text = path.to_string();
        self.paths.iter().any(|own| path.is_within(own)) || self.patterns.iter().any(|pattern| pattern.is_match(&text))
    }
}
