//! See `home_path.md`.

use super::reference_index::ReferenceIndex;
use super::vocabulary::EXAMPLE_WORDS;
use super::words_around;
use crate::canon::agent_text::AgentText;
use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::security::is_called_wrong;
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::{Source, Span};
use gix::bstr::ByteSlice;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "home-path",
    summary: "path into a user's home directory",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("home_path.md"),
    check: Check::Each(&[Check::Skill(check), Check::AgentText(check_agent_text)]),
};

/// The parent directory of home directories on Linux.
const LINUX_ROOT: &str = "/home/";
/// The name of the one on macOS and Windows, which are searched for at once.
const USERS: &str = "Users";
/// The separators before and after it. With a colon, a drive comes first; of two that fit, the longer is first.
const SEPARATORS: [(&str, &str); 4] = [(":/", "/"), ("/", "/"), (":\\", "\\"), (":\\\\", "\\\\")];

/// Placeholder names, and user names of container images and build machines.
const GENERIC_NAMES: [&str; 133] = [
    "first",
    "last",
    "firstname",
    "lastname",
    "user",
    "users",
    "username",
    "user_name",
    "user-name",
    "name",
    "yourname",
    "your-name",
    "your_name",
    "yourusername",
    "your-username",
    "your_username",
    "your-user",
    "youruser",
    "you",
    "your",
    "me",
    "myname",
    "myuser",
    "my-user",
    "my",
    "xxx",
    "xxxx",
    "foo",
    "bar",
    "someone",
    "somebody",
    "anyone",
    "person",
    "test",
    "testuser",
    "example",
    "demo",
    "sample",
    "alice",
    "bob",
    "joe",
    "john",
    "jane",
    "johndoe",
    "janedoe",
    "john.doe",
    "jane.doe",
    "jdoe",
    "dev",
    "developer",
    "admin",
    "app",
    "appuser",
    "shared",
    "public",
    "default",
    "guest",
    "ubuntu",
    "node",
    "vscode",
    "runner",
    "runneradmin",
    "codespace",
    "jovyan",
    "git",
    "linuxbrew",
    "vagrant",
    "oai",
    "myself",
    "node_modules",
    "staging",
    "prod",
    "production",
    "dist",
    "www",
    "web",
    "deploy",
    "deployer",
    "data",
    "build",
    "builder",
    "ci",
    "jenkins",
    "work",
    "workspace",
    "project",
    "projects",
    "repo",
    "repos",
    "src",
    "config",
    "downloads",
    "desktop",
    "circleci",
    "gitpod",
    "coder",
    "container",
    "sandbox",
    "agent",
    "claude",
    "codex",
    "cursor",
    "pi",
    "opencode",
    "gemini",
    "copilot",
    "windsurf",
    "kiro",
    "cline",
    // The root of a web application in Azure App Service: `/home/site/wwwroot`.
    "site",
    "ec2-user",
    "azureuser",
    "opc",
    "centos",
    "debian",
    "fedora",
    "postgres",
    "nobody",
    "operator",
    "nginx",
    "frappe",
    "odoo",
    "hadoop",
    "spark",
    "airflow",
    "kali",
    // Built-in accounts of Windows.
    "administrator",
    "localservice",
    "networkservice",
    "defaultuser0",
    "containeradministrator",
    "containeruser",
    "wdagutilityaccount",
];

fn check(skill: &Skill, findings: &mut RawFindings) {
    if skill.source().is_some_and(|source| is_about_homes(source.text())) {
        return;
    }
    let mut index = None;
    for (source, _) in skill.all_texts().filter(|(source, _)| !is_output(skill, source)) {
        let found = homes_in(source, &skill.folder.path.file_name_lossy());
        let mut is_unused =
            || is_unused_note(skill, source, index.get_or_insert_with(|| ReferenceIndex::from_skill(skill)));
        if !found.is_empty() && !is_unused() {
            findings.extend(found);
        }
    }
}

/// Whether a text names the parent of home directories itself: "`/Users/` in a message". The paths of a skill about them are samples.
fn is_about_homes(text: &str) -> bool {
    ["`/Users/`", "`/home/`"].iter().any(|root| text.contains(root))
}

