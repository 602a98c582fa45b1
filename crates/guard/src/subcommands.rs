//! Where the subcommand of a program begins.

/// Options with a value that come before the subcommand.
const BEFORE: &[(&str, &[&str])] = &[
    ("git", &["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--exec-path"]),
    ("cargo", &["--config", "-C", "-Z", "--color"]),
    ("npm", &["--prefix", "-w", "--workspace", "--loglevel", "--registry"]),
    ("pnpm", &["-C", "--dir", "--filter", "-F"]),
    ("yarn", &["--cwd"]),
    ("docker", &["-H", "--host", "--context", "--config", "-l", "--log-level"]),
    ("kubectl", &["-n", "--namespace", "--context", "--cluster", "--kubeconfig", "-s", "--server"]),
    ("gh", &["-R", "--repo"]),
    ("make", &["-C", "-f", "-I", "-j"]),
    ("terraform", &["-chdir"]),
    ("aws", &["--profile", "--region", "--output", "--endpoint-url"]),
    ("helm", &["-n", "--namespace", "--kube-context"]),
];

/// Returns the index of the subcommand among the arguments; 0 if the program has none, or if there are only options.
pub fn start<'w>(program: &str, words: impl Iterator<Item = &'w str>) -> usize {
    let Some((_, takes)) = BEFORE.iter().find(|(name, _)| *name == program) else { return 0 };
    let mut skips_value = false;
    for (at, word) in words.enumerate() {
        if std::mem::take(&mut skips_value) {
            continue;
        }
        if !word.starts_with(['-', '+']) {
            return at;
        }
        skips_value = takes.contains(&word);
    }
    0
}
