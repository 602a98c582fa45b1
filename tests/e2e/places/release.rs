//! The names that a release has elsewhere, and its npm packages.

use crate::places::tools::{expect, program, root, text};
use crate::support::repo::{COLON, Ran, Repo};
use regex::Regex;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Owner and name of the repository, from `repository` in Cargo.toml.
fn address() -> (&'static str, &'static str) {
    env!("CARGO_PKG_REPOSITORY").strip_prefix("https://github.com/").unwrap().split_once('/').unwrap()
}

/// Patterns with a group, and what the group must be.
fn derived() -> Vec<(Regex, String)> {
    let (owner, name) = address();
    let rules = [
        (
            r"(?:github\.com/|ghcr\.io/|github:|uses: |signer_workflow: )([A-Za-z0-9_.-]+/canonry)(?:[^A-Za-z0-9_-]|$)",
            format!("{owner}/{name}"),
        ),
        (r"repo_owner: (\S+)", owner.to_owned()),
        (r"([A-Za-z0-9_-]+)/tap/canonry", owner.to_owned()),
        (r#"tap = "([^"]+)""#, format!("{owner}/homebrew-tap")),
        (r"@([a-z0-9-]+)/(?:linux|darwin)-(?:x64|arm64)", owner.to_owned()),
        (r"canonry(?:@v?|==)([0-9][0-9A-Za-z.-]*)", VERSION.to_owned()),
        (r"canonry/releases/download/v([0-9][0-9A-Za-z.-]*)", VERSION.to_owned()),
        (r"ghcr\.io/[a-z0-9-]+/canonry:([0-9][0-9A-Za-z.-]*)", VERSION.to_owned()),
        (r"repo: \S*canonry\S*\s+rev: v(\S+)", VERSION.to_owned()),
    ];
    rules.into_iter().map(|(pattern, want)| (Regex::new(pattern).unwrap(), want)).collect()
}

/// A line for each name in a text that is not the derived one, and how many names there are.
fn differences(path: &str, text: &str) -> (Vec<String>, usize) {
    let mut lines = Vec::new();
    let mut count = 0;
    for (pattern, want) in derived() {
        for found in pattern.captures_iter(text).map(|captures| captures.get(1).unwrap()) {
            count += 1;
            if found.as_str() != want {
                let line = text[..found.start()].lines().count().max(1);
                lines.push(format!("{path}:{line}: change `{}` to `{want}`", found.as_str()));
            }
        }
    }
    (lines, count)
}

/// Everything that names the project's owner, address or version.
fn files() -> Vec<PathBuf> {
    let top = [
        "README.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "action.yml",
        "dist-workspace.toml",
        "pyproject.toml",
        "Dockerfile",
        ".pre-commit-hooks.yaml",
    ];
    let folders = ["docs", "npm", "packaging", ".github/workflows"].into_iter();
    let below = folders.flat_map(|folder| walkdir::WalkDir::new(root(folder)).sort_by_file_name());
    let below = below.map(|entry| entry.unwrap().into_path()).filter(|path| path.is_file());
    top.map(root).into_iter().chain(below).collect()
}

#[test]
fn the_address_and_the_version_are_those_of_the_manifest() {
    let mut lines = Vec::new();
    let mut counts = BTreeMap::new();
    for file in files() {
        let path = file.strip_prefix(root("")).unwrap().display().to_string();
        // Pictures have no names.
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let (found, count) = differences(&path, &text);
        lines.extend(found);
        counts.insert(path, count);
    }
    assert!(lines.is_empty(), "`repository` and `version` in Cargo.toml say otherwise:\n{}", lines.join("\n"));
    assert!(counts["dist-workspace.toml"] > 0 && counts["docs/releasing.md"] > 0, "{counts:?}");
}

#[test]
fn other_names_are_found() {
    let text = "brew install acme/tap/canonry\n\
                uses: acme/canonry@v9.9.9\n\
                docker run ghcr.io/acme/canonry:9.9.9 check\n\
                pip install canonry==9.9.9\n\
                curl https://github.com/acme/canonry/releases/latest/download/canonry-installer.sh\n\
                - repo: https://github.com/acme/canonry\n  rev: v9.9.9\n\
                mise use -g github:acme/canonry\nnpm i @acme/linux-x64\n";
    let (lines, count) = differences("a.md", text);
    assert_eq!((lines.len(), count), (11, 11), "{lines:#?}");
    let (owner, name) = address();
    assert_eq!(lines[0], format!("a.md:2: change `acme/canonry` to `{owner}/{name}`"));
    let others = "https://github.com/acme/other ~/.config/canonry/canonry.yaml acme/canonry-action";
    assert_eq!(differences("a.md", others), (Vec::new(), 0));
}

/// Targets of dist's archives, and the names of Node for their platforms.
const TARGETS: [(&str, &str); 4] = [
    ("x86_64-unknown-linux-musl", "linux-x64"),
    ("aarch64-unknown-linux-musl", "linux-arm64"),
    ("x86_64-apple-darwin", "darwin-x64"),
    ("aarch64-apple-darwin", "darwin-arm64"),
];

fn run(command: &mut Command) -> Ran {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}")).into()
}