/// Files of one user, such as `settings.local.json`, may contain the user's paths.
fn check_agent_text(text: &AgentText, findings: &mut RawFindings) {
    if !text.is_personal() {
        findings.extend(homes_in(&text.source, ""));
    }
}

/// The findings in a text about `subject`, the name of a skill.
fn homes_in(source: &Arc<Source>, subject: &str) -> Vec<RawFinding> {
    let mut by_home: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
    let text = source.text();
    let is_sample = |at| is_bad_example(text, at) || is_project_of_codex(source, at);
    for span in homes(text).into_iter().filter(|span| !is_sample(span.offset)) {
        by_home.entry(source.slice(span)).or_default().push(span);
    }
    by_home.retain(|home, spans| {
        let is_wrong = || spans.first().is_some_and(|first| is_called_wrong(text, first.offset));
        !is_of_container(text, home)
            && !is_of_service(text, home)
            && !is_example(text, spans)
            && !is_called_like(subject, home)
            && !is_wrong()
    });
    by_home.values().map(|spans| finding(source, spans)).collect()
}

/// Letters of a user that is compared with the name of a skill, at least.
const MIN_SUBJECT: usize = 4;

/// Whether the user is called like what the skill is about, as `/home/laravel` in `laravel-sdk`: a service, or invented.
fn is_called_like(subject: &str, home: &str) -> bool {
    let user = home.rsplit(['/', '\\']).next().unwrap_or_default();
    user.len() >= MIN_SUBJECT && subject.split(['-', '_']).any(|part| part.eq_ignore_ascii_case(user))
}

/// Folders of what programs wrote, and of what tests read.
const OUTPUT_FOLDERS: [&str; 16] = [
    "results",
    "reports",
    "output",
    "outputs",
    "logs",
    "evals",
    "benchmarks",
    "tests",
    "fixtures",
    "expected",
    "target",
    "build",
    "dist",
    "node_modules",
    "__pycache__",
    ".venv",
];

/// Parts of names of files that show a form. Their users are invented.
const SAMPLE_ENDINGS: [&str; 4] = [".example.", ".sample.", ".template.", ".dist."];

/// Whether a text is in such a folder, or is a log or a sample.
fn is_output(skill: &Skill, source: &Source) -> bool {
    let Some(below) = source.path().below(&skill.folder.path) else { return false };
    let below = below.to_string();
    // Nobody reads a hidden file of data, such as a cache.
    let name = below.rsplit('/').next().unwrap_or_default();
    name.starts_with('.') && name.ends_with(".json")
        || below.ends_with(".log")
        || below.ends_with(".jsonl")
        || SAMPLE_ENDINGS.iter().any(|part| name.contains(part))
        || below.split('/').rev().skip(1).any(is_output_folder)
}

/// Matches `results` and `review_output`.
pub(super) fn is_output_folder(name: &str) -> bool {
    let last = name.rsplit(['_', '-']).next().unwrap_or(name);
    OUTPUT_FOLDERS.contains(&name) || matches!(last, "output" | "outputs" | "results" | "logs")
}

/// Whether no other text of the skill mentions a text that is no script, so that agents do not read it: a note of the author, or a
/// request for a review.
fn is_unused_note(skill: &Skill, source: &Source, index: &mut ReferenceIndex<'_>) -> bool {
    let path = source.path();
    let Some(below) = path.below(&skill.folder.path).map(ToString::to_string) else { return false };
    let name = below.rsplit('/').next().unwrap_or_default().to_lowercase();
    let is_note = [".md", ".txt", ".json"].iter().any(|end| name.ends_with(end));
    is_note && path != skill.path() && !name.starts_with("readme") && !index.is_referenced_anywhere(path, &below)
}

