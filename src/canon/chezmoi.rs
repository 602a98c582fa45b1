//! The names that chezmoi gives to folders of a repository of dotfiles: `exact_dot_agents` becomes `.agents` where it is installed.

use crate::syntax::RepoPath;

/// The attributes of a folder in the source state, in the order in which they are written.
const ATTRIBUTES: [&str; 5] = ["remove_", "external_", "exact_", "private_", "readonly_"];
/// The attribute of a folder whose name starts with a dot.
const DOT: &str = "dot_";

/// The name of a folder as chezmoi installs it; `None` if no folder above has an attribute, so that the name is what it says.
pub fn installed_name(folder: &RepoPath) -> Option<String> {
    let is_source = |above: &RepoPath| without_attributes(&above.file_name_lossy()).1;
    let mut above = std::iter::successors(folder.parent(), RepoPath::parent);
    above.any(|folder| is_source(&folder)).then(|| without_attributes(&folder.file_name_lossy()).0)
}

/// The name without attributes, and whether it has any.
fn without_attributes(name: &str) -> (String, bool) {
    let mut rest = name;
    while let Some(shorter) = ATTRIBUTES.iter().find_map(|attribute| rest.strip_prefix(attribute)) {
        rest = shorter;
    }
    match rest.strip_prefix(DOT) {
        Some(hidden) => (format!(".{hidden}"), true),
        None => (rest.to_owned(), rest.len() < name.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_count_below_a_folder_with_one() {
        for (path, want) in [
            ("home/exact_dot_agents/exact_skills/exact_notes", Some("notes")),
            ("dot_claude/skills/private_readonly_notes", Some("notes")),
            ("private_dot_config/skills/dot_notes", Some(".notes")),
            ("dot_claude/skills/notes", Some("notes")),
            ("home/skills/exact_notes", None),
            ("skills/private_notes", None),
        ] {
            assert_eq!(installed_name(&RepoPath::from(path)).as_deref(), want, "{path}");
        }
    }
}