/// The tarballs of the packages that `npm/build.mjs` makes from archives. In place of a binary, which takes npm a minute to
/// compress, each has a script that runs it.
fn packed(binary: &Path, work: &Path) -> BTreeMap<String, PathBuf> {
    let mut build = Command::new("node");
    build.arg(root("npm/build.mjs")).arg(work.join("packages"));
    for (target, _) in TARGETS {
        let folder = format!("canonry-{target}");
        program(&work.join(&folder).join("canonry"), &format!("#!/bin/sh\nexec '{}' \"$@\"\n", binary.display()));
        let archive = work.join(format!("{folder}.tar.gz"));
        let mut tar = Command::new("tar");
        tar.arg("-czf").arg(&archive).arg("-C").arg(work).arg(&folder);
        expect(&run(&mut tar), 0, &[]);
        build.arg(archive);
    }
    expect(&run(&mut build), 0, &[]);
    let mut tarballs = BTreeMap::new();
    for folder in std::fs::read_dir(work.join("packages")).unwrap().map(|entry| entry.unwrap().path()) {
        let ran = run(Command::new("npm").args(["pack", "--silent", "--pack-destination"]).arg(work).arg(&folder));
        expect(&ran, 0, &[]);
        let manifest: Value = serde_json::from_str(&text(&folder.join("package.json"))).unwrap();
        assert!(manifest["scripts"].is_null(), "{manifest}");
        tarballs.insert(manifest["name"].as_str().unwrap().to_owned(), work.join(ran.stdout.trim()));
    }
    tarballs
}

/// Serves the packages on loopback as a registry does, until the test process ends.
fn registry(work: &Path, tarballs: BTreeMap<String, PathBuf>) -> String {
    let server = tiny_http::Server::http("127.0.0.1:0").unwrap();
    let address = format!("http://{}", server.server_addr());
    let base = address.clone();
    let folders = work.join("packages");
    std::thread::spawn(move || {
        for request in server.incoming_requests() {
            let name = request.url().trim_start_matches('/').replace("%2f", "/");
            let answer = if let Some(name) = name.strip_suffix(".tgz") {
                tiny_http::Response::from_data(std::fs::read(&tarballs[name]).unwrap())
            } else if tarballs.contains_key(&name) {
                let folder = folders.join(name.rsplit('/').next().unwrap());
                let mut manifest: Value = serde_json::from_str(&text(&folder.join("package.json"))).unwrap();
                manifest["dist"] = json!({"tarball": format!("{base}/{name}.tgz")});
                let document = json!({"name": name, "dist-tags": {"latest": VERSION}, "versions": {VERSION: manifest}});
                tiny_http::Response::from_data(document.to_string().into_bytes())
            } else {
                tiny_http::Response::from_data(Vec::new()).with_status_code(404)
            };
            request.respond(answer).unwrap();
        }
    });
    address
}

/// `npx canonry` and `npm install canonry` with the tested binary, from a registry on loopback.
#[test]
#[ignore = "needs node and npm"]
fn needs_npm_the_packages_run() {
    let repo = Repo::with_synced_skill();
    let work = repo.tmp().join("npm");
    let tarballs = packed(assert_cmd::cargo::cargo_bin!("canonry"), &work);
    assert_eq!(tarballs.len(), 5, "{tarballs:?}");
    let registry = registry(&work, tarballs);
    let npm = |folder: &Path, program: &str, args: &[&str]| {
        let mut command = repo.command(program);
        command.args(args).current_dir(folder).env("npm_config_registry", &registry);
        run(command.env("npm_config_cache", work.join("cache")).env("npm_config_audit", "false"))
    };
    expect(&npm(&repo.root, "npx", &["--yes", "canonry", "--version"]), 0, &[&format!("canonry {VERSION}\n")]);
    // The status and the output of the binary.
    expect(&npm(&repo.root, "npx", &["--yes", "canonry", "check"]), 0, &["no findings"]);
    repo.write("agent/skills/triage-bug/SKILL.md", COLON);
    expect(&npm(&repo.root, "npx", &["--yes", "canonry", "check"]), 1, &["yaml-invalid"]);

    let project = repo.tmp().join("project");
    std::fs::create_dir(&project).unwrap();
    std::fs::write(project.join("package.json"), "{}").unwrap();
    expect(&npm(&project, "npm", &["install", "--save-dev", "canonry"]), 0, &["added 2 packages"]);
    let scope = project.join("node_modules").join(format!("@{}", address().0));
    let platform = std::fs::read_dir(&scope).unwrap().next().unwrap().unwrap().path();
    assert!(TARGETS.iter().any(|(_, name)| platform.ends_with(name)), "{platform:?}");

    // A signal reaches the binary, and one that ends it ends the launcher.
    let launcher = project.join("node_modules/.bin/canonry");
    program(&platform.join("canonry"), "#!/bin/sh\ntrap 'exit 7' TERM\necho ready\nwhile :; do sleep 0.05; done\n");
    let mut child = Command::new(&launcher).stdout(std::process::Stdio::piped()).spawn().unwrap();
    let mut ready = [0; 6];
    std::io::Read::read_exact(child.stdout.as_mut().unwrap(), &mut ready).unwrap();
    expect(&run(Command::new("kill").arg(child.id().to_string())), 0, &[]);
    assert_eq!(child.wait().unwrap().code(), Some(7));
    program(&platform.join("canonry"), "#!/bin/sh\nkill -HUP $$\n");
    let status = Command::new(&launcher).status().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(1));

    std::fs::remove_dir_all(&platform).unwrap();
    expect(&npm(&project, "npx", &["canonry", "check"]), 70, &["is not installed", "--omit=optional"]);
}