/// One finding per user and file, at the first location.
fn finding(source: &Arc<Source>, spans: &[Span]) -> RawFinding {
    let first = spans.first().copied().unwrap_or_default();
    let more = match spans.len() {
        1 => String::new(),
        2 => ", here and in 1 other place in this file".to_owned(),
        count => format!(", here and in {} other places in this file", count - 1),
    };
    let message = format!("`{}` is a user's home directory{more}", source.slice(first));
    let help = "write `~`, `$HOME`, or a relative path; write `<name>` as a placeholder";
    RawFinding::new(Location::at(source, first), message).help(help)
}

/// The home directories in a text, without the rest of the path.
fn homes(text: &str) -> Vec<Span> {
    let linux = text.as_bytes().find_iter(LINUX_ROOT).map(|at| Span::new(at, at + LINUX_ROOT.len()));
    let users = text.as_bytes().find_iter(USERS).filter_map(|at| users_root(text, at));
    let mut homes: Vec<Span> = linux.chain(users).filter_map(|root| home(text, root)).collect();
    homes.sort_by_key(|home| home.offset);
    homes
}

/// The parent directory that the word `Users` names, with its separators.
fn users_root(text: &str, at: usize) -> Option<Span> {
    let (before, after) = (&text[..at], &text[at + USERS.len()..]);
    let (open, close) = SEPARATORS.iter().find(|(open, close)| before.ends_with(open) && after.starts_with(close))?;
    Some(Span::new(at - open.len(), at + USERS.len() + close.len()))
}

fn home(text: &str, root: Span) -> Option<Span> {
    let at = root.offset;
    let before = text[..at].chars().next_back();
    let drive = text[at..].starts_with(':');
    // `https://example.com/home/…`, `/var/home/…` and `"$ROOT/Users/…` are other directories.
    let is_part =
        |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '}' | '~' | ')' | '>' | '*' | '@');
    let is_drive = || {
        let mut before = text[..at].chars().rev();
        before.next().is_some_and(|c| c.is_ascii_alphabetic()) && !before.next().is_some_and(char::is_alphanumeric)
    };
    let is_start = if drive { is_drive() } else { !before.is_some_and(is_part) };
    let rest = &text[root.end()..];
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
    // Without a rest, it may be the path of a URL or a route.
    let after = &rest[name.len()..];
    // `/home/mara/...` in a sentence is no path that anybody opens.
    let has_rest = after.starts_with(['/', '\\']) && !after[1..].starts_with("...") && !after[1..].starts_with('…');
    let is_person = name.len() > 1 && name.chars().next().is_some_and(char::is_alphanumeric) && !is_generic(name);
    (is_start && has_rest && is_person).then(|| Span::new(at - usize::from(drive), root.end() + name.len()))
}

/// Commands that create a user of an image.
const ADDING_USERS: [&str; 3] = ["useradd", "adduser", "USER "];

/// Whether a home directory is one in a container: the target of a mount (`./data:/home/shop`), the working directory of an
/// image, or of a user that it creates.
fn is_of_container(text: &str, home: &str) -> bool {
    let Some(name) = home.strip_prefix("/home/") else { return false };
    let is_mounted = text.match_indices(home).any(|(at, _)| {
        let before = &text[..at];
        let source = before.strip_suffix(':').and_then(|rest| rest.chars().next_back());
        source.is_some_and(|c| c.is_alphanumeric() || matches!(c, '}' | '/' | '.' | '_'))
            || before.ends_with("WORKDIR ")
            || is_copy_target(before)
            || before.trim_end_matches(['`', '"', ' ']).ends_with("mounted at")
    });
    let is_added = |line: &str| {
        let mut words = line.split(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'));
        ADDING_USERS.iter().any(|command| line.contains(command)) && words.any(|word| word == name)
    };
    is_mounted || text.lines().any(is_added) || is_below_home(text, name)
}

/// Matches `COPY --from=build /app ` of a Dockerfile.
fn is_copy_target(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
    let is_copy = line.starts_with("COPY ") || line.starts_with("ADD ");
    is_copy && line.split_whitespace().filter(|word| !word.starts_with("--")).count() > 1
}

/// Whether the text also names a unit of the system that is called like the user: `shop.service`, `shop-web.service`, `User=shop`.
fn is_of_service(text: &str, home: &str) -> bool {
    let Some(name) = home.strip_prefix("/home/") else { return false };
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    text.match_indices(name).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + name.len()..]);
        let is_start = !before.ends_with(is_part);
        let unit = after.strip_prefix('-').map_or(after, |rest| rest.trim_start_matches(is_part));
        is_start && (unit.starts_with(".service") || before.ends_with("User=") && !after.starts_with(is_part))
    })
}

