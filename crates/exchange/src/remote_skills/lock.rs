//! `skills.lock`: which skills and files of the canon come from elsewhere, and exactly which version of them.

use super::discovery::is_usable_name;
use super::item::{RemoteItem, is_shared};
use super::source::{SkillSource, is_commit_id};
use crate::lock_document::{self, InvalidLock};
use canonry_text::RepoPath;
use gix_hash::ObjectId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The document `canonry/skills-lock/v1`.
const SCHEMA: &str = "canonry/skills-lock/v1";

/// Items from elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillsLock {
    pub items: BTreeMap<RemoteItem, PinnedSkill>,
}

/// One version of a skill or a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedSkill {
    pub source: SkillSource,
    /// The commit that the files are from.
    pub commit: ObjectId,
    /// The id of the skill's tree or of the file, see [`RemoteItem::content_id`]. It holds even if the commit is gone.
    pub content: ObjectId,
    /// The licence, as far as the skill or its repository states one.
    pub licence: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct SkillsLockDocument {
    schema: String,
    skills: BTreeMap<String, PinDocument>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    files: BTreeMap<String, PinDocument>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PinDocument {
    url: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    path: String,
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    commit: String,
    content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    license: Option<String>,
}

impl SkillsLock {
    /// Parses the text of a lock. Every address is checked, because a lock can come from anyone who commits.
    ///
    /// # Errors
    /// See [`InvalidLock`].
    pub fn parse(text: &str) -> Result<Self, InvalidLock> {
        let document: SkillsLockDocument = lock_document::parse(text, SCHEMA)?;
        let skills = document.skills.into_iter().map(|(name, pin)| {
            let pin = pin.parse(&name)?;
            if is_usable_name(&name) {
                Ok((RemoteItem::Skill(name), pin))
            } else {
                Err(InvalidLock(format!("`{}` cannot be the name of a skill", name.escape_debug())))
            }
        });
        let files = document.files.into_iter().map(|(name, pin)| {
            let pin = pin.parse(&name)?;
            let path = RepoPath::from(name.as_str());
            if is_shared(&path) && path.as_bstr() == name.as_str() {
                Ok((RemoteItem::File(path), pin))
            } else {
                Err(InvalidLock(format!("`{}` is no file that several repositories can share", name.escape_debug())))
            }
        });
        Ok(Self { items: skills.chain(files).collect::<Result<_, _>>()? })
    }

    /// The text of the lock. Equal locks have equal texts.
    pub fn to_text(&self) -> String {
        let pin = |pin: &PinnedSkill| PinDocument {
            url: pin.source.url.clone(),
            path: pin.source.path.to_display(),
            reference: pin.source.reference.clone(),
            commit: pin.commit.to_string(),
            content: pin.content.to_string(),
            license: pin.licence.clone(),
        };
        let mut skills = BTreeMap::new();
        let mut files = BTreeMap::new();
        for (item, pinned) in &self.items {
            match item {
                RemoteItem::Skill(name) => skills.insert(name.clone(), pin(pinned)),
                RemoteItem::File(path) => files.insert(path.to_display(), pin(pinned)),
            };
        }
        let document = SkillsLockDocument { schema: SCHEMA.to_owned(), skills, files };
        lock_document::to_text(&document)
    }
}

impl PinDocument {
    fn parse(self, name: &str) -> Result<PinnedSkill, InvalidLock> {
        let source = SkillSource::checked(&self.url, &self.path, self.reference.as_deref())
            .map_err(|error| InvalidLock(format!("{name}: {error}")))?;
        let id = |text: &str| {
            let id = is_commit_id(text).then(|| ObjectId::from_hex(text.as_bytes()).ok()).flatten();
            id.ok_or_else(|| {
                InvalidLock(format!("{name}: `{}` is not an object id with all its digits", text.escape_debug()))
            })
        };
        Ok(PinnedSkill { commit: id(&self.commit)?, content: id(&self.content)?, source, licence: self.license })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "f5322efcada81fd92d14e4857d02c1e7e8094dd3";

    fn lock(name: &str, url: &str, path: &str, commit: &str) -> String {
        format!(
            r#"{{"schema": "{SCHEMA}", "skills": {{"{name}": {{"url": "{url}", "path": "{path}", "commit": "{commit}", "content": "{ID}"}}}}}}"#
        )
    }

    #[test]
    fn a_lock_is_read_back_as_it_was_written() {
        let mut read = SkillsLock::parse(&lock("pdf", "https://host/r.git", "skills/pdf", ID)).unwrap();
        assert_eq!(SkillsLock::parse(&read.to_text()), Ok(read.clone()));
        let pdf = read.items.get_mut(&RemoteItem::Skill("pdf".to_owned())).unwrap();
        pdf.licence = Some("MIT".to_owned());
        pdf.source.reference = Some("v1".to_owned());
        let policy = pdf.clone();
        read.items.insert(RemoteItem::File(RepoPath::from("policies/A.md")), policy);
        let text = read.to_text();
        assert!(
            text.contains("\"ref\": \"v1\"") && text.contains("\"license\": \"MIT\"") && text.ends_with("}\n"),
            "{text}"
        );
        assert_eq!(SkillsLock::parse(&text), Ok(read));
    }

    #[test]
    fn a_lock_names_only_files_that_can_be_shared() {
        let pin = format!(r#"{{"url": "https://h/r", "commit": "{ID}", "content": "{ID}"}}"#);
        let lock = |path: &str| format!(r#"{{"schema": "{SCHEMA}", "skills": {{}}, "files": {{"{path}": {pin}}}}}"#);
        assert_eq!(SkillsLock::parse(&lock("rules/a.md")).unwrap().items.len(), 1);
        for path in
            ["canonry.yaml", "../rules/a.md", "rules/../../x.md", "rules//a.md", "/rules/a.md", "skills/a/SKILL.md"]
        {
            let error = SkillsLock::parse(&lock(path)).unwrap_err().to_string();
            assert!(error.contains("is no file that several repositories can share"), "{path}: {error}");
        }
    }

    #[test]
    fn what_a_lock_names_is_checked() {
        for (text, error) in [
            (lock("../x", "https://h/r", "", ID), "cannot be the name of a skill"),
            (lock("-x", "https://h/r", "", ID), "cannot be the name of a skill"),
            (lock("x", "ext::sh -c x", "", ID), "x: "),
            (lock("x", "https://u:p@h/r", "", ID), "x: "),
            (lock("x", "https://h/r", "../y", ID), "x: "),
            (lock("x", "https://h/r", "", "--upload-pack=x"), "is not an object id with all its digits"),
            (lock("x", "https://h/r", "", "f532"), "is not an object id with all its digits"),
            ("{".to_owned(), "EOF"),
            (r#"{"schema": "other", "skills": {}}"#.to_owned(), "its schema is `other`"),
            ("<<<<<<< HEAD\n{\n=======\n}\n>>>>>>> x\n".to_owned(), "conflict markers"),
        ] {
            let found = SkillsLock::parse(&text).unwrap_err().to_string();
            assert!(found.contains(error), "{text}: {found}");
        }
    }
}
