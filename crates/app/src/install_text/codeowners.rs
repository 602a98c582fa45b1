//! The block in CODEOWNERS that maps skills and their mirrors to their owners.

use canonry_text::RepoPath;

/// Where GitHub and GitLab look for the file, in their order.
pub const PATHS: [&str; 4] = [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"];

/// A skill with the folders that belong to its owners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedSkill {
    pub folders: Vec<RepoPath>,
    /// `@user`, `@organisation/team` or an email address.
    pub owners: Vec<String>,
}

/// A line of the canon's `owners`: a pattern for names of skills, and who owns them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerRule {
    pub pattern: String,
    pub owners: Vec<String>,
}

/// Parses the canon's `owners`: on each line a pattern for names of skills and its owners, and comments after `#`.
pub fn parse_rules(text: &str) -> Vec<OwnerRule> {
    let lines = text.lines().map(|line| line.split(" #").next().expect("split is never empty").trim());
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let rule = |line: &str| {
        let mut words = line.split_whitespace().map(str::to_owned);
        Some(OwnerRule { pattern: words.next()?, owners: words.collect() })
    };
    lines.filter_map(rule).collect()
}

/// Splits the owners in a text, which are separated by spaces or commas.
pub fn split_owners(text: &str) -> Vec<String> {
    let words = text.split(|c: char| c.is_whitespace() || c == ',');
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Whether GitHub and GitLab accept an owner.
pub fn is_owner(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+');
    match text.strip_prefix('@') {
        Some(name) => !name.is_empty() && name.chars().all(is_plain),
        None => text.split_once('@').is_some_and(|(name, host)| {
            !name.is_empty() && host.contains('.') && name.chars().chain(host.chars()).all(is_plain)
        }),
    }
}

/// The lines of the block. The last line that matches a file decides, so the block belongs at the end of the file.
pub fn lines(skills: &[OwnedSkill]) -> String {
    let mut text = String::new();
    for skill in skills {
        for folder in &skill.folders {
            let path = folder.to_display().replace(' ', "\\ ");
            text.push_str(&format!("/{path}/ {}\n", skill.owners.join(" ")));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_as_the_hosts_accept_them() {
        for (text, want) in [
            ("@octocat", true),
            ("@acme/web-team", true),
            ("a.b@example.com", true),
            ("octocat", false),
            ("@", false),
            ("@a b", false),
            ("a@b", false),
        ] {
            assert_eq!(is_owner(text), want, "{text}");
        }
        assert_eq!(split_owners("@a, @b  c@d.e"), ["@a", "@b", "c@d.e"]);
    }

    #[test]
    fn rules_without_comments() {
        let rules = parse_rules("# who\n\n* @core # all\ndeploy-*\t@ops @web\n");
        let rule = |pattern: &str, owners: &[&str]| OwnerRule {
            pattern: pattern.to_owned(),
            owners: owners.iter().map(|owner| (*owner).to_owned()).collect(),
        };
        assert_eq!(rules, [rule("*", &["@core"]), rule("deploy-*", &["@ops", "@web"])]);
    }

    #[test]
    fn a_line_for_each_folder() {
        let folders = ["agent/skills/a", ".claude/skills/a b"].map(RepoPath::from).to_vec();
        let skill = OwnedSkill { folders, owners: vec!["@a".to_owned(), "@b".to_owned()] };
        assert_eq!(lines(&[skill]), "/agent/skills/a/ @a @b\n/.claude/skills/a\\ b/ @a @b\n");
    }
}