/// Whether the text also names a folder of this name below the home directory, as in `~/runs` and `/home/runs`.
fn is_below_home(text: &str, name: &str) -> bool {
    ["~/", "$HOME/", "${HOME}/", "<home>/"].iter().any(|home| {
        text.match_indices(home).any(|(at, _)| {
            let rest = &text[at + home.len()..];
            rest.strip_prefix(name)
                .is_some_and(|after| !after.starts_with(|c: char| c.is_alphanumeric() || "-_.".contains(c)))
        })
    })
}

/// Whether the first path into a home directory is introduced as an example, so that its user is invented.
fn is_example(text: &str, spans: &[Span]) -> bool {
    let Some(first) = spans.first() else { return false };
    let before = text[..first.offset].rsplit('\n').next().unwrap_or_default().to_lowercase();
    // `/opt/examples/x` is no introduction.
    let mut words = EXAMPLE_WORDS.iter().flat_map(|word| before.match_indices(*word));
    words.any(|(at, word)| {
        let is_word = !word.is_ascii() || !before[..at].ends_with(|c: char| c.is_alphanumeric() || "/_-.".contains(c));
        is_word && !before[at + word.len()..].trim_start_matches('s').starts_with(['/', '_', '-'])
    })
}

/// Words of a comment that introduces what not to do.
const BAD_EXAMPLE_WORDS: [&str; 12] = [
    "bad",
    "wrong",
    "incorrect",
    "don't",
    "do not",
    "never",
    "avoid",
    "problematic",
    "hardcoded",
    "hard-coded",
    "not portable",
    "❌",
];

/// Whether the line, or a comment on the line above, marks the path as what not to write.
fn is_bad_example(text: &str, at: usize) -> bool {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next().unwrap_or_default().to_lowercase();
    let above = text[..start].lines().next_back().unwrap_or_default().trim().to_lowercase();
    let is_comment = above.starts_with(['#', '/', '-', '❌', '*']) || above.ends_with(':');
    let warns = |text: &str| {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '\'');
        BAD_EXAMPLE_WORDS.iter().any(|word| match word.chars().all(char::is_alphabetic) {
            true => words.clone().any(|other| other == *word),
            false => text.contains(word),
        }) || words.any(|word| word == "✗")
    };
    warns(&line) || is_comment && warns(&above) || is_ruled_out(&text[start..at])
}

/// Whether the path is the key of a project in the settings of Codex, which has to be the whole path: `[projects."/home/mara/notes"]`.
fn is_project_of_codex(source: &Source, at: usize) -> bool {
    source.path().file_name() == "config.toml" && words_around::line_before(source, at).trim_start() == "[projects.\""
}

/// Words directly before what not to write: "`~/notes/`, not `/home/mara/notes/`".
const RULING_OUT: [&str; 5] = ["not", "not full", "not the full", "instead of", "rather than"];

/// Whether the words before a path on its line rule it out.
fn is_ruled_out(before: &str) -> bool {
    let before = before.trim_end_matches(['`', '"', '\'', '*', ' ']).to_lowercase();
    RULING_OUT.iter().any(|words| {
        let rest = before.strip_suffix(words);
        rest.is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric() || c == '-'))
    })
}

/// The word for a user in names of placeholders, in several languages.
const USER_WORDS: [&str; 8] = ["user", "usuario", "utilisateur", "benutzer", "用户", "用戶", "ユーザ", "사용자"];

/// Words for `your` before a word for a name or a user, written as one: `VotreNom`.
const POSSESSIVES: [&str; 6] = ["your", "votre", "tonnom", "deinname", "ihrname", "tunombre"];

