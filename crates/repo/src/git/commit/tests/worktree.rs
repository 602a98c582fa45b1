//! File types and attributes in the work tree.

use super::sandbox::Sandbox;

#[test]
fn deletions_and_emptied_folders_are_committed() {
    let repo = Sandbox::new();
    repo.remove("agent/a.md");
    repo.remove("agent/b.md");
    repo.assert_as_git(&["agent/a.md", "agent/b.md"]);
}

#[test]
fn executable_bits_and_links_are_committed() {
    let repo = Sandbox::new();
    repo.chmod("agent/a.md", 0o755);
    repo.write("agent/run.sh", "#!/bin/sh\n");
    repo.chmod("agent/run.sh", 0o755);
    repo.link("agent/link", "../top");
    repo.link("agent/dangling", "nowhere");
    repo.remove("agent/b.md");
    repo.link("agent/b.md", "a.md");
    repo.assert_as_git(&["agent/a.md", "agent/b.md", "agent/dangling", "agent/link", "agent/run.sh"]);
}

#[test]
fn executable_bits_are_ignored_if_core_filemode_is_off() {
    let repo = Sandbox::new();
    repo.git(&["update-index", "--chmod=+x", "agent/b.md"]);
    repo.git(&["commit", "-qm", "mode"]);
    repo.git(&["config", "core.fileMode", "false"]);
    for path in ["agent/a.md", "agent/b.md", "agent/new.sh"] {
        repo.write(path, "changed\n");
    }
    repo.chmod("agent/a.md", 0o755);
    repo.chmod("agent/new.sh", 0o755);
    repo.assert_as_git(&["agent/a.md", "agent/b.md", "agent/new.sh"]);
}

#[test]
fn line_endings_are_converted() {
    let repo = Sandbox::new();
    repo.git(&["config", "core.autocrlf", "true"]);
    repo.write("agent/c.md", "1\r\n2\r\n");
    repo.write("agent/a.md", "a\r\n");
    assert_eq!(repo.commit(&["agent/a.md", "agent/c.md"]), ["A agent/c.md"]);
    assert_eq!(repo.git(&["cat-file", "blob", "HEAD:agent/c.md"]), "1\n2");
    assert_eq!(repo.status(), "");
}

#[test]
fn clean_filters_run() {
    let repo = Sandbox::new();
    repo.write(".gitattributes", "*.up filter=up\n*.id ident\n");
    repo.git(&["config", "filter.up.clean", "tr a-z A-Z"]);
    repo.git(&["config", "filter.up.smudge", "tr A-Z a-z"]);
    repo.write("agent/x.up", "hello\n");
    repo.write("agent/x.id", "$Id: 1 $\n");
    repo.assert_as_git(&[".gitattributes", "agent/x.id", "agent/x.up"]);
    assert_eq!(repo.git(&["cat-file", "blob", "HEAD:agent/x.up"]), "HELLO");
}

#[test]
fn links_in_parent_folders_are_not_followed() {
    let repo = Sandbox::new();
    let outside = repo.home().join("outside");
    std::fs::rename(repo.path("agent"), &outside).unwrap();
    std::fs::create_dir(outside.join("deep")).unwrap();
    std::fs::write(outside.join("deep/secret.md"), "secret\n").unwrap();
    std::fs::write(outside.join("secret.md"), "secret\n").unwrap();
    repo.link("agent", outside.to_str().unwrap());
    assert_eq!(repo.commit(&["agent/a.md", "agent/deep/secret.md", "agent/secret.md"]), ["D agent/a.md"]);
    assert_eq!(repo.commit(&["agent"]), ["A agent", "D agent/b.md"]);
    assert!(repo.git(&["ls-tree", "HEAD", "agent"]).starts_with("120000"));
    assert_eq!(repo.status(), "");
}

