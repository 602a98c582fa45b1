//! What is listed of a skill.

use crate::syntax::node::Node;
use crate::syntax::{RepoPath, frontmatter, yaml};
use serde::{Deserialize, Serialize};

/// What is listed of a skill, in the order in which the manifest has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestEntry {
    /// The name it gives itself, else its folder's.
    pub name: String,
    /// Its `SKILL.md`.
    pub path: String,
    /// `description`, in one line.
    pub description: String,
    /// `triggers`: words that are to start it.
    pub triggers: Vec<String>,
    /// `version`
    pub version: Option<String>,
    /// `tools`, else `allowed-tools`.
    pub tools: Vec<String>,
    /// `preconditions`: what must be so before it starts.
    pub preconditions: Vec<String>,
    /// `constraints`: what it must not do.
    pub constraints: Vec<String>,
    /// `category`, else the folder of `skills/` that it lies in.
    pub category: Option<String>,
    /// The id that git gives to the skill's folder: another one for any other content of any of its files.
    pub id: String,
}

/// Where a skill lies, and what git calls its content.
pub struct SkillLocation<'a> {
    /// Its `SKILL.md`.
    pub document: &'a RepoPath,
    /// Its folder.
    pub folder: &'a RepoPath,
    /// The folder of all skills.
    pub skills: &'a RepoPath,
    /// The id of its tree.
    pub id: String,
}

impl ManifestEntry {
    /// Of a skill by the bytes of its `SKILL.md`; `None` where no tool could read it.
    pub fn from_document(spot: SkillLocation<'_>, bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let fences = frontmatter::split(text).ok()?;
        let root = yaml::parse(&text[fences.yaml.range()], fences.yaml.offset).ok()?.root;
        root.as_mapping()?;
        let fields = Fields { root: &root };
        let tools = fields.list("tools", &[',']);
        Some(Self {
            name: fields.text("name").unwrap_or_else(|| spot.folder.file_name_lossy()),
            path: spot.document.to_display(),
            description: fields.text("description").unwrap_or_default(),
            triggers: fields.list("triggers", &[',']),
            version: fields.text("version"),
            tools: if tools.is_empty() { allowed(&fields.text("allowed-tools").unwrap_or_default()) } else { tools },
            preconditions: fields.list("preconditions", &[';', '\n']),
            constraints: fields.list("constraints", &[';', '\n']),
            category: fields.text("category").or_else(|| category(&spot)),
            id: spot.id,
        })
    }
}

/// The folders between the skills' and the skill's own.
fn category(spot: &SkillLocation<'_>) -> Option<String> {
    let between = spot.folder.parent()?;
    let below = between.below(spot.skills)?;
    (!below.is_empty()).then(|| RepoPath::new(below).to_display())
}

/// The keys of a frontmatter, which stand at its top or below `metadata`.
struct Fields<'a> {
    root: &'a Node,
}

impl Fields<'_> {
    fn get(&self, key: &str) -> Option<&Node> {
        self.root.get(key).or_else(|| self.root.get("metadata")?.get(key)).filter(|node| !node.is_null())
    }

    fn text(&self, key: &str) -> Option<String> {
        self.get(key).and_then(scalar)
    }

    /// A list; of a string the parts between any of the marks.
    fn list(&self, key: &str, marks: &[char]) -> Vec<String> {
        let Some(node) = self.get(key) else { return Vec::new() };
        match node.as_sequence() {
            Some(items) => items.iter().filter_map(scalar).collect(),
            None => {
                let text = node.as_scalar().map(|scalar| scalar.text.as_str()).unwrap_or_default();
                text.split(marks).map(one_line).filter(|part| !part.is_empty()).collect()
            }
        }
    }
}

fn scalar(node: &Node) -> Option<String> {
    node.as_scalar().map(|scalar| one_line(&scalar.text)).filter(|text| !text.is_empty())
}

/// White space of any kind as one blank, without control characters.
fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// `Bash(git add *) Read` is two tools: blanks in brackets part nothing.
fn allowed(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = text.split(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ' ' || c == ',')
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card(path: &str, text: &str) -> Option<ManifestEntry> {
        let document = RepoPath::from(path);
        let folder = document.parent().unwrap();
        let skills = RepoPath::from("agent/skills");
        ManifestEntry::from_document(
            SkillLocation { document: &document, folder: &folder, skills: &skills, id: "1".to_owned() },
            text.as_bytes(),
        )
    }

    #[test]
    fn keys_stand_at_the_top_or_below_metadata() {
        let want = ManifestEntry {
            name: "notes".to_owned(),
            path: "agent/skills/notes/SKILL.md".to_owned(),
            description: "Drafts notes.".to_owned(),
            triggers: vec!["release notes".to_owned(), "changelog".to_owned()],
            version: Some("1.2".to_owned()),
            tools: vec!["git".to_owned()],
            preconditions: vec!["`CHANGES.md` exists".to_owned(), "main is green".to_owned()],
            constraints: Vec::new(),
            category: Some("writing".to_owned()),
            id: "1".to_owned(),
        };
        let top = "---\nname: notes\ndescription: |\n  Drafts\n  notes.\ntriggers: [release notes, changelog]\nversion: 1.2\n\
                   tools: [git]\npreconditions: ['`CHANGES.md` exists', main is green]\ncategory: writing\n---\n";
        assert_eq!(card("agent/skills/notes/SKILL.md", top).as_ref(), Some(&want));
        let below = "---\nname: notes\ndescription: Drafts notes.\nmetadata:\n  triggers: release notes, changelog\n  \
                     version: '1.2'\n  tools: git\n  preconditions: '`CHANGES.md` exists; main is green'\n  category: writing\n---\n";
        assert_eq!(card("agent/skills/notes/SKILL.md", below), Some(want));
    }

    #[test]
    fn what_is_not_said_is_taken_from_the_folder() {
        let text = "---\ndescription: d\nallowed-tools: Bash(git add *) Read, Edit\n---\n";
        let card = card("agent/skills/ops/deploy/SKILL.md", text).unwrap();
        assert_eq!((card.name.as_str(), card.category.as_deref()), ("deploy", Some("ops")));
        assert_eq!(card.tools, ["Bash(git add *)", "Read", "Edit"]);
    }

    #[test]
    fn what_no_tool_can_read_has_no_card() {
        for text in ["# no frontmatter\n", "---\nname: a: b\n---\n", "---\n- a\n---\n"] {
            assert_eq!(card("agent/skills/a/SKILL.md", text), None, "{text}");
        }
    }
}