fn is_generic(name: &str) -> bool {
    let lower = name.to_lowercase();
    let is_upper = name.chars().all(|c| c.is_uppercase() || matches!(c, '_' | '-'));
    GENERIC_NAMES.contains(&lower.as_str())
        || lower.split(['.', '-', '_']).all(|part| GENERIC_NAMES.contains(&part))
        || is_upper
        || POSSESSIVES.iter().any(|word| lower.starts_with(word))
        || USER_WORDS.iter().any(|word| lower.contains(word))
        || lower.contains("...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_have_users_of_their_own() {
        for (text, want) in [
            ("volumes:\n  - ./data:/home/shop/data\nrun /home/shop/x", true),
            ("WORKDIR /home/shop/src", true),
            ("RUN useradd -m shop\nCOPY . /home/shop/src", true),
            ("the disk (mounted at `/home/shop/`)", true),
            ("`<home>/shop/a.log` is /home/shop/a.log", true),
            ("`~/shops` is not /home/shop/src", false),
            ("cd /home/shop/src", false),
            ("see: /home/shop/src", false),
        ] {
            assert_eq!(is_of_container(text, "/home/shop"), want, "{text}");
        }
    }

    #[test]
    fn services_have_users_of_their_own() {
        for (text, want) in [
            ("see `systemctl status shop-web.service`, /home/shop/x", true),
            ("shop.service reads /home/shop/x", true),
            ("User=shop\nWorkingDirectory=/home/shop/x", true),
            ("User=shopkeeper runs /home/shop/x", false),
            ("bookshop.service reads /home/shop/x", false),
            ("the shop service reads /home/shop/x", false),
        ] {
            assert_eq!(is_of_service(text, "/home/shop"), want, "{text}");
        }
    }

    #[test]
    fn users_of_examples_are_invented() {
        for (text, want) in [
            ("Una ruta local, ej. `/Users/yo/notas`.\n\nLee /Users/yo/notas", true),
            ("the folder of the notes (例如：/home/mara/notes)", true),
            ("Read e.g. /home/mara/notes", true),
            ("cp examples/a.md /home/mara/notes", false),
            ("cd /home/mara/notes # for example", false),
            ("Run /home/mara/notes, for example with /home/mara/x", false),
        ] {
            assert_eq!(is_example(text, &homes(text)), want, "{text}");
        }
    }

    #[test]
    fn bad_examples_are_marked() {
        for (text, want) in [
            ("// Wrong: a path of one machine\nopen('/home/mara/x')", true),
            ("open('/home/mara/x')  # never do this", true),
            ("Write `~/notes/` (not full `/home/mara/notes/`)", true),
            ("Write `~/notes/` instead of `/home/mara/notes/`", true),
            ("Knot /home/mara/x", false),
            ("The wrong way\n\nopen('/home/mara/x')", false),
            ("Read the file\nopen('/home/mara/x')", false),
        ] {
            let at = text.find("/home").unwrap_or_default();
            assert_eq!(is_bad_example(text, at), want, "{text}");
        }
    }

    #[test]
    fn finds_only_real_users() {
        for (text, want) in [
            ("cd /home/mara/src", vec!["/home/mara"]),
            ("open \"/Users/k.lind/x\" and C:\\Users\\Mara\\x", vec!["/Users/k.lind", "C:\\Users\\Mara"]),
            (
                "/home/user/src /Users/you/x /home/USERNAME/x /home/<name>/x /home/$USER/x /home/your-name/x /home/VotreNom/x",
                vec![],
            ),
            ("/Users/firstname.lastname/src /home/first_last/x", vec![]),
            ("https://example.com/home/mara/x, /var/home/mara/x, $ROOT/home/mara/x", vec![]),
            ("the route /home/mara", vec![]),
            ("the paths under `/home/mara/...` and /home/mara/…", vec![]),
            ("/home/.cache/x", vec![]),
            ("/Users/用户名/x C:\\Users\\ユーザー名\\x /home/joe/x", vec![]),
        ] {
            let found: Vec<&str> = homes(text).into_iter().map(|span| &text[span.range()]).collect();
            assert_eq!(found, want, "{text}");
        }
    }
}
