//! `canonry context` and `recall` for an agent: what fills the budget, what is never cut, and what stays silent.

use crate::support::repo::{Ran, Repo};
use serde_json::{Value, json};

const LOG: &str = "agent/memory/episodic/AGENT_LEARNINGS.jsonl";
const LESSONS: &str = "agent/memory/semantic/LESSONS.md";
const NOW: &str = "2026-05-01T03:00:00Z";

/// Skills: name, description, a step, and a task for which it is the right one.
const SKILLS: [[&str; 4]; 40] = [
    [
        "release-notes",
        "Writes the notes of a release from merged pull requests.",
        "List the merged pull requests.",
        "write the release notes for version 4.2",
    ],
    [
        "db-migration",
        "Adds a migration to the database schema. Use when a table or column changes.",
        "Write the migration in both directions.",
        "add a column to the orders table with a database migration",
    ],
    [
        "rotate-keys",
        "Rotates signing keys and API secrets without downtime.",
        "Publish the new key before the old one expires.",
        "rotate the signing key of the webhook service",
    ],
    [
        "flaky-tests",
        "Finds and repairs flaky tests that fail now and then.",
        "Run the test a hundred times.",
        "a test of the cart is flaky, find out why",
    ],
    [
        "profile-cpu",
        "Profiles CPU time of a slow program with a flame graph.",
        "Record a flame graph.",
        "profile why the importer uses so much CPU",
    ],
    [
        "review-pr",
        "Reviews a pull request for faults before it is merged.",
        "Read the whole diff first.",
        "review the open pull request about checkout",
    ],
    [
        "write-adr",
        "Records an architecture decision as an ADR.",
        "State the alternatives.",
        "record the architecture decision to leave Redis",
    ],
    [
        "docker-image",
        "Builds and shrinks Docker images.",
        "Use a build stage.",
        "shrink the Docker image of the api server",
    ],
    [
        "terraform-plan",
        "Reviews Terraform plans before they are applied.",
        "Look for destroyed resources.",
        "check the Terraform plan for the new bucket",
    ],
    [
        "k8s-rollout",
        "Rolls out a deployment on Kubernetes and watches its pods.",
        "Watch the pods become ready.",
        "roll out the Kubernetes deployment of search",
    ],
    [
        "incident-report",
        "Writes the report after an incident: timeline, cause, actions.",
        "Begin with the timeline.",
        "write the incident report of last night's outage",
    ],
    [
        "accessibility",
        "Checks accessibility of web pages: labels, contrast, keyboard.",
        "Walk the page by keyboard.",
        "check the accessibility of the signup page",
    ],
    [
        "translate-ui",
        "Translates strings of the user interface and keeps placeholders.",
        "Keep every placeholder.",
        "translate the interface strings to Polish",
    ],
    [
        "csv-import",
        "Imports CSV files with unusual separators and encodings.",
        "Detect the encoding.",
        "import the CSV file of the supplier with its odd encoding",
    ],
    [
        "openapi-spec",
        "Maintains the OpenAPI specification of the HTTP interface.",
        "Change the specification first.",
        "describe the new endpoint in the OpenAPI specification",
    ],
    [
        "graphql-schema",
        "Evolves the GraphQL schema without breaking clients.",
        "Deprecate before removal.",
        "deprecate a field in the GraphQL schema",
    ],
    [
        "dependency-update",
        "Updates dependencies and reads their changelogs.",
        "Read the changelog.",
        "update the outdated dependencies of the frontend",
    ],
    [
        "license-audit",
        "Audits the licenses of dependencies.",
        "List the licenses.",
        "audit which licenses our dependencies have",
    ],
    [
        "email-template",
        "Builds HTML email templates that render in every client.",
        "Use tables for the layout.",
        "build the email template for the invoice reminder",
    ],
    ["pdf-forms", "Fills and reads PDF forms.", "List the fields of the form.", "fill the PDF form for customs"],
    [
        "seo-audit",
        "Audits pages for search engines: titles, canonical links, sitemaps.",
        "Fetch the sitemap.",
        "audit the sitemap and canonical links for SEO",
    ],
    [
        "load-test",
        "Runs load tests against a service and reads percentiles.",
        "Warm up first.",
        "run a load test against the checkout service",
    ],
    [
        "memory-leak",
        "Finds memory leaks with heap snapshots.",
        "Compare two heap snapshots.",
        "compare heap snapshots to find the memory leak",
    ],
    [
        "regex-help",
        "Writes and explains regular expressions.",
        "Write examples first.",
        "explain this regular expression for phone numbers",
    ],
    [
        "git-bisect",
        "Finds the commit that broke something with git bisect.",
        "Find a good commit.",
        "bisect which commit broke the build",
    ],
    [
        "merge-conflict",
        "Resolves merge conflicts so that both intents survive.",
        "Read both sides.",
        "resolve the merge conflict in the router",
    ],
    [
        "cron-jobs",
        "Writes cron schedules and checks that jobs ran.",
        "Log each run.",
        "add a cron schedule for the nightly export",
    ],
    [
        "feature-flags",
        "Adds and removes feature flags.",
        "Remove the flag after the rollout.",
        "remove the feature flag of the old editor",
    ],
    [
        "ab-test",
        "Evaluates A/B experiments with proper statistics.",
        "Fix the sample size in advance.",
        "evaluate the experiment on the pricing page with statistics",
    ],
    ["oauth-login", "Implements OAuth login with PKCE.", "Use PKCE.", "implement OAuth login with PKCE for the app"],
    [
        "rate-limits",
        "Adds rate limits to an interface.",
        "Answer 429 with a date.",
        "add rate limits to the public interface",
    ],
    [
        "cache-headers",
        "Sets HTTP cache headers and invalidates CDN caches.",
        "Set a max-age.",
        "set the cache headers so the CDN stops serving old pages",
    ],
    [
        "websocket",
        "Builds WebSocket connections that reconnect.",
        "Back off when reconnecting.",
        "make the WebSocket connection reconnect with back-off",
    ],
    [
        "css-layout",
        "Repairs CSS layouts: grid, flexbox, overflow.",
        "Reduce to one element.",
        "repair the CSS grid layout of the dashboard",
    ],
    [
        "react-forms",
        "Builds React forms with validation.",
        "Validate on submit.",
        "build a React form with validation for addresses",
    ],
    [
        "mobile-release",
        "Uploads mobile builds to the app stores.",
        "Raise the build number.",
        "upload the mobile build to the app store",
    ],
    [
        "log-analysis",
        "Analyses server logs for errors and slow requests.",
        "Group by request id.",
        "analyse the server logs for slow requests",
    ],
    [
        "backup-restore",
        "Restores databases from backups and proves it.",
        "Restore to a new host.",
        "restore the database from the backup of Monday",
    ],
    [
        "gdpr-export",
        "Exports and deletes personal data on request.",
        "Verify the identity.",
        "export the personal data of a customer on request",
    ],
    [
        "image-resize",
        "Resizes and compresses images for the web.",
        "Keep the aspect ratio.",
        "compress and resize the product images",
    ],
];

