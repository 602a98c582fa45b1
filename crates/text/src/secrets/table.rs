//! The table of secrets: one row for each published format, and one for each place in which a value is a secret.

use super::values::{is_any, is_random, is_random_word, is_strong, is_text, is_token};
use regex::bytes::{Regex, RegexBuilder};

/// Reason why a text is a secret, the most certain one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Confidence {
    /// It has the published format of a service.
    Format,
    /// It is random, and its name or its place is that of a secret.
    Named,
    /// It may be one: for texts in which a word too many may be replaced.
    Possible,
}

/// A row of the table.
pub(super) struct Pattern {
    /// Description, with an article.
    pub what: &'static str,
    pub confidence: Confidence,
    /// Each match has one of these texts, in any case. Without any, the pattern is always searched.
    pub keywords: &'static [&'static str],
    /// A regular expression over ASCII with `<parts>`. The secret is the first group that takes part in the match, or else
    /// the match.
    regex: &'static str,
    /// Whether a match is a whole word.
    is_word: bool,
    /// Whether a text that matches is a secret.
    pub accepts: fn(&str) -> bool,
}

impl Pattern {
    /// The regular expression with its parts written out.
    pub fn expanded(&self) -> String {
        PARTS.iter().fold(self.regex.to_owned(), |regex, (part, expansion)| regex.replace(part, expansion))
    }

    pub fn compile(&self) -> Regex {
        let regex = self.expanded();
        let regex = if self.is_word { format!(r"\b{{start-half}}(?:{regex})\b{{end-half}}") } else { regex };
        RegexBuilder::new(&regex).unicode(false).build().expect("the table is static")
    }
}

type Keywords = &'static [&'static str];

const fn token(what: &'static str, keywords: Keywords, regex: &'static str) -> Pattern {
    Pattern { what, confidence: Confidence::Format, keywords, regex, is_word: true, accepts: is_token }
}

const fn named(what: &'static str, keywords: Keywords, regex: &'static str) -> Pattern {
    Pattern { what, confidence: Confidence::Named, keywords, regex, is_word: false, accepts: is_random }
}

const fn possible(what: &'static str, keywords: Keywords, accepts: fn(&str) -> bool, regex: &'static str) -> Pattern {
    Pattern { what, confidence: Confidence::Possible, keywords, regex, is_word: false, accepts }
}

