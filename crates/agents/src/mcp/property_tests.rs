//! Properties of the formats: what a tool's file says is what is read from it, and no server gets wider.

use super::*;
use canonry_model::config::TOOLS;
use options::{OauthClient, ServerOptions};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use server::Protocol;

fn text() -> impl Strategy<Value = String> {
    select(vec!["npx", "a b", "-y", "${TOKEN}", "${A:-x}", "Bearer ${TOKEN}", "x=${TOKEN}", "ä"])
        .prop_map(str::to_owned)
}

fn pairs() -> impl Strategy<Value = Vec<(String, String)>> {
    let names = select(vec!["TOKEN", "A", "Authorization", "X-Trace"]).prop_map(str::to_owned);
    proptest::collection::btree_map(names, text(), 0..3).prop_map(|pairs| pairs.into_iter().collect())
}

fn transport() -> impl Strategy<Value = Transport> {
    let program =
        (text(), vec(text(), 0..3), pairs()).prop_map(|(command, args, env)| Transport::Stdio { command, args, env });
    let protocol = select(vec![Protocol::Http, Protocol::Sse, Protocol::WebSocket]);
    let remote = (protocol, pairs()).prop_map(|(protocol, headers)| {
        let scheme = if protocol == Protocol::WebSocket { "wss" } else { "https" };
        Transport::Remote { url: format!("{scheme}://e.example/mcp"), protocol, headers }
    });
    prop_oneof![program, remote]
}

fn tools() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::btree_set(select(vec!["read", "write", "drop"]), 0..3)
        .prop_map(|tools| tools.into_iter().map(str::to_owned).collect())
}

fn oauth() -> impl Strategy<Value = OauthClient> {
    let port = option::of(1..9000_u64);
    let names = (option::of(text()), option::of(text()), option::of(text()));
    (names, vec(select(vec!["a", "b"]).prop_map(str::to_owned), 0..3), port)
        .prop_map(|((id, secret, metadata_url), scopes, callback_port)| OauthClient {
            id,
            secret,
            scopes,
            callback_port,
            metadata_url,
        })
        .prop_filter("an empty client says nothing", |client| *client != OauthClient::default())
}

prop_compose! {
    fn server()(
        transport in transport(),
        cwd in option::of(text()),
        timeout in option::of(select(vec![1_u64, 999, 1000, 1500, 60_000])),
        headers_helper in option::of(text()),
        oauth in option::of(oauth()),
        include_tools in option::of(tools()),
        exclude_tools in tools(),
        always_allow in tools(),
        is_disabled in any::<bool>(),
    ) -> McpServer {
        let is_program = matches!(transport, Transport::Stdio { .. });
        let options = ServerOptions {
            cwd: cwd.filter(|_| is_program),
            timeout,
            headers_helper: headers_helper.filter(|_| !is_program),
            oauth: oauth.filter(|_| !is_program),
            include_tools,
            exclude_tools,
            always_allow,
            ..ServerOptions::default()
        };
        McpServer { name: "db".to_owned(), transport, options, is_disabled, misfits: Vec::new() }
    }
}

fn formats() -> impl Iterator<Item = (&'static str, McpFormat)> {
    TOOLS.iter().filter_map(|row| Some((row.id, row.mcp.as_ref()?.format)))
}

/// The server in a tool's file, as it is read.
fn read(format: &McpFormat, value: &Value) -> McpServer {
    let mut value = value.clone();
    add_inferred_type(format, &mut value);
    canonical_variables(&mut value);
    McpServer::parse("db", &value).unwrap()
}

/// Pairs and lists of tools as sets.
fn sorted(mut server: McpServer) -> McpServer {
    let pairs = match &mut server.transport {
        Transport::Stdio { env, .. } => env,
        Transport::Remote { headers, .. } => headers,
    };
    pairs.sort();
    server
}