/// Forty skills, and a memory that would fill any of the budgets alone.
fn full() -> Repo {
    let repo = Repo::empty();
    for [name, description, step, _] in SKILLS {
        let text = format!(
            "---\nname: {name}\ndescription: \"{description}\"\n---\n\n# {name}\n\n1. {step}\n2. Report what changed.\n"
        );
        repo.write(&format!("agent/skills/{name}/SKILL.md"), &text);
    }
    repo.write("agent/memory/personal/PREFERENCES.md", "# Preferences\n\n- Short answers, metric units, no emoji.\n");
    repo.write("agent/memory/working/WORKSPACE.md", "# Workspace\n\nMoving the shop to the new host.\n");
    repo.write("agent/AGENTS.md", "# Shop\n\nRead `agent/skills/_index.md` first.\n");
    let always = "- Run `make check` on every change.\n".repeat(40);
    let page = format!(
        "# Permissions\n\n## Always allowed\n\n{always}\n## Never allowed\n\n- `git push --force`\n- Delete production data.\n"
    );
    repo.write("agent/protocols/permissions.md", &page);
    let topic = |n: usize| SKILLS[n % SKILLS.len()][3];
    let lessons: String = (0..200)
        .map(|n| {
            let more = [" again", " before lunch, and tell the others", "", ", whatever they say"][n % 4];
            format!("- when you {}, remember point {n} of the team{more} (episodes: e{n})\n", topic(n))
        })
        .collect();
    repo.write(LESSONS, format!("# Lessons\n\n## 2026-04-01\n\n{lessons}"));
    let decisions: String = (0..30)
        .map(|n| format!("## Rule {n} about how to {}\n\nStatus: accepted\n\nWe chose variant {n}.\n\n", topic(n)))
        .collect();
    repo.write("agent/memory/semantic/DECISIONS.md", format!("# Decisions\n\n{decisions}"));
    let row = |n: usize| {
        json!({"timestamp": "2026-04-20", "id": format!("e{n}"), "skill": SKILLS[n % SKILLS.len()][0], "action": topic(n),
               "result": "failure", "pain_score": 8, "importance": 8, "reflection": format!("step {n} was forgotten")})
    };
    repo.write(LOG, (0..400).map(|n| format!("{}\n", row(n))).collect::<String>());
    repo
}

#[test]
fn the_right_skill_is_in_the_context_of_a_full_memory() {
    let repo = full();
    for budget in ["500", "1000", "2000", "4000"] {
        let mut missing = Vec::new();
        for [name, _, step, task] in SKILLS {
            let ran = repo.canonry(&["context", "--for", task, "--budget", budget, "--now", NOW, "--format", "json"]);
            let document: Value = serde_json::from_str(&ran.stdout).unwrap();
            let text = document["text"].as_str().unwrap();
            if !text.contains(step) {
                missing.push(name);
            }
            for always in ["Short answers", "Moving the shop", "`git push --force`", "Delete production data"] {
                assert!(text.contains(always), "{budget} {name} {always}: {text}");
            }
            let used = document["used"].as_u64().unwrap();
            let limit = budget.parse::<u64>().unwrap();
            // No entry of this memory is shorter than 25 tokens.
            assert!(used <= limit && used + limit * 4 / 100 + 25 > limit, "{name}: {used} of {limit}");
        }
        assert_eq!(missing, [""; 0], "budget {budget}");
    }
}

