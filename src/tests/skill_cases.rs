//! Small changes to a valid skill, with the exact findings that they cause in each profile.

use crate::tests::files::{Files, brief};
use canonry_lint::Profile;

const DESCRIPTION: &str = "description: Formats release notes. Use when the user asks for a changelog.\n";
const BODY: &str = "# Release notes\n\nGroup the changes by kind.\n";

/// One change and the expected findings.
struct SkillCase {
    number: u8,
    path: String,
    content: String,
    team: Vec<&'static str>,
    spec: Vec<&'static str>,
}

/// The same findings in both profiles.
fn same(number: u8, content: impl Into<String>, expected: &[&'static str]) -> SkillCase {
    differs(number, content, expected, expected)
}

fn differs(number: u8, content: impl Into<String>, team: &[&'static str], spec: &[&'static str]) -> SkillCase {
    let path = "release-notes/SKILL.md".to_owned();
    SkillCase { number, path, content: content.into(), team: team.to_vec(), spec: spec.to_vec() }
}

impl SkillCase {
    /// Uses another folder or file name.
    fn at(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }
}

fn skill(fields: &str) -> String {
    format!("---\n{fields}---\n{BODY}")
}

/// The valid skill with extra lines.
fn with(lines: &str) -> String {
    skill(&format!("name: release-notes\n{DESCRIPTION}{lines}"))
}

fn named(name: &str) -> String {
    skill(&format!("name: {name}\n{DESCRIPTION}"))
}

fn described(value: &str) -> String {
    skill(&format!("name: release-notes\ndescription: {value}\n"))
}

fn assert_cases(cases: Vec<SkillCase>) {
    for case in cases {
        let mut files = Files::default();
        files.add(&case.path, &case.content);
        for (profile, expected) in [(Profile::Team, &case.team), (Profile::Spec, &case.spec)] {
            let mut found = brief(&files.findings(profile));
            found.sort();
            let mut expected = expected.clone();
            expected.sort_unstable();
            assert_eq!(found, expected, "case {}, {profile:?}, {}:\n{}", case.number, case.path, case.content);
        }
    }
}

#[test]
fn frontmatter_has_the_expected_findings() {
    let base = with("");
    assert_cases(vec![
        same(1, base.clone(), &[]),
        same(1, base.strip_suffix(BODY).unwrap(), &[]),
        same(1, base.strip_suffix(BODY).unwrap().trim_end(), &[]),
        same(2, BODY, &["E frontmatter-missing"]),
        same(2, "", &["E frontmatter-missing"]),
        same(2, "\n\n", &["E frontmatter-missing"]),
        same(3, base.replacen("---\n#", "#", 1), &["E frontmatter-missing"]),
        same(3, base.replacen("---\n#", "...\n#", 1), &["E frontmatter-missing"]),
        same(4, format!("\n{base}"), &["E frontmatter-missing"]),
        same(4, format!("[Read this first](https://example.com/intro)\n\n{base}"), &["E frontmatter-missing"]),
        same(5, format!("\u{feff}{base}"), &["W frontmatter-missing"]),
        same(6, base.replace('\n', "\r\n"), &[]),
        same(7, described("a --- b"), &[]),
        same(8, base.replace("---\n", "----\n"), &["E frontmatter-missing"]),
        same(9, base.replacen("---\n", "--- \n", 1), &["W frontmatter-missing"]),
        same(9, base.replacen("---\n#", "---\t\n#", 1), &["W frontmatter-missing"]),
        same(9, base.replace("---\n", "---  \n"), &["W frontmatter-missing", "W frontmatter-missing"]),
        same(10, skill("{}\n"), &["E skill-schema", "E skill-schema"]),
        same(10, skill(""), &["E skill-schema", "E skill-schema"]),
        same(10, skill("# nothing but a comment\n"), &["E skill-schema", "E skill-schema"]),
        same(11, skill("- name\n- description\n"), &["E skill-schema"]),
        same(11, skill("release notes\n"), &["E skill-schema"]),
    ]);
}

#[test]
fn names_have_the_expected_findings() {
    let long = |count: usize| "a".repeat(count);
    assert_cases(vec![
        same(12, named("Release-Notes"), &["E name-invalid"]),
        same(12, named("Release-Notes"), &["E name-invalid"]).at("Release-Notes/SKILL.md"),
        same(12, named("release_notes"), &["E name-invalid"]).at("release_notes/SKILL.md"),
        same(12, named("release notes"), &["E name-invalid"]),
        same(12, named("Release Notes"), &["E name-invalid"]),
        same(13, named("-release"), &["E name-invalid"]).at("-release/SKILL.md"),
        same(13, named("release-"), &["E name-invalid"]).at("release-/SKILL.md"),
        same(13, named("release--notes"), &["E name-invalid"]),
        same(13, named("-release--notes-"), &["E name-invalid"]).at("-release--notes-/SKILL.md"),
        same(14, named(&long(64)), &[]).at(format!("{}/SKILL.md", long(64))),
        same(14, named(&long(65)), &["E skill-schema"]).at(format!("{}/SKILL.md", long(65))),
        same(14, named(&"é".repeat(64)), &["W name-invalid"]).at(format!("{}/SKILL.md", "é".repeat(64))),
        same(15, named("résumé"), &["W name-invalid"]).at("résumé/SKILL.md"),
        same(15, named("发布说明"), &["W name-invalid"]).at("发布说明/SKILL.md"),
        same(16, named("ЗАМЕТКИ"), &["E name-invalid", "W name-invalid"]).at("ЗАМЕТКИ/SKILL.md"),
        same(17, named("re\u{301}sume\u{301}"), &["W name-invalid", "W name-invalid"]).at("résumé/SKILL.md"),
        same(18, named("\u{ff41}\u{ff42}\u{ff43}"), &["E name-invalid"]).at("abc/SKILL.md"),
        same(19, named("release\u{200b}notes"), &["E name-invalid"]),
        same(20, named("2024"), &["E skill-schema"]).at("2024/SKILL.md"),
        same(20, named("true"), &["E skill-schema"]),
        same(20, named("[release-notes]"), &["E skill-schema"]),
        same(20, named("'2024'"), &[]).at("2024/SKILL.md"),
        same(21, named("release-notes"), &["E name-directory-mismatch"]).at("changelog/SKILL.md"),
        same(21, named("release-notes"), &[]).at("SKILL.md"),
        same(22, named("docs:release-notes"), &["E name-invalid"]),
        same(23, named(""), &["E skill-schema"]),
        same(23, named("\"\""), &["E skill-schema"]),
        same(23, named("'  '"), &["E skill-schema"]),
        same(23, named("~"), &["E skill-schema"]),
    ]);
}

#[test]
fn descriptions_have_the_expected_findings() {
    assert_cases(vec![
        same(23, described(""), &["E skill-schema"]),
        same(23, described("\"\""), &["E skill-schema"]),
        same(23, described("' \t '"), &["E skill-schema"]),
        same(23, described("null"), &["E skill-schema"]),
        same(24, described(&"a".repeat(1024)), &[]),
        same(24, described(&"a".repeat(1025)), &["E skill-schema"]),
        same(24, described(&"é".repeat(1024)), &[]),
        same(25, described("Use when asked: format"), &["E yaml-invalid"]),
        same(25, described("\"Use when asked: format\""), &[]),
        same(26, described("Formats notes, see issue #12 for more."), &["W description-cut-off"]),
        same(26, described("Formats notes. # a comment that is meant"), &[]),
        same(26, described("Formats notes in C#, see #12").replace(" #12", "#12"), &[]),
        same(27, described("[Formats notes]"), &["E skill-schema"]),
        same(28, described("Formats notes <system>at once</system>"), &["I description-markup"]),
        same(28, described("Formats notes of a < b and c > d, see <https://example.org>"), &[]),
    ]);
}

#[test]
fn other_fields_have_the_expected_findings() {
    let compatibility = |value: &str| with(&format!("compatibility: {value}\n"));
    let metadata = |value: &str| with(&format!("metadata:{value}\n"));
    let tools = |value: &str| with(&format!("allowed-tools: {value}\n"));
    assert_cases(vec![
        same(29, compatibility(&"a".repeat(500)), &[]),
        same(29, compatibility(&"a".repeat(501)), &["E skill-schema"]),
        same(29, compatibility("\"\""), &["E skill-schema"]),
        same(29, compatibility(""), &["E skill-schema"]),
        same(29, compatibility("[git]"), &["E skill-schema"]),
        same(30, metadata("\n  version: 1.0"), &["I skill-schema"]),
        same(30, metadata("\n  version: '1.0'\n  date: 2026-03-06"), &[]),
        differs(30, metadata("\n  tags: [a, b]"), &["I skill-schema"], &["E skill-schema"]),
        differs(30, metadata("\n  a:\n    b: c"), &["I skill-schema"], &["E skill-schema"]),
        same(30, metadata(" 1.0"), &["E skill-schema"]),
        same(30, metadata(""), &[]),
        differs(31, metadata(" {owner: a}"), &[], &["I skill-schema"]),
        same(31, metadata(" {}"), &[]),
        same(32, tools("Read Bash(git:*)"), &[]),
        differs(32, tools("Read, Bash(git:*)"), &[], &["W skill-schema"]),
        differs(32, tools("[Read, Grep]"), &[], &["E skill-schema"]),
        same(32, tools("Bash(git add *) Read"), &[]),
        same(32, tools("Edit({src,tests}/**) Read"), &[]),
        same(0, with("license: 2.0\n"), &[]),
        same(0, with("license: [MIT]\n"), &["E skill-schema"]),
    ]);
}

#[test]
fn keys_have_the_expected_findings() {
    let misspelt = skill("name: release-notes\ndescriptoin: x\n");
    let missing = "E skill-schema";
    const SYNC: &str = "I mirror-never-synced";
    assert_cases(vec![
        differs(33, misspelt, &[missing, "W skill-schema"], &[missing, "E skill-schema"]),
        differs(34, with("user-invokable: false\n"), &["W skill-schema"], &["E skill-schema"]),
        differs(34, with("user-invocable: false\n"), &[], &["E skill-schema"]),
        differs(34, with("triggers: [release]\n"), &[], &["E skill-schema"]),
        // Only a canon has `category`.
        differs(34, with("categories: [notes]\n"), &["I skill-schema"], &["E skill-schema"]),
        differs(34, with("categories: [notes]\n"), &[SYNC, "W skill-schema"], &["E skill-schema", SYNC])
            .at("agent/skills/release-notes/SKILL.md"),
        same(35, with("name: release-notes\n"), &["E yaml-invalid"]),
        same(35, with("metadata:\n  a: b\n  a: c\n"), &["E yaml-invalid"]),
        same(35, with("metadata:\n\tauthor: a\n"), &["E yaml-invalid"]),
    ]);
}

#[test]
fn file_names_have_the_expected_findings() {
    assert_cases(vec![
        same(36, with(""), &["W document-case"]).at("release-notes/skill.md"),
        same(36, with(""), &["E document-case"]).at("release-notes/Skill.md"),
        same(36, with(""), &["E document-case"]).at("release-notes/SKILL.MD"),
    ]);
}
