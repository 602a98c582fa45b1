use super::*;

fn tops() -> Vec<PathBuf> {
    vec![PathBuf::from("/srv/repo")]
}

fn word(trust: &Trust) -> &'static str {
    match trust {
        Trust::Trusted => "yes",
        Trust::Untrusted(_) => "no",
        Trust::Unknown(_) => "unknown",
    }
}

#[test]
fn claude_trusts_a_folder_or_one_around_it() {
    let accepted =
        |folder: &str| Some(format!("{{\"projects\": {{\"{folder}\": {{\"hasTrustDialogAccepted\": true}}}}}}"));
    for (text, want) in [
        (None, "unknown"),
        (Some("[".to_owned()), "unknown"),
        (Some("{}".to_owned()), "no"),
        (Some("{\"projects\": {\"/srv/repo\": {\"hasTrustDialogAccepted\": false}}}".to_owned()), "no"),
        (accepted("/srv/repo"), "yes"),
        (accepted("/srv"), "yes"),
        (accepted("/srv/repo/web"), "no"),
        (accepted("/srv/re"), "no"),
    ] {
        assert_eq!(word(&claude_trust(text.as_deref(), &tops())), want, "{text:?}");
    }
}

#[test]
fn grok_trusts_a_folder_by_itself() {
    let listed = |folder: &str, trusted: bool| Some(format!("[folders.\"{folder}\"]\ntrusted = {trusted}\n"));
    for (text, want) in [
        (None, "no"),
        (Some("[".to_owned()), "unknown"),
        (listed("/srv/repo", true), "yes"),
        (listed("/srv/repo", false), "no"),
        (listed("/srv", true), "no"),
    ] {
        assert_eq!(word(&grok_trust(text.as_deref(), &tops())), want, "{text:?}");
    }
}

#[test]
fn the_nearest_entry_of_gemini_counts() {
    for (text, want) in [
        ("{}", "unknown"),
        ("[]", "unknown"),
        ("{\"/srv/repo\": \"TRUST_FOLDER\"}", "yes"),
        ("{\"/srv/other\": \"TRUST_PARENT\"}", "yes"),
        ("{\"/srv/other\": \"TRUST_FOLDER\"}", "unknown"),
        ("{\"/srv\": \"TRUST_FOLDER\", \"/srv/repo\": \"DO_NOT_TRUST\"}", "no"),
        ("{\"/srv\": \"DO_NOT_TRUST\", \"/srv/repo\": \"TRUST_FOLDER\"}", "yes"),
        ("{\"/srv/repo\": 3}", "unknown"),
    ] {
        assert_eq!(word(&gemini_trust(Some(text), &tops())), want, "{text}");
    }
    assert_eq!(word(&gemini_trust(None, &tops())), "unknown");
}

/// Codex CLI 0.169 ran exactly the hooks that had these keys and hashes in its config.
#[test]
fn codex_runs_reviewed_hooks_of_trusted_projects() {
    let hooks = "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"canonry hook \
                 pre-tool --tool codex\", \"timeout\": 10}]}]}}";
    let hash = codex_hooks(hooks)[0].hash.clone().unwrap();
    let project = "[projects.\"/srv/repo\"]\ntrust_level = \"trusted\"\n";
    let state = |key: &str, hash: &str| {
        format!("{project}[hooks.state.\"/srv/repo/.codex/hooks.json:{key}\"]\ntrusted_hash = \"{hash}\"\n")
    };
    for (config, want) in [
        (None, "no"),
        (Some("a = [".to_owned()), "unknown"),
        (Some("[projects.\"/srv/repo\"]\ntrust_level = \"untrusted\"\n".to_owned()), "no"),
        (Some(project.to_owned()), "no"),
        (Some(state("pre_tool_use:0:0", &hash)), "yes"),
        (Some(state("pre_tool_use:1:0", &hash)), "no"),
        (Some(state("pre_tool_use:0:0", "sha256:00")), "unknown"),
    ] {
        assert_eq!(word(&codex_trust(config.as_deref(), Some(hooks), &tops())), want, "{config:?}");
    }
}

#[test]
fn codex_hashes_are_those_of_the_tool() {
    let entry = json!({"type": "command", "command": "canonry hook pre-tool --tool codex", "timeout": 10});
    let hash = codex_hash("pre_tool_use", &json!({"hooks": [entry]}), &entry);
    let want = "sha256:3b2716e8b96d93bb83db0f2424199314297b5e92290dc69428d292b5312c60c4";
    assert_eq!(hash.as_deref(), Some(want));
    let matched = json!({"matcher": "Bash", "hooks": [entry]});
    assert_eq!(codex_hash("pre_tool_use", &matched, &entry), None);
}