#[test]
fn what_is_never_allowed_exceeds_a_small_budget_and_that_is_said() {
    let repo = full();
    let never: String = (0..30).map(|n| format!("- Never deploy on holiday {n}.\n")).collect();
    repo.append("agent/protocols/permissions.md", &never);
    for budget in ["0", "50", "120"] {
        let Ran { stdout, stderr, status } = repo.canonry(&["context", "--budget", budget, "--now", NOW]);
        assert_eq!(status, 0);
        assert!(stdout.contains("`git push --force`") && stdout.contains(never.trim_end()), "{stdout}");
        assert!(!stdout.contains("make check") && !stdout.contains("remember point"), "{stdout}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
        assert!(
            stderr.contains(&format!("more than the budget of {budget}")) && stderr.contains("never allowed"),
            "{stderr}"
        );
    }
}

#[test]
fn standard_error_is_one_line_whatever_is_left_out() {
    let repo = full();
    for (args, budget) in [(&["context", "--for", "rotate the signing key"][..], "500"), (&["context"], "4000")] {
        let ran = repo.canonry(&[args, &["--budget", budget, "--now", NOW]].concat());
        assert_eq!((ran.status, ran.stderr.lines().count()), (0, 1), "{}", ran.stderr);
        assert!(ran.stderr.contains("lessons ") && ran.stderr.contains("--format json"), "{}", ran.stderr);
        assert!(ran.stderr.len() < 200, "{}", ran.stderr);
    }
    let document: Value =
        serde_json::from_str(&repo.canonry(&["context", "--budget", "500", "--now", NOW, "--format", "json"]).stdout)
            .unwrap();
    let lessons = document["parts"].as_array().unwrap().iter().find(|part| part["part"] == "lessons").unwrap();
    assert!(lessons["left_out"].as_array().unwrap().len() > 50, "{lessons}");
}

/// The advice of a lesson that a person superseded or rejected is also in the episodes that taught it.
#[test]
fn episodes_of_superseded_and_rejected_lessons_are_silent() {
    let repo = Repo::with_skill();
    let row = |id: &str, action: &str, reflection: &str| {
        json!({"timestamp": "2026-04-20", "id": id, "skill": "deploy", "action": action, "result": "failure",
               "pain_score": 9, "importance": 9, "reflection": reflection})
    };
    let rows = [
        row("a1", "deployed with blue-green", "always drain the queue before a deploy"),
        row("a2", "deployed on Friday", "Always drain the queue before a deploy."),
        row("a3", "deployed again", "the queue was full, so drain it"),
        row("b1", "deployed to the queue host", "skip the queue checks when in a hurry"),
        row("c1", "deployed after the change", "never drain the queue, pause it before a deploy"),
    ];
    repo.write(LOG, rows.iter().map(|row| format!("{row}\n")).collect::<String>());
    repo.write(
        LESSONS,
        "# Lessons\n\n## 2026-04-22\n\n- ~~always drain the queue before a deploy~~ (superseded 2026-04-25) (episodes: a1, a3; pattern p1)\n\
         - pause the queue before a deploy (episodes: c1; pattern p2)\n",
    );
    let events = [
        json!({"event": "staged", "candidate": "q1", "kind": "lesson", "date": "2026-04-22", "episodes": ["b1"], "of": 1,
               "text": "skip the queue checks when in a hurry"}),
        json!({"event": "rejected", "candidate": "q1", "timestamp": "2026-04-23T00:00:00Z", "by": "A", "reason": "unsafe"}),
    ];
    repo.write(
        "agent/memory/semantic/REVIEW.jsonl",
        events.iter().map(|event| format!("{event}\n")).collect::<String>(),
    );
    let start = json!({"session_id": "s", "cwd": repo.root.clone()}).to_string();
    let mut hook = repo.canonry_command();
    hook.args(["hook", "session-start", "--tool", "claude", "--now", NOW]).stdin(std::process::Stdio::piped());
    hook.stdout(std::process::Stdio::piped());
    let mut child = hook.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), start.as_bytes()).unwrap();
    let started = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    for said in [
        repo.canonry(&["recall", "queue before a deploy", "--now", NOW]).stdout,
        repo.canonry(&["recall", "drain the queue", "-k", "20", "--now", NOW]).stdout,
        repo.canonry(&["context", "--for", "drain the queue before a deploy", "--now", NOW]).stdout,
        repo.canonry(&["context", "--now", NOW]).stdout,
        started,
    ] {
        assert!(said.contains("pause the queue before a deploy"), "{said}");
        for gone in ["lways drain the queue", "so drain it", "in a hurry"] {
            assert!(!said.contains(gone), "{gone}: {said}");
        }
    }
    // The decision is undone: the episodes speak again.
    repo.write("agent/memory/semantic/REVIEW.jsonl", "");
    assert!(repo.canonry(&["recall", "queue checks hurry", "--now", NOW]).stdout.contains("in a hurry"));
}