/// Parts of the patterns. A later one may be part of an earlier one.
const PARTS: [(&str, &str); 13] = [
    // A value in quotes, or up to the next separator.
    ("<value>", r#"(?:<quoted>|([^\s"'`,;&|)}\]\\:=>][^\s"'`,;&|)}\]\\]*))"#),
    ("<quoted>", r#"\\+"([^"\\\n]+)|"((?:[^"\\\n]|\\[^\n])+)|\\*'([^'\n]+)|`([^`\n]+)"#),
    // A word of a shell that is no option. Three characters are the least in gitleaks' rule `curl-auth-user` too.
    ("<word>", r#"(?:"([^"\n]+)|'([^'\n]+)|([^\s"'-][^\s"']{2,}))"#),
    // The arguments of a command in front of an option.
    ("<arguments>", r"(?:[ \t]+[^\s|;&]+)*?[ \t]+"),
    // Between a name, which may be in quotes, and its value.
    ("<separator>", r#"["'`\]\\]*[ \t]{0,2}(?:=>|[:?]?=|:)[ \t]*"#),
    // What may follow a name, such as `_BASE` and `.prod`.
    ("<suffix>", r"(?:[\d_.-][\w.-]{0,20})?"),
    // Names of secrets, also as the last part of a longer name: the words of gitleaks' rule `generic-api-key` without those
    // that mean something else as often.
    ("<name>", "<password>|secret|token|credentials?|(?:access|account|api|encryption|master|private|signing)[_-]?key"),
    // Names of secrets that are words of their own.
    ("<short>", r"<pass>|(?:\b|_)(?:pat|auth|bearer|sig(?:nature)?|jwt|creds)|[_-]key|[a-z0-9](?-i:Key|Auth|Sig)"),
    ("<password>", "passw(?:or)?d|passphrase|passcode"),
    ("<pass>", r"(?:\b|_)(?:pass|pwd|pw)|[a-z0-9](?-i:Pass|Pwd)"),
    // Schemes of authentication.
    ("<scheme>", "(?:bearer|basic|token|apikey|digest|negotiate)"),
    // The first line of a private key in PEM or PGP armour, the headers of PGP, and white space.
    ("<key>", r"-----BEGIN [A-Z0-9 ]{0,70}PRIVATE KEY(?: BLOCK)?-----(?:\\[nr]|\s|[A-Z][a-z]+: [^\n]*\n)*"),
    // Programs, subcommands and options that read a secret from standard input.
    ("<reader>", r"(?:\blogin|\bchpasswd|--with-token|--password-stdin|--stdin|--passphrase-fd)(?:\s|\z)"),
];

/// The patterns. Where no source is given, prefix, characters and length are as the issuer documents them for secret
/// scanners: <https://docs.github.com/en/code-security/reference/secret-security/supported-secret-scanning-patterns>.
/// Public keys, such as publishable ones, are left out.
pub(super) const TABLE: &[Pattern] = &[
    token("an AWS access key ID", &["AKIA"], "AKIA[A-Z0-9]{16}"),
    token("an AWS temporary access key ID", &["ASIA"], "ASIA[A-Z0-9]{16}"),
    token("an AWS bearer token ID", &["ABIA"], "ABIA[A-Z0-9]{16}"),
    token("an AWS context credential ID", &["ACCA"], "ACCA[A-Z0-9]{16}"),
    token("a GitHub personal access token", &["ghp_"], "ghp_[[:alnum:]]{36}"),
    token("a GitHub personal access token", &["github_pat_"], r"github_pat_\w{82}"),
    token("a GitHub access token", &["gho_", "ghu_", "ghs_"], "gh[ous]_[[:alnum:]]{36}"),
    token("a GitHub refresh token", &["ghr_"], "ghr_[[:alnum:]]{36,76}"),
    // https://docs.gitlab.com/security/tokens/#token-prefixes
    token("a GitLab personal access token", &["glpat-"], r"glpat-[\w-]{20,}(?:\.[0-9a-z]{2,9}){0,2}"),
    token("a GitLab trigger token", &["glptt-"], "glptt-[0-9a-f]{40}"),
    token("a GitLab deploy token", &["gldt-"], r"gldt-[\w-]{20,64}"),
    token("a GitLab runner token", &["glrt-"], r"glrt-[\w-]{20,}(?:\.[0-9a-z]{2,9}){0,2}"),
    token("a GitLab job token", &["glcbt-"], r"glcbt-[\w.-]{20,64}"),
    token("a Slack token", &["xoxb-", "xoxp-", "xoxa-", "xoxs-"], r"xox[abps]-[\w-]{40,120}"),
    token("a Slack refresh token", &["xoxr-", "xoxe-"], r"xox[er]-[\w-]{40,}"),
    token("a Slack app token", &["xapp-"], r"xapp-[\w-]{60,}"),
    token("a Stripe secret key", &["sk_live_"], "sk_live_[[:alnum:]]{24,120}"),
    token("a Stripe restricted key", &["rk_live_"], "rk_live_[[:alnum:]]{24,120}"),
    token("a webhook signing secret", &["whsec_"], "whsec_[[:alnum:]]{32,64}"),
    token("an OpenAI API key", &["sk-proj-", "sk-svcacct-", "sk-admin-"], r"sk-(?:proj|svcacct|admin)-[\w-]{60,}"),
    token("an OpenAI API key", &["sk-"], "sk-[[:alnum:]]{48}"),
    token("an Anthropic API key", &["sk-ant-api03-"], r"sk-ant-api03-[\w-]{80,110}"),
    token("an Anthropic admin key", &["sk-ant-admin01-"], r"sk-ant-admin01-[\w-]{80,110}"),
    token("an Anthropic access token", &["sk-ant-oat01-"], r"sk-ant-oat01-[\w-]{80,130}"),
    token("an Anthropic refresh token", &["sk-ant-ort01-"], r"sk-ant-ort01-[\w-]{80,130}"),
    token("an Anthropic session key", &["sk-ant-sid01-"], r"sk-ant-sid01-[\w-]{80,130}"),
    token("an OpenRouter API key", &["sk-or-v1-"], "sk-or-v1-[0-9a-f]{64}"),
    token("an API key", &["sk-"], "sk-[0-9a-f]{32}"),
    token("a Google API key", &["AIza"], r"AIza[\w-]{35}"),
    token("a Google client secret", &["GOCSPX-"], r"GOCSPX-[\w-]{28}"),
    token("a Google access token", &["ya29."], r"ya29\.[\w-]{60,}"),
    token("a Google refresh token", &["1//0"], r"1//0[\w-]{60,}"),
    token("an npm access token", &["npm_"], "npm_[[:alnum:]]{36}"),
    token("a PyPI token", &["pypi-AgEI"], r"pypi-AgEI[\w-]{60,}"),
    token("a SendGrid API key", &["SG."], r"SG\.[\w-]{22}\.[\w-]{43}"),
    token("a Hugging Face access token", &["hf_"], "hf_[[:alnum:]]{34,40}"),
    token("a DigitalOcean token", &["dop_v1_"], "dop_v1_[0-9a-f]{64}"),
    token("a DigitalOcean access token", &["doo_v1_"], "doo_v1_[0-9a-f]{64}"),
    token("a DigitalOcean refresh token", &["dor_v1_"], "dor_v1_[0-9a-f]{64}"),
    token("a Shopify access token", &["shpat_"], "shpat_[0-9a-f]{32}"),
    token("a Shopify shared secret", &["shpss_"], "shpss_[0-9a-f]{32}"),
    token("a Shopify app token", &["shpca_", "shppa_"], "shp[cp]a_[0-9a-f]{32}"),
    token("a Square access token", &["sq0atp-"], r"sq0atp-[\w-]{22}"),
    token("a Square application secret", &["sq0csp-"], r"sq0csp-[\w-]{43}"),
    token("a Linear API key", &["lin_api_"], "lin_api_[[:alnum:]]{40}"),
    token("a Linear access token", &["lin_oauth_"], "lin_oauth_[0-9a-f]{64}"),
    token("a Databricks token", &["dapi"], r"dapi[0-9a-f]{32}(?:-\d)?"),
    token("a Vault token", &["hvs."], r"hvs\.[\w-]{90,120}"),
    token("a Vault batch token", &["hvb."], r"hvb\.[\w-]{130,}"),
    token("a Docker Hub token", &["dckr_pat_"], r"dckr_pat_[\w-]{27}"),
    token("a Grafana service account token", &["glsa_"], "glsa_[[:alnum:]]{32}_[[:xdigit:]]{8}"),
    token("a Grafana Cloud token", &["glc_"], "glc_[[:alnum:]+/]{32,}={0,3}"),
    token("a Groq API key", &["gsk_"], "gsk_[[:alnum:]]{52}"),
    token("a Perplexity API key", &["pplx-"], "pplx-[[:alnum:]]{48}"),
    token("an xAI API key", &["xai-"], "xai-[[:alnum:]]{80}"),
    token("an NVIDIA API key", &["nvapi-"], r"nvapi-[\w-]{60,70}"),
    token("a Replicate API token", &["r8_"], "r8_[[:alnum:]]{37}"),
    token("a Notion token", &["ntn_"], "ntn_[[:alnum:]]{43,46}"),
    token("a Sentry organization token", &["sntrys_"], r"sntrys_[\w+/=-]{80,}"),
    token("a Sentry user token", &["sntryu_"], "sntryu_[0-9a-f]{64}"),
    token("a New Relic user key", &["NRAK-"], "NRAK-[A-Z0-9]{27}"),
    token("a Postman API key", &["PMAK-"], "PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    token("a Figma access token", &["figd_"], r"figd_[\w-]{40,60}"),
    token("a Doppler token", &["dp.pt."], r"dp\.pt\.[[:alnum:]]{40,44}"),
    token("a RubyGems API key", &["rubygems_"], "rubygems_[0-9a-f]{48}"),
    token("an Atlassian API token", &["ATATT3"], r"ATATT3[\w=-]{160,}"),
    token("a Brevo API key", &["xkeysib-"], "xkeysib-[0-9a-f]{64}-[[:alnum:]]{16}"),
    token("an age secret key", &["AGE-SECRET-KEY-1"], "AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    // https://supabase.com/docs/reference/api/introduction
    token("a Supabase access token", &["sbp_"], "sbp_[0-9a-f]{40}"),
    // https://supabase.com/docs/guides/api/api-keys
    token("a Supabase secret key", &["sb_secret_"], r"sb_secret_[\w-]{31}"),
    // https://docs.tavily.com/documentation/quickstart
    token("a Tavily API key", &["tvly-"], r"tvly-[\w-]{32,44}"),
    // https://airtable.com/developers/web/guides/personal-access-tokens
    token("an Airtable access token", &["pat"], r"pat[[:alnum:]]{14}\.[0-9a-f]{64}"),
    // https://planetscale.com/docs/api/reference/service-tokens
    token("a PlanetScale service token", &["pscale_tkn_"], r"pscale_tkn_[\w.=-]{32,64}"),
    token("a PlanetScale password", &["pscale_pw_"], r"pscale_pw_[\w.=-]{32,64}"),
    token("a PlanetScale OAuth token", &["pscale_oauth_"], r"pscale_oauth_[\w.=-]{32,64}"),
    // https://fly.io/docs/security/tokens/
    token("a Fly.io access token", &["fm2_", "fm1r_", "fm1a_"], "fm(?:2|1[ar])_[[:alnum:]+/]{60,}={0,3}"),
    token("a Fly.io access token", &["fo1_"], r"fo1_[\w-]{43}"),
    // https://www.pulumi.com/docs/pulumi-cloud/access-management/access-tokens/
    token("a Pulumi access token", &["pul-"], "pul-[0-9a-f]{40}"),
    // https://github.com/rust-lang/crates.io/blob/main/crates/crates_io_database/src/utils/token.rs
    token("a crates.io API token", &["cio"], "cio[[:alnum:]]{32}"),
    // https://developers.cloudflare.com/fundamentals/api/get-started/ca-keys/
    token("a Cloudflare origin CA key", &["v1.0-"], r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
    // https://developer.hashicorp.com/terraform/cloud-docs/users-teams-organizations/api-tokens
    token("an HCP Terraform token", &[".atlasv1."], r"[[:alnum:]]{14}\.atlasv1\.[\w-]{60,70}"),
    // The id of the bot, which is a number in base64, a time, and a code: https://docs.discord.com/developers/reference
    token(
        "a Discord bot token",
        &[],
        r"(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){5,6}(?:[MNO](?:[AQgw]|[DTjz][AEIMQUYcgk]))?\.[\w-]{6,7}\.[\w-]{27,45}",
    ),
    // The code behind the bot's public number: https://core.telegram.org/bots/api#authorizing-your-bot
    token("a Telegram bot token", &[":AA"], r"\d{8,10}:(AA[\w-]{32,34})"),
    token("a Telegram bot token", &["api.telegram.org"], r"api\.telegram\.org/bot([\w:-]{24,})"),
    // https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
    token("a Slack webhook", &["hooks.slack.com"], r"hooks\.slack\.com/(?:services|workflows|triggers)/([\w/-]{24,})"),
    // https://docs.discord.com/developers/resources/webhook
    token("a Discord webhook", &["/api/webhooks/"], r"discord(?:app)?\.com/api/webhooks/([\w/-]{24,})"),
    // https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook
    token("a Teams webhook", &["webhook.office.com"], r"webhook\.office\.com/webhookb2/([\w/@-]{24,})"),
    // https://learn.microsoft.com/azure/storage/common/storage-configure-connection-string
    token("an Azure Storage key", &["AccountKey="], "AccountKey=([[:alnum:]+/]{86}==)"),
    // Three parts in base64; the first two are JSON objects: https://www.rfc-editor.org/rfc/rfc7519
    token(super::WEB_TOKEN, &["eyJ"], r"eyJ[\w-]{13,}\.eyJ[\w-]{13,}\.[\w-]{16,}"),
    // The whole key: https://www.rfc-editor.org/rfc/rfc7468. One that is cut goes on to the end of the text. Examples are shorter:
    // gitleaks also wants 64 characters.
    Pattern {
        confidence: Confidence::Format,
        ..possible(
            "a private key",
            &["-----BEGIN "],
            is_token,
            r"<key>(?:[[:alnum:]+/=\s]|\\[nr]){64}(?s:.*?)(?:-----END [A-Z0-9 ]*-----|\z)",
        )
    },
    // A random value with the name of a secret, as in gitleaks' rule `generic-api-key`.
    named(
        "a secret",
        &["passw", "passphrase", "passcode", "secret", "token", "credential", "key", "auth"],
        r#"(?i)(?:<name>|(?:\b|_)auth(?:orization)?)<suffix><separator>\\?["'`]?(?:<scheme>[ \t]+)?([\w+][\w+/=~-]{19,})(?:[\s"'`,;&)}\]\\<]|\z)"#,
    ),
    // https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1
    named("a password", &["://"], r#"://[^\s/?#"'`<>:]*:([^\s/?#"'`<>]+)@"#),
    possible("a password", &["://"], is_any, r#"://[^\s/?#"'`<>:]*:([^\s/?#"'`<>]+)@"#),
    possible("a secret", &["://"], is_strong, r"://([\w-]{20,})@"),
    possible("a password", &["passw", "passphrase", "passcode"], is_any, "(?i)(?:<password>)<separator><value>"),
    // Assigned without a space, or in quotes: `TOKEN=x`, `"secret": "x"`.
    possible(
        "a secret",
        &["secret", "token", "credential", "key", "pass", "pwd", "pw"],
        is_text,
        r#"(?i)(?:<name>|<pass>)["'`]?=<value>|(?:secret|<pass>)<separator>(?:<quoted>)"#,
    ),
    // Also in a sentence: `the token is x`.
    possible(
        "a secret",
        &["pass", "secret", "token", "credential", "key", "auth", "pwd", "pw", "pat", "sig", "jwt", "creds", "bearer"],
        is_strong,
        r#"(?i)(?:<name>|<short>)<suffix>(?:<separator>|["']?\s+(?:is|was|to)\s+)<value>"#,
    ),
    // https://www.rfc-editor.org/rfc/rfc9110#section-11.6.2
    possible(
        "a secret",
        &["authorization"],
        is_any,
        r#"(?i)authorization<separator>\\?["']?(?:<scheme>[ \t]+)?([^\s"',;)}\\]{8,})"#,
    ),
    possible("a secret", &["bearer", "basic"], is_strong, r#"(?i)\b(?:bearer|basic)[ \t]+([^\s"'`,;)}\\]{8,})"#),
    // https://www.rfc-editor.org/rfc/rfc6265
    possible("a cookie", &["cookie"], is_any, r#"(?i)cookie<separator>\\?["']?([\w.-]+=[^"'\r\n]+)"#),
    possible(
        "a private key",
        &["-----BEGIN "],
        is_any,
        r"<key>(?:[[:alnum:]+/=\s]|\\[nr]){16}(?s:.*?)(?:-----END [A-Z0-9 ]*-----|\z)",
    ),
    possible("a token", &["eyJ"], is_token, r"\beyJ[\w-]{9,}\.eyJ[\w-]{9,}(?:\.[\w-]*)?"),
    // Formats that are public, or too much like another word to be certain: of Stripe, Twilio, Mailchimp, Mailgun, HubSpot,
    // Notion and Facebook.
    possible("a token", &["k_test_"], is_token, r"\b[sr]k_test_[[:alnum:]]{10,}"),
    possible("a token", &["sk"], is_token, r"\bSK[0-9a-f]{32}\b"),
    possible("a token", &["-us"], is_token, r"\b[0-9a-f]{32}-us\d{1,2}\b"),
    possible("a token", &["key-"], is_token, r"\bkey-[0-9a-f]{32}\b"),
    possible("a token", &["pat-"], is_token, r"\bpat-[a-z]{2}\d-[\w-]{20,}"),
    possible("a token", &["secret_"], is_token, r"\bsecret_[[:alnum:]]{32,}"),
    possible("a token", &["eaa"], is_token, r"\bEAA[[:alnum:]]{60,}"),
    possible("a token", &[], is_cut_token, r"\b[\w.-]{18,}"),
    possible("a secret", &[], is_random_word, r"[\w+/.@~#\\-]{32,}"),
    // Options of programs: `--password x`, `-u user:x`, `mysql -px`, `openssl -pass pass:x`.
    possible("a secret", &["-"], is_any, r"(?i)(?:^|\s)--?[\w-]*(?:<name>|<pass>)[ \t]+<word>"),
    possible("a secret", &["-"], is_strong, r"(?i)(?:^|\s)--?[\w-]*(?:<short>)[ \t]+<word>"),
    possible(
        "a password",
        &["-u", "--user", "--proxy-user", "-a"],
        is_text,
        r#"(?:^|\s)(?:-[uUa]|--(?:proxy-)?user)[ =]?["']?[^\s:%,"']+[:%,]([^\s"']+)"#,
    ),
    possible(
        "a password",
        &["mysql", "mariadb", "7z", "sshpass"],
        is_any,
        r"\b(?:(?:mysql|mariadb)[\w-]*|7z|sshpass)<arguments>-p<word>",
    ),
    possible(
        "a password",
        &["sshpass", "login", "mongo", "svn", "cqlsh", "vncviewer"],
        is_any,
        r"\b(?:sshpass|login|mongo\w*|svn|cqlsh|vncviewer)<arguments>-p[ \t]+<word>",
    ),
    possible("a password", &["redis-cli"], is_any, r"\bredis-cli<arguments>-a[ \t]+<word>"),
    possible("a password", &["ldap"], is_any, r"\bldap\w+<arguments>-w[ \t]+<word>"),
    possible("a password", &["sqlcmd", "bcp", "zip"], is_any, r"\b(?:sqlcmd|bcp|zip|unzip)<arguments>-P[ \t]+<word>"),
    possible("a token", &["influx"], is_any, r"\binflux<arguments>-t[ \t]+<word>"),
    possible("a password", &["openssl"], is_any, r"\bopenssl<arguments>-[kK][ \t]+<word>"),
    possible("a password", &["pass:"], is_any, r"\bpass:<word>"),
    possible("a password", &["htpasswd"], is_any, r"\bhtpasswd +-\w*b\w* +\S+ +\S+ +<word>"),
    possible("a token", &["vault login"], is_any, r"\bvault login(?:[ \t]+-\S+)*[ \t]+([^\s=-][^\s=]*)(?:\s|\z)"),
    possible("a secret", &["set"], is_strong, r"(?i)\bset[ \t]+\S*(?:<name>)[\w.-]*[ \t]+<word>"),
    // The line of a netrc.
    possible("a password", &["login"], is_any, r"\blogin\s+\S+\s+password\s+(\S+)"),
    // Standard input: `login <<< x`, `echo x | login`.
    possible("a secret", &["<<<"], is_any, r"<reader>[^\n|;]*?<<<[ \t]*<word>"),
    possible(
        "a secret",
        &["echo", "printf"],
        is_any,
        r"\b(?:echo|printf)(?:[ \t]+-\w+)*[ \t]+([^\n|]+?)[ \t]*\|[^\n|;]*?<reader>",
    ),
];

/// Whether a word has the prefix of a published format, and at least 16 more characters: in a text that is logged, it may be cut.
fn is_cut_token(word: &str) -> bool {
    let formats = TABLE.iter().filter(|pattern| pattern.confidence == Confidence::Format);
    let mut prefixes = formats.flat_map(|pattern| pattern.keywords).filter(|prefix| prefix.ends_with(['_', '-', '.']));
    // `v1.0-` and `r8_` also begin versions.
    let names_issuer = |prefix: &str| prefix.as_bytes().windows(2).any(|two| two.iter().all(u8::is_ascii_alphabetic));
    let is_prefix = |prefix: &&str| word.len() >= prefix.len() + 16 && word.starts_with(prefix) && names_issuer(prefix);
    word.bytes().any(|b| b.is_ascii_digit()) && prefixes.any(is_prefix)
}

/// The name of a secret, with an optional prefix and suffix.
pub(super) const SECRET_NAME: Pattern =
    possible("a name", &[], is_any, r"(?i)(?:<name>|<short>|authorization|cookie|\bkey)(?:[\d_.-].*)?$");
/// The name of a secret that may be any text.
pub(super) const PASSWORD_NAME: Pattern = possible("a name", &[], is_any, r"(?i)(?:<password>|secret|<pass>)$");
