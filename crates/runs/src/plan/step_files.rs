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
        let mut files = Self { paths: Vec::new(), patterns: Vec::new() };
        for file in &step.files {
            let text = file.text.trim_start_matches("./");
            let is_pattern = text.contains(['*', '?', '[', '{']);
            match GlobBuilder::new(text).literal_separator(true).build() {
                Ok(glob) if is_pattern => files.patterns.push(glob.compile_matcher()),
                // An invalid pattern is a path, as for the guard.
                _ => files.paths.push(RepoPath::new(&file.text)),
            }
        }
        files
    }

    /// Whether the step names a path. A step without files names none.
    pub fn contains(&self, path: &RepoPath) -> bool {
        let text = path.to_string();
        self.paths.iter().any(|own| path.is_within(own)) || self.patterns.iter().any(|pattern| pattern.is_match(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::canon::Blob;
    use canonry_model::canon::plan::Plan;
    use canonry_model::canon::schema::Schemas;

    #[test]
    fn files_folders_and_patterns_are_named() {
        let text = "steps:\n- {id: a, owner: O, criteria: c, files: [src/, './lib/*.rs', 'app/[id/page.tsx']}\n";
        let plan = Plan::parse(RepoPath::from("plan.yaml"), Blob::Bytes(text.into()), &Schemas::default());
        let files = StepFiles::new(&plan.document.unwrap().steps[0]);
        for (path, want) in [
            ("src/a/b.rs", true),
            ("lib/a.rs", true),
            ("lib/a/b.rs", false),
            // No valid pattern.
            ("app/[id/page.tsx", true),
            ("app/i/page.tsx", false),
        ] {
            assert_eq!(files.contains(&RepoPath::from(path)), want, "{path}");
        }
    }
}
