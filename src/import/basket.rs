//! What an origin gives, before it is held against the canon.

use super::Ground;
use super::outcome::{Left, Refused};
use super::reach::Reach;
use crate::canon::{FileMode, FileState};
use crate::edit::EditContent;
use crate::syntax::RepoPath;

/// A file, or a skill with its files, for one place of the canon.
pub(super) struct Piece {
    /// The file or folder it is taken from.
    pub from: RepoPath,
    /// The file or folder of the canon.
    pub to: RepoPath,
    /// Its files.
    pub files: Vec<File>,
    /// What is not as it was, in words.
    pub changes: Vec<String>,
    /// Whether it is a skill.
    pub is_skill: bool,
}

/// A file of the canon to be.
pub(super) struct File {
    /// Where.
    pub path: RepoPath,
    /// What it shall hold.
    pub content: EditContent,
    /// The same for git.
    pub state: FileState,
}

/// Collects.
pub(super) struct ImportPlan<'a> {
    /// What is looked at.
    pub ground: &'a Ground<'a>,
    /// What is taken, in the order in which it counts.
    pub pieces: Vec<Piece>,
    /// What is left.
    pub left: Vec<Left>,
    /// What is refused before it is held against the canon's files.
    pub refused: Vec<Refused>,
    /// The tools that the origin wrote for.
    pub reach: Reach,
    /// What to do afterwards, beside what the origin asks for.
    pub next: Vec<String>,
}

impl<'a> ImportPlan<'a> {
    /// An empty one.
    pub fn new(ground: &'a Ground<'a>) -> Self {
        Self {
            ground,
            pieces: Vec::new(),
            left: Vec::new(),
            refused: Vec::new(),
            reach: Reach::default(),
            next: Vec::new(),
        }
    }

    /// Leaves something, and says why and what to do.
    pub fn leave(&mut self, path: &RepoPath, why: impl Into<String>, advice: impl Into<String>) {
        let left = Left { path: path.clone(), why: why.into(), advice: advice.into(), unreadable: false };
        self.left.push(left);
    }

    /// Leaves what cannot be read.
    pub fn unreadable(&mut self, path: &RepoPath, why: impl Into<String>) {
        let advice = "mend it, then run this again".to_owned();
        self.left.push(Left { path: path.clone(), why: why.into(), advice, unreadable: true });
    }

    /// The text of a file; of one that gives none it is told.
    pub fn read(&mut self, path: &RepoPath) -> Option<String> {
        if !self.is_file(path) {
            return None;
        }
        match self.ground.text(path) {
            Ok(text) => Some(text),
            Err(why) => {
                self.unreadable(path, why);
                None
            }
        }
    }

    /// Whether a file stands there; of a link or a submodule it is told.
    pub fn is_file(&mut self, path: &RepoPath) -> bool {
        if path.has_control_bytes() || std::str::from_utf8(path.as_bstr()).is_err() {
            self.leave(path, "its name is no text that every system takes", "rename it, then run this again");
            return false;
        }
        match self.ground.files.get(path).map(|state| state.mode) {
            None => false,
            Some(FileMode::File | FileMode::Executable) => true,
            Some(FileMode::Link) => {
                self.leave_link(path);
                false
            }
            Some(FileMode::Submodule) => {
                self.leave(path, "it is another repository", "copy what you need of it");
                false
            }
        }
    }

    fn leave_link(&mut self, path: &RepoPath) {
        let to = self.ground.look.link(path);
        match to.filter(|to| self.ground.files.keys().any(|file| file.is_within(to))) {
            Some(to) => self.leave(path, format!("it is a link to {to}, which is looked at itself"), ""),
            None => {
                let why = "it is a link to something that is not looked at, and none is followed";
                self.leave(path, why, "put what it leads to in its place");
            }
        }
    }

    /// What a file that is taken will hold.
    pub fn text_of(&self, file: &File) -> Option<String> {
        match &file.content {
            EditContent::Bytes(bytes) => String::from_utf8(bytes.clone()).ok(),
            EditContent::CopyOf(path) => self.ground.text(path).ok(),
            EditContent::Link(_) => None,
        }
    }

    /// A file of the canon with these bytes of the source.
    pub fn file_of(&self, from: &RepoPath, to: RepoPath) -> Option<File> {
        let state = *self.ground.files.get(from)?;
        Some(File { path: to, content: EditContent::CopyOf(from.clone()), state })
    }

    /// A file of the canon with this text.
    pub fn file_with(&self, text: String, to: RepoPath) -> Option<File> {
        let state = self.ground.state_of(&text)?;
        Some(File { path: to, content: EditContent::Bytes(text.into_bytes()), state })
    }

    /// Takes a file byte for byte.
    pub fn copy(&mut self, from: &RepoPath, to: RepoPath) {
        if self.is_file(from) {
            let files = self.file_of(from, to.clone()).into_iter().collect();
            self.pieces.push(Piece { from: from.clone(), to, files, changes: Vec::new(), is_skill: false });
        }
    }

    /// Takes a text that was made from a file; without changes the file itself.
    pub fn take(&mut self, from: &RepoPath, to: RepoPath, text: String, changes: Vec<String>) {
        if changes.is_empty() {
            return self.copy(from, to);
        }
        let files = self.file_with(text, to.clone()).into_iter().collect();
        self.pieces.push(Piece { from: from.clone(), to, files, changes, is_skill: false });
    }

    /// Whether something goes to a place, or stands there already.
    pub fn gives(&self, to: &RepoPath) -> bool {
        self.pieces.iter().any(|piece| piece.to.is_within(to))
            || self.ground.canon.keys().any(|path| path.is_within(to))
    }
}