/// A server without what a format has no equivalent of.
fn without(server: &McpServer, rendered: &RenderedServer) -> McpServer {
    let mut server = server.clone();
    server.is_disabled = false;
    let options = &mut server.options;
    for key in &rendered.left_out {
        let client = options.oauth.get_or_insert_default();
        match key.as_str() {
            "cwd" => options.cwd = None,
            "timeout" => options.timeout = None,
            "headersHelper" => options.headers_helper = None,
            "alwaysAllow" => options.always_allow.clear(),
            "oauth" => *client = OauthClient::default(),
            "oauth.clientSecret" => client.secret = None,
            "oauth.callbackPort" => client.callback_port = None,
            "oauth.authServerMetadataUrl" => client.metadata_url = None,
            other => panic!("{other} was not in the server"),
        }
    }
    for (list, permission) in &rendered.permissions {
        let tools = if *list == "deny" { &mut options.exclude_tools } else { &mut options.always_allow };
        tools.retain(|tool| !permission.ends_with(&format!("__{tool}")));
    }
    options.oauth = options.oauth.take().filter(|client| *client != OauthClient::default());
    sorted(server)
}

proptest! {
    #[test]
    fn a_written_server_means_the_same(server in server()) {
        for (tool, format) in formats() {
            let Ok(rendered) = server.render(&format) else { continue };
            let mut wanted = without(&server, &rendered);
            let mut found = sorted(read(&format, &rendered.value));
            if found.options.oauth == Some(OauthClient::default()) {
                found.options.oauth = None;
            }
            // A limit in whole seconds is rounded up, and one type stands for streamable HTTP and SSE in some tools.
            let seconds = |time: Option<u64>| time.map(|time| time.div_ceil(1000));
            prop_assert_eq!(seconds(found.options.timeout), seconds(wanted.options.timeout), "{}", tool);
            wanted.options.timeout = found.options.timeout;
            if let (Transport::Remote { protocol, .. }, Transport::Remote { protocol: found, .. }) =
                (&mut wanted.transport, &found.transport)
            {
                let is_inferred = *protocol == Protocol::Sse && rendered.value.get("type") != Some(&json!("sse"));
                *protocol = if is_inferred { *found } else { *protocol };
            }
            prop_assert_eq!(found, wanted, "{}: {}", tool, rendered.value);
        }
    }

    #[test]
    fn no_server_gets_wider_from_tool_to_tool(server in server()) {
        for (tool, format) in formats() {
            let Ok(rendered) = server.render(&format) else { continue };
            let passed = read(&format, &rendered.value);
            let denied: Vec<String> = rendered.permissions.iter().map(|(_, entry)| entry.replace("mcp__db__", "")).collect();
            prop_assert_eq!(&passed.options.include_tools, &server.options.include_tools, "{}", tool);
            let is_denied = |name: &String| passed.options.exclude_tools.contains(name) || denied.contains(name);
            prop_assert!(server.options.exclude_tools.iter().all(is_denied), "{}: {}", tool, rendered.value);
            let is_allowed = |name: &String| server.options.always_allow.contains(name);
            prop_assert!(passed.options.always_allow.iter().all(is_allowed), "{}: {}", tool, rendered.value);
        }
    }

    #[test]
    fn the_canon_keeps_everything(server in server()) {
        let rendered = server.render_canon().unwrap();
        prop_assert!(rendered.left_out.is_empty());
        prop_assert_eq!(McpServer::parse("db", &rendered.value).unwrap(), server);
        prop_assert_eq!(McpServer::parse("db", &rendered.value).unwrap().render_canon().unwrap().value, rendered.value);
    }

    #[test]
    fn a_file_is_written_as_it_was(server in server()) {
        for (tool, format) in formats() {
            let Ok(rendered) = server.render(&format) else { continue };
            let again = read(&format, &rendered.value).render(&format).unwrap();
            prop_assert_eq!(again.value, rendered.value, "{}", tool);
        }
    }

    #[test]
    fn a_table_of_codex_is_the_same_in_toml(server in server()) {
        let Ok(rendered) = server.render(&McpFormat::CodexToml) else { return Ok(()) };
        let text = codex::table_text("db", &rendered.value);
        let document = text.parse::<toml_edit::DocumentMut>().unwrap();
        let found = document["mcp_servers"]["db"].as_table().unwrap();
        prop_assert_eq!(found.len(), rendered.value.as_object().unwrap().len(), "{}", text);
    }
}
