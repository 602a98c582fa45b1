//! The repository that every walk begins with: a bare remote and its clones, made once, because git is slow.

use crate::support::repo::{Repo, document};

pub const CONFIG: &str = "agent/canonry.yaml";
/// The last one is a row of the config.
pub const MIRRORS: [&str; 4] = [".claude/skills", ".codex/skills", ".foo/skills", ".agents/skills"];
/// The targets that a person switches between.
pub const TARGETS: [&str; 4] = [
    "  claude:\n  codex: true\n  foo: {skills: .foo/skills}\n",
    "  claude:\n",
    "  claude:\n  agents: true\n",
    "  codex: true\n  foo: {skills: .foo/skills}\n",
];
const FILES: &str = "files:\n  claude: {commands: true, subagents: true, mcp: true, context: copy}\n  \
                     cursor: {permissions: true}\n  antigravity: {permissions: true}\n  \
                     accept_omitted: [antigravity/permissions/*]\n";
/// Permissions of agents, in three versions, and the files with it.
pub const PAGE: &str = "agent/protocols/permissions.md";
pub const PAGES: [&str; 3] = [
    "# Permissions\n\n## Always allowed\n\n- `git status`\n- Edit: `src/**`\n\n## Requires approval\n\n- `git push`\n\n## Never allowed\n\n- Read: `.env*`\n",
    "# Permissions\n\n## Always allowed\n\n- `git status`\n\n## Requires approval\n\n- `git push`\n- MCP: `db/insert`\n\n## Never allowed\n\n- MCP: `db/drop`\n",
    "# Permissions\n\n## Always allowed\n\nNone.\n\n## Requires approval\n\n- `make`\n\n## Never allowed\n\n- Web: `example.com`\n",
];
pub const PERMISSION_FILES: [&str; 2] = [".cursor/cli.json", ".antigravity/settings.json"];
/// Files of the canon besides skills, each with another name for it and its content.
pub const SOURCES: [(&str, &str, &str); 4] = [
    ("agent/commands/tidy.md", "agent/commands/clean.md", "---\ndescription: Tidies the code.\n---\n\nTidy it.\n"),
    (
        "agent/agents/reviewer.md",
        "agent/agents/critic.md",
        "---\nname: reviewer\ndescription: Reviews changes. Use after an edit.\n---\n\nReview them.\n",
    ),
    (
        "agent/mcp.json",
        "agent/mcp.json.off",
        "{\n  \"mcpServers\": {\n    \"db\": {\"command\": \"db-server\", \"args\": []}\n  }\n}\n",
    ),
    ("agent/AGENTS.md", "agent/AGENTS.md.off", "# Map\n\nStart here.\n"),
];

pub struct Template {
    pub remote: Repo,
    pub clone: Repo,
}

pub fn config(targets: &str) -> String {
    format!("targets:\n{targets}{FILES}")
}

/// `is_ignored`: git ignores the mirrors, although the config has them committed.
pub fn template(is_ignored: bool) -> Template {
    let clone = Repo::with_skills(&["alpha", "beta"]);
    clone.write(CONFIG, config(TARGETS[0]));
    clone.write(PAGE, PAGES[0]);
    SOURCES.iter().for_each(|(path, _, text)| clone.write(path, text));
    PERMISSION_FILES.iter().for_each(|file| clone.write(file, "{\n  // ours\n}\n"));
    if is_ignored {
        clone.write(".gitignore", MIRRORS.map(|mirror| format!("/{mirror}/\n")).concat());
    }
    clone.sync(&[]).expect(0);
    clone.git(&["add", "-A"]);
    clone.git(&["commit", "-qm", "first"]);
    clone.append("agent/skills/alpha/SKILL.md", "on the other branch\n");
    clone.git(&["checkout", "-qb", "other"]);
    clone.sync(&[]).expect(0);
    clone.git(&["add", "-A"]);
    clone.git(&["commit", "-qm", "other"]);
    clone.git(&["checkout", "-q", "main"]);
    clone.sync(&[]).expect(0);
    let remote = Repo::empty();
    remote.git(&["config", "core.bare", "true"]);
    clone.git(&["remote", "add", "origin", remote.root.to_str().unwrap()]);
    clone.git(&["push", "-q", "origin", "main", "other"]);
    Template { remote, clone }
}

/// The text of a skill's document with another name.
pub fn renamed(text: &str, name: &str) -> String {
    let lines = text
        .lines()
        .map(|line| if line.starts_with("name: ") { format!("name: {name}\n") } else { format!("{line}\n") });
    lines.collect()
}

/// The folders of the canon's skills.
pub fn skills(repo: &Repo) -> Vec<String> {
    let tree = repo.tree_of(&["agent/skills"]);
    let folders = tree.keys().filter_map(|path| Some(path.strip_suffix("/SKILL.md")?.to_owned()));
    folders.collect()
}

pub fn name_of(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap()
}

/// The document of a skill's folder.
pub fn new_document(folder: &str) -> String {
    document(name_of(folder))
}
