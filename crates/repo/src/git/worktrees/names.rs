//! The names of an attempt's branch and folder.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The prefix of all branches of attempts.
pub(super) const PREFIX: &str = "canonry/";
/// The longest encoded plan or step. A file system takes 255 bytes, of which the attempt's number and git's `.lock` need
/// some.
const LONGEST: usize = 220;

/// An attempt at a step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AttemptName {
    pub plan: String,
    pub step: String,
    pub attempt: u64,
}

impl AttemptName {
    /// `canonry/<plan>/<step>.<attempt>`, with the parts encoded; no two attempts have the same. `None` if the plan or the
    /// step is empty or too long for a file name.
    pub fn branch(&self) -> Option<String> {
        Some(format!("{PREFIX}{}/{}.{}", encode(&self.plan)?, encode(&self.step)?, self.attempt))
    }

    /// The folder of the attempt's work tree below the folder for all of them.
    pub fn folder(&self, parent: &Path) -> Option<PathBuf> {
        let step = format!("{}.{}", encode(&self.step)?, self.attempt);
        Some(parent.join(encode(&self.plan)?).join(step))
    }

    /// The prefix of the branches of a plan.
    pub fn branches_of(plan: &str) -> Option<String> {
        Some(format!("{PREFIX}{}/", encode(plan)?))
    }

    /// The attempt with this branch; `None` if no attempt has it.
    pub fn from_branch(branch: &str) -> Option<Self> {
        let (plan, rest) = branch.strip_prefix(PREFIX)?.split_once('/')?;
        let (step, attempt) = rest.rsplit_once('.')?;
        let name = Self { plan: decode(plan)?, step: decode(step)?, attempt: attempt.parse().ok()? };
        // Rejects names that only look encoded, such as `a.01`.
        (name.branch().as_deref() == Some(branch)).then_some(name)
    }
}

/// Makes one component of a reference and of a path. Letters, digits, `-` and `_` stay, and so does a single dot between
/// others; everything else becomes `%XX`.
fn encode(text: &str) -> Option<String> {
    let mut encoded = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut after_dot = true;
    while let Some(c) = chars.next() {
        // git refuses a dot at the start and at the end, two in a row, and the ending `.lock`.
        let plain_dot = c == '.' && !after_dot && chars.peek().is_some_and(|next| *next != 'l' && *next != 'L');
        after_dot = c == '.' && plain_dot;
        if c.is_alphanumeric() || matches!(c, '-' | '_') || plain_dot {
            encoded.push(c);
        } else {
            let mut bytes = [0; 4];
            for byte in c.encode_utf8(&mut bytes).bytes() {
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
    }
    (!encoded.is_empty() && encoded.len() <= LONGEST).then_some(encoded)
}

fn decode(encoded: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.as_bytes();
    while let Some((byte, tail)) = rest.split_first() {
        rest = tail;
        if *byte != b'%' {
            bytes.push(*byte);
            continue;
        }
        let hex = std::str::from_utf8(tail.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(hex, 16).ok()?);
        rest = tail.get(2..)?;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const STEPS: [&str; 20] = [
        "api", "1", "v1.2", "a/b", "a b", "..", ".", "-rf", "ü/ß", "日本", "a..b", "x.lock", "a.", ".a", "a%2Fb",
        "a\nb", "~^:?*[\\", "@{0}", "HEAD", "A",
    ];

    #[test]
    fn branches_are_valid_and_differ() {
        let mut branches = BTreeSet::new();
        for plan in STEPS {
            for step in STEPS {
                let name = AttemptName { plan: plan.to_owned(), step: step.to_owned(), attempt: 3 };
                let branch = name.branch().unwrap();
                gix::refs::FullName::try_from(format!("refs/heads/{branch}")).unwrap();
                assert_eq!(AttemptName::from_branch(&branch), Some(name.clone()));
                assert_eq!(branch.matches('/').count(), 2, "{branch}");
                let folder = name.folder(Path::new("/trees")).unwrap();
                assert_eq!(folder.components().count(), 4, "{}", folder.display());
                assert!(folder.components().all(|part| part.as_os_str() != ".."), "{}", folder.display());
                branches.insert(branch);
            }
        }
        assert_eq!(branches.len(), STEPS.len() * STEPS.len());
    }

    #[test]
    fn the_attempt_is_part_of_the_name() {
        let name = |step: &str, attempt| AttemptName { plan: "p".to_owned(), step: step.to_owned(), attempt };
        assert_eq!(name("api", 2).branch().unwrap(), "canonry/p/api.2");
        assert_ne!(name("a.1", 1).branch(), name("a", 1).branch());
        assert_eq!(name("", 1).branch(), None);
        assert_eq!(name(&"x".repeat(300), 1).branch(), None);
        for other in
            ["main", "canonry/p", "canonry/p/a", "canonry/p/a.01", "canonry/p/a.x", "canonry/p/a/b.1", "canonry/p/%2.1"]
        {
            assert_eq!(AttemptName::from_branch(other), None, "{other}");
        }
    }
}
