//! The changes of several decisions, written and committed together.

use super::queue::ReviewFiles;
use super::review_changes::{FileInsertion, LessonsChange, ReviewChanges, SkillDraft, SpecAddition};
use canonry_memory::review::{ReviewEvent, ReviewStatus, on_new_line};
use canonry_model::canon::Layout;
use canonry_repo::apply::log_transaction::FileChange;
use canonry_text::RepoPath;

/// The first lines of a new archive of lessons.
const RETIRED_HEADER: &str = "# Retired lessons\n\nThese lessons no longer apply, or moved to the file that they name. They are kept for \
                              reference.\n\n";

/// The files before the first decision.
pub(super) struct OriginalFiles {
    review: Option<Vec<u8>>,
    lessons: Option<String>,
    retired: Option<Vec<u8>>,
}

impl OriginalFiles {
    pub fn new(files: &ReviewFiles) -> Self {
        Self { review: files.review.clone(), lessons: files.lessons.clone(), retired: files.retired.clone() }
    }
}

/// The accumulated changes.
#[derive(Default)]
pub(super) struct DecisionBatch {
    pub events: Vec<ReviewEvent>,
    /// Text to append to the lessons, unless a decision changes existing ones.
    appended_lessons: String,
    replaced_lessons: Option<String>,
    retired: String,
    skills: Vec<SkillDraft>,
    specs: Vec<SpecAddition>,
    insertion: Option<FileInsertion>,
}

impl DecisionBatch {
    /// Adds the changes of a decision. `files` then shows what the next decision finds.
    pub fn add(&mut self, files: &mut ReviewFiles, changes: ReviewChanges) {
        for event in &changes.events {
            set_status(files, event);
        }
        self.events.extend(changes.events);
        match changes.lessons {
            Some(LessonsChange::Append(added)) => {
                files.lessons.get_or_insert_default().push_str(&added.text);
                match &mut self.replaced_lessons {
                    Some(text) => text.push_str(&added.text),
                    None => self.appended_lessons.push_str(&added.text),
                }
            }
            Some(LessonsChange::Replace(text)) => {
                files.lessons = Some(text.clone());
                self.replaced_lessons = Some(text);
            }
            None => {}
        }
        self.retired.extend(changes.retired);
        self.skills.extend(changes.skill);
        self.specs.extend(changes.spec);
        self.insertion = changes.insertion.or(self.insertion.take());
    }

    /// Whether a decision about the candidate is in this batch.
    pub fn decides(&self, candidate: &str) -> bool {
        self.events.iter().any(|event| match event {
            ReviewEvent::Staged(_) => false,
            ReviewEvent::Accepted(decision) | ReviewEvent::Rejected(decision) => decision.candidate == candidate,
        })
    }

    /// Whether a decision of this batch writes the file.
    pub fn writes(&self, path: &RepoPath) -> bool {
        self.skills.iter().any(|skill| skill.path == *path)
    }

    /// Text that this batch appends to a page of the spec.
    pub fn spec_addition(&self, path: &RepoPath) -> String {
        self.specs.iter().filter(|spec| spec.path == *path).map(|spec| spec.text.as_str()).collect()
    }

    /// The changes of the files.
    pub fn file_changes<'c>(&'c self, layout: &Layout, original: &'c OriginalFiles) -> Vec<FileChange<'c>> {
        let lines: String = self.events.iter().map(ReviewEvent::to_line).collect();
        let mut files = Vec::new();
        let before = original.lessons.as_deref().map(str::as_bytes);
        match &self.replaced_lessons {
            Some(text) => files.push(FileChange::Replace { path: layout.lessons(), before, now: text.as_bytes() }),
            None if !self.appended_lessons.is_empty() => {
                let text = self.appended_lessons.clone();
                files.push(FileChange::Append { path: layout.lessons(), before, text });
            }
            None => {}
        }
        if !self.retired.is_empty() {
            let before = original.retired.as_deref();
            let header = if before.is_none() { RETIRED_HEADER } else { "" };
            let text = on_new_line(before, format!("{header}{}", self.retired));
            files.push(FileChange::Append { path: layout.retired_lessons(), before, text });
        }
        for skill in &self.skills {
            let path = skill.path.clone();
            let now = skill.text.as_bytes();
            files.push(FileChange::Replace { path, before: None, now });
        }
        for (at, SpecAddition { path, before, .. }) in self.specs.iter().enumerate() {
            if self.specs[..at].iter().any(|earlier| earlier.path == *path) {
                continue;
            }
            let text = self.spec_addition(path);
            files.push(FileChange::Append { path: path.clone(), before: before.as_deref(), text });
        }
        if let Some(FileInsertion { path, before, insertion }) = &self.insertion {
            let path = path.clone();
            let text = &insertion.text;
            files.push(match before {
                None => FileChange::Append { path, before: None, text: text.clone() },
                Some(before) => FileChange::Insert { path, before: before.as_bytes(), at: insertion.offset, text },
            });
        }
        let before = original.review.as_deref();
        files.push(FileChange::Append { path: layout.review(), before, text: on_new_line(before, lines) });
        files
    }
}

fn set_status(files: &mut ReviewFiles, event: &ReviewEvent) {
    let (decision, status) = match event {
        ReviewEvent::Staged(_) => return,
        ReviewEvent::Accepted(decision) => (decision, ReviewStatus::Accepted(decision.clone())),
        ReviewEvent::Rejected(decision) => (decision, ReviewStatus::Rejected(decision.clone())),
    };
    let mut entries = files.queue.entries.iter_mut();
    if let Some(entry) = entries.find(|entry| entry.staged.candidate == decision.candidate) {
        entry.status = status;
    }
}
