//! Entries of the skill manifest.

use canonry_text::node::Node;
use canonry_text::{RepoPath, frontmatter};
use serde::{Deserialize, Serialize};

/// An entry of the manifest. The order of the fields is that of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestEntry {
    /// The declared name, otherwise the folder name.
    pub name: String,
    /// The path of `SKILL.md`.
    pub path: String,
    /// `description`, in one line.
    pub description: String,
    /// `triggers`: phrases that select the skill.
    pub triggers: Vec<String>,
    pub version: Option<String>,
    /// `tools`, otherwise `allowed-tools`.
    pub tools: Vec<String>,
    /// `preconditions`: what must hold before the skill is used.
    pub preconditions: Vec<String>,
    /// `constraints`: what the skill must not do.
    pub constraints: Vec<String>,
    /// `category`, otherwise the folder below `skills/`.
    pub category: Option<String>,
    /// `deprecated`: why the skill should not be used any more, or that it should not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
    /// `replaced-by`: the skill to use instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replaced_by: Option<String>,
    /// The git object id of the folder, which changes with any content of any file.
    pub id: String,
}

impl ManifestEntry {
    /// Whether the skill should not be used any more.
    pub fn is_deprecated(&self) -> bool {
        self.deprecated.is_some() || self.replaced_by.is_some()
    }

    /// Message for users of a deprecated skill; `None` if it is in use.
    pub fn deprecation(&self) -> Option<String> {
        let reason = self.deprecated.as_deref().filter(|text| *text != "true").map(|text| format!(": {text}"));
        let instead = self.replaced_by.as_ref().map(|name| format!("; use `{name}`"));
        let is_deprecated = self.is_deprecated();
        is_deprecated.then(|| format!("deprecated{}{}", reason.unwrap_or_default(), instead.unwrap_or_default()))
    }
}

/// The location of a skill and its object id.
pub struct SkillLocation<'a> {
    /// The path of `SKILL.md`.
    pub document: &'a RepoPath,
    pub folder: &'a RepoPath,
    /// The folder of all skills.
    pub skills: &'a RepoPath,
    /// The object id of the folder.
    pub id: String,
}

impl ManifestEntry {
    /// Reads a `SKILL.md`; `None` if no tool could read it.
    pub fn from_document(location: SkillLocation<'_>, bytes: &[u8]) -> Option<Self> {
        let root = frontmatter::root(std::str::from_utf8(bytes).ok()?)?;
        root.as_mapping()?;
        let fields = Fields { root: &root };
        let tools = fields.list("tools", &[',']);
        Some(Self {
            name: fields.text("name").unwrap_or_else(|| location.folder.file_name_lossy()),
            path: location.document.to_display(),
            description: fields.text("description").unwrap_or_default(),
            triggers: fields.list("triggers", &[',']),
            version: fields.text("version"),
            tools: if tools.is_empty() {
                split_tools(&fields.text("allowed-tools").unwrap_or_default())
            } else {
                tools
            },
            preconditions: fields.list("preconditions", &[';', '\n']),
            constraints: fields.list("constraints", &[';', '\n']),
            category: fields.text("category").or_else(|| category(&location)),
            deprecated: fields.text("deprecated").filter(|text| !matches!(text.as_str(), "false" | "no")),
            replaced_by: fields.text("replaced-by").or_else(|| fields.text("replaced_by")),
            id: location.id,
        })
    }
}

/// Returns the folders between the folder of all skills and the skill.
fn category(location: &SkillLocation<'_>) -> Option<String> {
    let between = location.folder.parent()?;
    let below = between.below(location.skills)?;
    (!below.is_empty()).then(|| RepoPath::new(below).to_display())
}

/// The keys of a frontmatter, at the top level or below `metadata`.
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

    /// Returns a list; a string is split at any of the separators.
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

/// Replaces white space and control characters by single spaces.
fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// Splits at spaces and commas outside parentheses: `Bash(git add *) Read` are two tools.
fn split_tools(text: &str) -> Vec<String> {
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

    fn entry(path: &str, text: &str) -> Option<ManifestEntry> {
        let document = RepoPath::from(path);
        let folder = document.parent().unwrap();
        let skills = RepoPath::from("agent/skills");
        ManifestEntry::from_document(
            SkillLocation { document: &document, folder: &folder, skills: &skills, id: "1".to_owned() },
            text.as_bytes(),
        )
    }

    #[test]
    fn reads_keys_at_the_top_or_below_metadata() {
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
            deprecated: Some("too old".to_owned()),
            replaced_by: Some("news".to_owned()),
            id: "1".to_owned(),
        };
        assert_eq!(want.deprecation().as_deref(), Some("deprecated: too old; use `news`"));
        let top = "---\nname: notes\ndescription: |\n  Drafts\n  notes.\ntriggers: [release notes, changelog]\nversion: 1.2\n\
                   tools: [git]\npreconditions: ['`CHANGES.md` exists', main is green]\ncategory: writing\ndeprecated: too old\nreplaced-by: news\n---\n";
        assert_eq!(entry("agent/skills/notes/SKILL.md", top).as_ref(), Some(&want));
        let below = "---\nname: notes\ndescription: Drafts notes.\nmetadata:\n  triggers: release notes, changelog\n  \
                     version: '1.2'\n  tools: git\n  preconditions: '`CHANGES.md` exists; main is green'\n  category: writing\n  deprecated: too old\n  replaced-by: news\n---\n";
        assert_eq!(entry("agent/skills/notes/SKILL.md", below), Some(want));
    }

    #[test]
    fn missing_keys_default_to_the_folder() {
        let text = "---\ndescription: d\nallowed-tools: Bash(git add *) Read, Edit\n---\n";
        let entry = entry("agent/skills/ops/deploy/SKILL.md", text).unwrap();
        assert_eq!((entry.name.as_str(), entry.category.as_deref()), ("deploy", Some("ops")));
        assert_eq!(entry.tools, ["Bash(git add *)", "Read", "Edit"]);
    }

    #[test]
    fn unreadable_documents_have_no_entry() {
        for text in ["# no frontmatter\n", "---\nname: a: b\n---\n", "---\n- a\n---\n"] {
            assert_eq!(entry("agent/skills/a/SKILL.md", text), None, "{text}");
        }
    }
}
