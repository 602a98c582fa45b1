//! The site: the pages of `docs` and the pages of the rules, built with mdBook.

use std::error::Error;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
const RULES: &str = "crates/lint/src";

/// Copies the pages to `target/site/src`, and builds `target/site/book`.
///
/// # Errors
/// A page cannot be read or written, or mdBook is not installed or fails.
pub fn build() -> Result<(), Box<dyn Error>> {
    let site = Path::new(ROOT).join("target/site");
    let _ = fs::remove_dir_all(&site);
    let mut rules = Vec::new();
    for path in files(Path::new("docs"))?.into_iter().chain(files(Path::new(RULES))?) {
        let Some(page) = site_path(&path) else { continue };
        let to = site.join("src").join(&page);
        if let Some(folder) = to.parent() {
            fs::create_dir_all(folder)?;
        }
        let from = Path::new(ROOT).join(&path);
        if page.extension().is_some_and(|extension| extension == "md") {
            fs::write(to, rewritten(&fs::read_to_string(from)?, &path, &page))?;
        } else {
            fs::copy(from, to)?;
        }
        if page.starts_with("rules") {
            rules.push(page);
        }
    }
    rules.sort();
    let line = |page: &PathBuf| {
        let name = page.file_stem().unwrap_or_default().display();
        format!("  - [{name}]({})\n", page.display())
    };
    let summary = site.join("src/SUMMARY.md");
    let below = "](reference/rules.md)\n";
    let list: String = rules.iter().map(line).collect();
    fs::write(&summary, fs::read_to_string(&summary)?.replace(below, &format!("{below}{list}")))?;
    fs::copy(Path::new(ROOT).join("docs/book.toml"), site.join("book.toml"))?;
    let status = Command::new("mdbook")
        .args(["build", "."])
        .current_dir(&site)
        .env("MDBOOK_OUTPUT__HTML__GIT_REPOSITORY_URL", env!("CARGO_PKG_REPOSITORY"))
        .status()
        .map_err(|e| format!("mdbook does not start: {e}; run `cargo install --locked mdbook`"))?;
    if status.success() { Ok(()) } else { Err("mdbook failed".into()) }
}

/// Files below a folder, relative to the root.
fn files(folder: &Path) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(Path::new(ROOT).join(folder))? {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}

/// The path of a file on the site; `None` if it is not part of it.
fn site_path(path: &Path) -> Option<PathBuf> {
    if let Ok(page) = path.strip_prefix("docs") {
        return (page != Path::new("book.toml")).then(|| page.to_owned());
    }
    let name = path.strip_prefix(RULES).ok()?.file_name()?.to_str()?;
    name.ends_with(".md").then(|| Path::new("rules").join(name.replace('_', "-")))
}

/// The page without the commands that tests run, and with links that work on the site: to another page of it, or to the
/// repository.
fn rewritten(text: &str, path: &Path, page: &Path) -> String {
    let lines: String =
        text.lines().filter(|line| !line.starts_with("<!-- run: ")).map(|line| format!("{line}\n")).collect();
    let mut parts = lines.split("](");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (target, rest) = part.split_once(')').unwrap_or((part, ""));
        out.push_str(&format!("]({}){rest}", link(target, path, page)));
    }
    out
}

fn link(target: &str, path: &Path, page: &Path) -> String {
    if target.contains("://") || target.starts_with('#') || target.contains(' ') {
        return target.to_owned();
    }
    let (to, anchor) = target.find('#').map_or((target, ""), |at| target.split_at(at));
    let mut full = PathBuf::new();
    for part in path.parent().unwrap_or(Path::new("")).join(to).components() {
        match part {
            Component::ParentDir => drop(full.pop()),
            part => full.push(part),
        }
    }
    match site_path(&full) {
        Some(to) => {
            let up = "../".repeat(page.components().count() - 1);
            format!("{up}{}{anchor}", to.display())
        }
        None if Path::new(ROOT).join(&full).exists() => {
            format!("{}/blob/main/{}{anchor}", env!("CARGO_PKG_REPOSITORY"), full.display())
        }
        // An example in a code block.
        None => target.to_owned(),
    }
}
