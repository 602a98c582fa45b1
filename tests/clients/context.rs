//! What a client's model reads of the canon.

use crate::canon::{MARKS, mark};
use crate::client::{Client, for_clients};
use crate::sandbox::{Sandbox, Session};
use std::fmt::Write;

for_clients!(needs_clients_context(alone): claude, codex);

/// Prepared for this client only.
fn alone(client: &Client) {
    let sandbox = Sandbox::prepared(&[client.id], mark);
    let session = sandbox.session(client, &[]);
    session.assert_quiet(client);
    insta::assert_snapshot!(format!("alone_{}", client.id), outline(&session));
}

/// How often the model reads each part of the canon, and the tools that it can call.
fn outline(session: &Session) -> String {
    let seen = session.last();
    let mut text = String::new();
    for (part, mark) in MARKS {
        writeln!(text, "{part}: {}", seen.count(mark)).unwrap();
    }
    let mut tools: Vec<&str> = seen.tools.iter().map(|tool| tool.name.as_str()).collect();
    tools.sort_unstable();
    writeln!(text, "\ntools: {}", tools.join(", ")).unwrap();
    text
}