#[test]
fn a_file_becomes_a_folder_and_a_file_again() {
    let repo = Sandbox::new();
    repo.remove("agent/a.md");
    repo.write("agent/a.md/in/side", "1\n");
    assert_eq!(repo.commit(&["agent/a.md/in/side"]), ["D agent/a.md", "A agent/a.md/in/side"]);
    assert_eq!(repo.status(), "");
    std::fs::remove_dir_all(repo.path("agent/a.md")).unwrap();
    repo.write("agent/a.md", "a\n");
    assert_eq!(repo.commit(&["agent/a.md"]), ["A agent/a.md", "D agent/a.md/in/side"]);
    assert_eq!(repo.status(), "");
}

#[test]
fn paths_added_with_intent_to_add_are_committed_like_git_does() {
    let repo = Sandbox::new();
    repo.write("agent/i", "i\n");
    repo.write("src/j", "j\n");
    repo.write("empty", "");
    repo.git(&["add", "-N", "agent/i", "src/j", "empty"]);
    repo.assert_as_git(&["agent/i", "empty"]);
}

#[test]
fn assume_unchanged_and_skip_worktree_paths_are_committed_like_git_does() {
    let repo = Sandbox::new();
    repo.git(&["update-index", "--skip-worktree", "agent/b.md"]);
    repo.git(&["update-index", "--assume-unchanged", "agent/a.md"]);
    repo.remove("agent/b.md");
    repo.write("agent/a.md", "named, so taken\n");
    repo.write("top", "t2\n");
    repo.assert_as_git(&["agent/a.md", "agent/b.md", "top"]);
}

#[test]
fn files_outside_of_a_sparse_checkout_are_kept_or_added() {
    for index in ["--no-sparse-index", "--sparse-index"] {
        let repo = Sandbox::new();
        repo.git(&["sparse-checkout", "set", "--cone", index, "agent"]);
        repo.write("agent/a.md", "a2\n");
        assert_eq!(repo.commit(&["agent/a.md", "src/s.c"]), ["M agent/a.md"]);
        assert_eq!(repo.git(&["ls-files", "-t", "src"]), "S src/s.c");
        repo.write("src/s.c", "there in spite of it\n");
        assert_eq!(repo.commit(&["src/s.c"]), ["M src/s.c"]);
        assert_eq!(repo.status(), "");
    }
}

#[test]
fn submodules_are_committed_or_removed() {
    let repo = Sandbox::new();
    let source = Sandbox::new();
    let url = source.root.to_str().unwrap();
    for name in ["lib", "empty", "gone"] {
        repo.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", url, name]);
    }
    repo.git(&["commit", "-qm", "submodules_are_committed_or_removed"]);
    repo.git(&["submodule", "--quiet", "deinit", "empty"]);
    std::fs::remove_dir_all(repo.path("gone")).unwrap();
    repo.write("lib/top", "t2\n");
    let lib = repo.path("lib");
    repo.git_in(&lib, &["-c", "user.name=U", "-c", "user.email=u@e", "commit", "-qam", "more"]);
    repo.write("top", "t2\n");
    assert_eq!(repo.commit(&["empty", "gone", "lib", "top"]), ["D gone", "M lib", "M top"]);
    assert_eq!(repo.status(), "");
}

#[test]
fn an_edit_in_the_same_second_as_staging_is_detected() {
    let repo = Sandbox::new();
    repo.write("src/r", "aa\n");
    repo.git(&["add", "src/r"]);
    repo.write("src/r", "bb\n");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    repo.write("agent/a.md", "a2\n");
    repo.commit(&["agent/a.md"]);
    assert_eq!(repo.status(), "AM src/r");
}

#[test]
fn a_file_emptied_in_the_same_second_as_staging_is_committed_empty() {
    let repo = Sandbox::new();
    repo.write("src/r", "aa\n");
    repo.git(&["add", "src/r"]);
    repo.write("src/r", "");
    std::thread::sleep(std::time::Duration::from_millis(1100));
    repo.write("agent/a.md", "a2\n");
    // This commit sets the recorded size of the racy entry to 0, which equals the size of the emptied file.
    repo.commit(&["agent/a.md"]);
    assert_eq!(repo.commit(&["src/r"]), ["A src/r"]);
    assert_eq!(repo.git(&["cat-file", "-s", "HEAD:src/r"]), "0");
}
