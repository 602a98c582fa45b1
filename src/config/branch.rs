//! The branch of the memory: what the schema cannot know of its name.

use super::shared::ConfigProblem;
use crate::syntax::yaml_node::Node;

/// What is wrong with `memory.branch`.
pub(super) fn problems(root: &Node) -> Vec<ConfigProblem> {
    let Some(node) = root.get("memory").and_then(|memory| memory.get("branch")) else { return Vec::new() };
    let problem = node.as_str().and_then(wrong);
    problem.map(|message| ConfigProblem { span: node.span, message }).into_iter().collect()
}

/// As `git check-ref-format --branch` sees it.
fn wrong(name: &str) -> Option<String> {
    if name.starts_with("refs/") {
        return Some(format!("`{name}`: write the branch's name alone, without `refs/heads/`"));
    }
    let full = format!("refs/heads/{name}");
    let reason = match gix::validate::reference::branch_name(full.as_str().into()) {
        Err(error) => error.to_string(),
        Ok(_) if name.starts_with('-') => "it begins with `-`".to_owned(),
        Ok(_) => return None,
    };
    Some(format!("`{name}` is no name that git allows for a branch: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_git_allows() {
        for name in ["memory", "team/memory", "größe", "a.b", "@x"] {
            assert_eq!(wrong(name), None, "{name}");
        }
        for name in
            ["", "-x", "a b", "a..b", "a.lock", "a/", "/a", "a//b", ".a", "HEAD", "a~1", "a@{1}", "refs/heads/a"]
        {
            assert!(wrong(name).is_some(), "{name}");
        }
    }
}
