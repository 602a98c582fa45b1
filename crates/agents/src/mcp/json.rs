//! MCP servers as keys of JSON files. docs/reference/tools.md has the sources of the formats.

use super::options::{OauthClient, ServerOptions};
use super::server::{McpServer, Protocol, RenderedServer, Transport, UnsupportedServer};
use super::variables::{VariableError, translate};
use canonry_model::tools::tool_formats::{
    JsonServers, OauthForm, TimeLimit, ToolFilters, TransportKey, VariableSyntax,
};
use serde_json::{Map, Value, json};

/// The servers of the canon.
pub(super) const CANON: JsonServers = JsonServers {
    variables: VariableSyntax::Shell,
    transport: TransportKey::Remote("type"),
    has_web_sockets: true,
    cwd: Some("cwd"),
    timeout: TimeLimit::Milliseconds("timeout", 1),
    has_headers_helper: true,
    oauth: OauthForm::Canon,
    filters: ToolFilters::Keys { include: Some("includeTools"), exclude: Some("excludeTools") },
    always_allow: Some("alwaysAllow"),
    ..JsonServers::PLAIN
};

/// Writes servers in the form of one tool.
pub(super) struct ServerWriter<'f> {
    pub form: &'f JsonServers,
}

impl ServerWriter<'_> {
    /// The entry of a server.
    ///
    /// # Errors
    /// See [`UnsupportedServer`].
    pub(super) fn entry(&self, server: &McpServer) -> Result<RenderedServer, UnsupportedServer> {
        let mut entry = RenderedServer::begin(server)?;
        let mut value = self.transport(&server.transport)?;
        self.add_options(&server.options, &mut value, &mut entry)?;
        self.add_filters(server, &mut value, &mut entry)?;
        entry.value = Value::Object(value);
        Ok(entry)
    }

    fn transport(&self, transport: &Transport) -> Result<Map<String, Value>, UnsupportedServer> {
        let text = |text: &String| translate(self.form.variables, text);
        let pairs = |pairs: &[(String, String)]| -> Result<Value, VariableError> {
            let translated = pairs.iter().map(|(name, value)| Ok((name.clone(), Value::String(text(value)?))));
            Ok(Value::Object(translated.collect::<Result<Map<String, Value>, VariableError>>()?))
        };
        let mut value = Map::new();
        if let Some((key, text)) = self.form.fixed {
            value.insert(key.to_owned(), json!(text));
        }
        match transport {
            Transport::Stdio { command, args, env } => {
                if let TransportKey::Every(key) = self.form.transport {
                    value.insert(key.to_owned(), json!("stdio"));
                }
                value.insert("command".to_owned(), json!(text(command)?));
                if !args.is_empty() {
                    value.insert("args".to_owned(), json!(args.iter().map(text).collect::<Result<Vec<_>, _>>()?));
                }
                if !env.is_empty() {
                    value.insert("env".to_owned(), pairs(env)?);
                }
            }
            Transport::Remote { url, protocol, headers } => {
                let (kind, key) = match protocol {
                    Protocol::Http => ("http", self.form.http_url_key),
                    Protocol::Sse => ("sse", self.form.sse_url_key.ok_or(UnsupportedServer::Sse)?),
                    Protocol::WebSocket if self.form.has_web_sockets => ("ws", self.form.http_url_key),
                    Protocol::WebSocket => return Err(UnsupportedServer::WebSocket),
                };
                if let TransportKey::Remote(key) | TransportKey::Every(key) = self.form.transport {
                    value.insert(key.to_owned(), json!(kind));
                }
                value.insert(key.to_owned(), json!(text(url)?));
                if !headers.is_empty() {
                    value.insert("headers".to_owned(), pairs(headers)?);
                }
            }
        }
        Ok(value)
    }

    fn add_options(
        &self,
        options: &ServerOptions,
        value: &mut Map<String, Value>,
        entry: &mut RenderedServer,
    ) -> Result<(), UnsupportedServer> {
        let mut leave_out = |key: &str| entry.left_out.push(key.to_owned());
        match (&options.cwd, self.form.cwd) {
            (Some(cwd), Some(key)) => drop(value.insert(key.to_owned(), json!(translate(self.form.variables, cwd)?))),
            (Some(_), None) => leave_out("cwd"),
            (None, _) => {}
        }
        match (options.timeout, self.form.timeout) {
            (None, _) => {}
            (Some(time), TimeLimit::Milliseconds(key, least)) if time >= least => {
                value.insert(key.to_owned(), json!(time));
            }
            (Some(time), TimeLimit::WholeSeconds(key)) => {
                value.insert(key.to_owned(), json!(time.div_ceil(1000)));
            }
            (Some(_), _) => leave_out("timeout"),
        }
        match &options.headers_helper {
            Some(command) if self.form.has_headers_helper => {
                value.insert("headersHelper".to_owned(), json!(command));
            }
            Some(_) => leave_out("headersHelper"),
            None => {}
        }
        if let Some(client) = &options.oauth {
            let (key, form) = self.oauth(client, &mut leave_out)?;
            if !form.is_empty() {
                value.insert(key.to_owned(), Value::Object(form));
            }
        }
        Ok(())
    }

    /// The OAuth client, and its key.
    fn oauth(
        &self,
        client: &OauthClient,
        leave_out: &mut dyn FnMut(&str),
    ) -> Result<(&'static str, Map<String, Value>), UnsupportedServer> {
        let mut form = Map::new();
        let text = |text: &Option<String>| text.as_ref().map(|text| translate(self.form.variables, text)).transpose();
        let mut put = |key: Option<&str>, name: &str, value: Option<Value>| match (key, value) {
            (Some(key), Some(value)) => drop(form.insert(key.to_owned(), value)),
            (None, Some(_)) => leave_out(name),
            (_, None) => {}
        };
        let (id, secret, scopes, port, metadata) = match self.form.oauth {
            OauthForm::None => {
                leave_out("oauth");
                return Ok(("oauth", form));
            }
            // It keeps the secret in the system's keychain.
            OauthForm::Claude => ("clientId", None, "scopes", Some("callbackPort"), Some("authServerMetadataUrl")),
            OauthForm::Canon => {
                ("clientId", Some("clientSecret"), "scopes", Some("callbackPort"), Some("authServerMetadataUrl"))
            }
            OauthForm::Gemini => ("clientId", Some("clientSecret"), "scopes", None, None),
            OauthForm::Cursor => ("CLIENT_ID", Some("CLIENT_SECRET"), "scopes", None, None),
        };
        put(Some(id), "oauth.clientId", text(&client.id)?.map(Value::from));
        put(secret, "oauth.clientSecret", text(&client.secret)?.map(Value::from));
        let list = match self.form.oauth {
            OauthForm::Claude | OauthForm::Canon => json!(client.scopes.join(" ")),
            _ => json!(client.scopes),
        };
        put(Some(scopes), "oauth.scopes", (!client.scopes.is_empty()).then_some(list));
        put(port, "oauth.callbackPort", client.callback_port.map(Value::from));
        put(metadata, "oauth.authServerMetadataUrl", text(&client.metadata_url)?.map(Value::from));
        Ok(match self.form.oauth {
            OauthForm::Gemini => {
                form.insert("enabled".to_owned(), json!(true));
                ("oauth", form)
            }
            OauthForm::Cursor => ("auth", form),
            OauthForm::Canon | OauthForm::Claude | OauthForm::None => ("oauth", form),
        })
    }

    fn add_filters(
        &self,
        server: &McpServer,
        value: &mut Map<String, Value>,
        entry: &mut RenderedServer,
    ) -> Result<(), UnsupportedServer> {
        let ServerOptions { include_tools, exclude_tools, always_allow, .. } = &server.options;
        check_approvals(&server.options)?;
        let permission = |tool: &String| format!("mcp__{}__{tool}", server.name);
        let (include, exclude) = match self.form.filters {
            ToolFilters::Keys { include, exclude } => (include, exclude),
            ToolFilters::Permissions => {
                if include_tools.is_some() {
                    return Err(UnsupportedServer::Filter("includeTools"));
                }
                entry.permissions.extend(exclude_tools.iter().map(|tool| ("deny", permission(tool))));
                entry.permissions.extend(always_allow.iter().map(|tool| ("allow", permission(tool))));
                return Ok(());
            }
        };
        if let Some(tools) = include_tools {
            let key = include.ok_or(UnsupportedServer::Filter("includeTools"))?;
            value.insert(key.to_owned(), json!(tools));
        }
        if !exclude_tools.is_empty() {
            let key = exclude.ok_or(UnsupportedServer::Filter("excludeTools"))?;
            value.insert(key.to_owned(), json!(exclude_tools));
        }
        match self.form.always_allow {
            _ if always_allow.is_empty() => {}
            Some(key) => drop(value.insert(key.to_owned(), json!(always_allow))),
            None => entry.left_out.push("alwaysAllow".to_owned()),
        }
        Ok(())
    }
}

/// Approvals are permissions in every format but that of Codex.
///
/// # Errors
/// The server has one.
pub(super) fn check_approvals(options: &ServerOptions) -> Result<(), UnsupportedServer> {
    if options.ask_tools.is_empty() && options.default_decision.is_none() {
        Ok(())
    } else {
        Err(UnsupportedServer::Filter("approval_mode"))
    }
}
