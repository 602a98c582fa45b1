//! The published formats of secrets.

/// The format of a secret: a prefix, and a number of characters of a set.
pub(super) struct SecretFormat {
    pub what: &'static str,
    pub prefix: &'static str,
    pub set: CharSet,
    pub min: usize,
    pub max: usize,
}

/// The characters after a prefix.
#[derive(Clone, Copy)]
pub(super) enum CharSet {
    Word,
    /// Upper-case letters and digits.
    Capital,
    /// Lower-case hexadecimal digits.
    Hex,
    /// Letters, digits, `_` and `-`, as in URL-safe base64.
    Url,
    /// The same with `.`, for tokens of several parts.
    Dotted,
    /// Standard base64.
    Base64,
}

impl CharSet {
    pub fn has(self, byte: u8) -> bool {
        match self {
            Self::Word => byte.is_ascii_alphanumeric(),
            Self::Capital => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
        }
    }
}

const fn format(what: &'static str, prefix: &'static str, set: CharSet, min: usize, max: usize) -> SecretFormat {
    SecretFormat { what, prefix, set, min, max }
}

/// Prefixes and lengths as the issuers document them for secret scanners. Public keys, such as publishable and test keys,
/// are left out.
pub(super) static FORMATS: [SecretFormat; 90] = [
    format("an AWS access key ID", "AKIA", CharSet::Capital, 16, 16),
    format("an AWS temporary access key ID", "ASIA", CharSet::Capital, 16, 16),
    format("an AWS bearer token ID", "ABIA", CharSet::Capital, 16, 16),
    format("an AWS context credential ID", "ACCA", CharSet::Capital, 16, 16),
    format("a GitHub personal access token", "ghp_", CharSet::Word, 36, 36),
    format("a GitHub access token", "gho_", CharSet::Word, 36, 36),
    format("a GitHub access token", "ghu_", CharSet::Word, 36, 36),
    format("a GitHub access token", "ghs_", CharSet::Word, 36, 36),
    format("a GitHub refresh token", "ghr_", CharSet::Word, 36, 76),
    format("a GitHub personal access token", "github_pat_", CharSet::Url, 82, 82),
    format("a GitLab personal access token", "glpat-", CharSet::Dotted, 20, 64),
    format("a GitLab trigger token", "glptt-", CharSet::Hex, 40, 40),
    format("a GitLab deploy token", "gldt-", CharSet::Url, 20, 64),
    format("a GitLab runner token", "glrt-", CharSet::Dotted, 20, 64),
    format("a GitLab job token", "glcbt-", CharSet::Dotted, 20, 64),
    format("a Slack token", "xoxb-", CharSet::Url, 40, 90),
    format("a Slack token", "xoxp-", CharSet::Url, 40, 90),
    format("a Slack token", "xoxa-", CharSet::Url, 40, 120),
    format("a Slack token", "xoxs-", CharSet::Url, 40, 120),
    format("a Slack refresh token", "xoxr-", CharSet::Url, 40, 120),
    format("a Slack refresh token", "xoxe-", CharSet::Url, 40, 250),
    format("a Slack app token", "xapp-", CharSet::Url, 60, 140),
    format("a Stripe secret key", "sk_live_", CharSet::Word, 24, 120),
    format("a Stripe restricted key", "rk_live_", CharSet::Word, 24, 120),
    format("a webhook signing secret", "whsec_", CharSet::Word, 32, 64),
    format("an OpenAI API key", "sk-proj-", CharSet::Url, 60, 200),
    format("an OpenAI API key", "sk-svcacct-", CharSet::Url, 60, 200),
    format("an Anthropic API key", "sk-ant-api03-", CharSet::Url, 80, 110),
    format("an Anthropic admin key", "sk-ant-admin01-", CharSet::Url, 80, 110),
    format("an Anthropic access token", "sk-ant-oat01-", CharSet::Url, 80, 130),
    format("an Anthropic refresh token", "sk-ant-ort01-", CharSet::Url, 80, 130),
    format("an Anthropic session key", "sk-ant-sid01-", CharSet::Url, 80, 130),
    format("an OpenRouter API key", "sk-or-v1-", CharSet::Hex, 64, 64),
    format("an OpenAI API key", "sk-", CharSet::Word, 48, 48),
    format("an API key", "sk-", CharSet::Hex, 32, 32),
    format("a Google API key", "AIza", CharSet::Url, 35, 35),
    format("a Google client secret", "GOCSPX-", CharSet::Url, 28, 28),
    format("a Google access token", "ya29.", CharSet::Url, 60, 400),
    format("a Google refresh token", SLASHED_PREFIX, CharSet::Url, 60, 200),
    format("an npm access token", "npm_", CharSet::Word, 36, 36),
    format("a PyPI token", "pypi-AgEI", CharSet::Url, 60, 250),
    format("a SendGrid API key", "SG.", CharSet::Dotted, 66, 66),
    format("a Hugging Face access token", "hf_", CharSet::Word, 34, 40),
    format("a DigitalOcean token", "dop_v1_", CharSet::Hex, 64, 64),
    format("a DigitalOcean access token", "doo_v1_", CharSet::Hex, 64, 64),
    format("a DigitalOcean refresh token", "dor_v1_", CharSet::Hex, 64, 64),
    format("a Shopify access token", "shpat_", CharSet::Hex, 32, 32),
    format("a Shopify shared secret", "shpss_", CharSet::Hex, 32, 32),
    format("a Shopify app token", "shpca_", CharSet::Hex, 32, 32),
    format("a Shopify app token", "shppa_", CharSet::Hex, 32, 32),
    format("a Square access token", "sq0atp-", CharSet::Url, 22, 22),
    format("a Square application secret", "sq0csp-", CharSet::Url, 43, 43),
    format("a Linear API key", "lin_api_", CharSet::Word, 40, 40),
    format("a Linear access token", "lin_oauth_", CharSet::Hex, 64, 64),
    format("a Databricks token", "dapi", CharSet::Hex, 32, 32),
    format("a Vault token", "hvs.", CharSet::Url, 90, 120),
    format("a Vault batch token", "hvb.", CharSet::Url, 130, 300),
    format("a Docker Hub token", "dckr_pat_", CharSet::Url, 27, 27),
    format("a Grafana service account token", "glsa_", CharSet::Url, 41, 41),
    format("a Grafana Cloud token", "glc_", CharSet::Word, 32, 400),
    format("a Groq API key", "gsk_", CharSet::Word, 52, 52),
    format("a Perplexity API key", "pplx-", CharSet::Word, 48, 48),
    format("an xAI API key", "xai-", CharSet::Word, 80, 80),
    format("an NVIDIA API key", "nvapi-", CharSet::Url, 60, 70),
    format("a Replicate API token", "r8_", CharSet::Word, 37, 37),
    format("a Notion token", "ntn_", CharSet::Word, 43, 46),
    format("a Sentry organization token", "sntrys_", CharSet::Url, 80, 400),
    format("a Sentry user token", "sntryu_", CharSet::Hex, 64, 64),
    format("a New Relic user key", "NRAK-", CharSet::Capital, 27, 27),
    format("a Postman API key", "PMAK-", CharSet::Url, 59, 59),
    format("a Figma access token", "figd_", CharSet::Url, 40, 60),
    format("a Doppler token", "dp.pt.", CharSet::Word, 40, 44),
    format("a RubyGems API key", "rubygems_", CharSet::Hex, 48, 48),
    format("an Atlassian API token", "ATATT3", CharSet::Url, 160, 240),
    format("a Brevo API key", "xkeysib-", CharSet::Url, 81, 81),
    format("an age secret key", "AGE-SECRET-KEY-1", CharSet::Capital, 58, 58),
    // https://supabase.com/docs/reference/api/introduction
    format("a Supabase access token", "sbp_", CharSet::Hex, 40, 40),
    // https://supabase.com/docs/guides/api/api-keys
    format("a Supabase secret key", "sb_secret_", CharSet::Url, 31, 31),
    // https://docs.tavily.com/documentation/quickstart
    format("a Tavily API key", "tvly-", CharSet::Url, 32, 44),
    // 14 characters, a dot, 64 hexadecimal digits: https://airtable.com/developers/web/guides/personal-access-tokens
    format("an Airtable access token", "pat", CharSet::Dotted, 79, 79),
    // https://planetscale.com/docs/api/reference/service-tokens
    format("a PlanetScale service token", "pscale_tkn_", CharSet::Dotted, 32, 64),
    format("a PlanetScale password", "pscale_pw_", CharSet::Dotted, 32, 64),
    format("a PlanetScale OAuth token", "pscale_oauth_", CharSet::Dotted, 32, 64),
    // https://fly.io/docs/security/tokens/
    format("a Fly.io access token", "fm2_", CharSet::Base64, 60, 4096),
    format("a Fly.io access token", "fm1r_", CharSet::Base64, 60, 4096),
    format("a Fly.io access token", "fm1a_", CharSet::Base64, 60, 4096),
    format("a Fly.io access token", "fo1_", CharSet::Url, 43, 43),
    // https://www.pulumi.com/docs/pulumi-cloud/access-management/access-tokens/
    format("a Pulumi access token", "pul-", CharSet::Hex, 40, 40),
    // https://github.com/rust-lang/crates.io/blob/main/crates/crates_io_database/src/utils/token.rs
    format("a crates.io API token", "cio", CharSet::Word, 32, 32),
    // 24 and 146 hexadecimal digits: https://developers.cloudflare.com/fundamentals/api/get-started/ca-keys/
    format("a Cloudflare origin CA key", "v1.0-", CharSet::Url, 171, 171),
];

impl SecretFormat {
    /// Whether the prefix alone names an issuer: it is no beginning of ordinary words or version numbers.
    pub fn has_telling_prefix(&self) -> bool {
        let prefix = self.prefix.as_bytes();
        let has_two_letters = prefix.windows(2).any(|two| two.iter().all(u8::is_ascii_alphabetic));
        has_two_letters && (prefix.len() >= 4 || !prefix.iter().all(u8::is_ascii_alphabetic))
    }
}

/// The length of the shortest secret of a format.
pub(super) const SHORTEST: usize = {
    let mut shortest = usize::MAX;
    let mut at = 0;
    while at < FORMATS.len() {
        let length = FORMATS[at].prefix.len() + FORMATS[at].min;
        if length < shortest {
            shortest = length;
        }
        at += 1;
    }
    shortest
};

/// Number of bytes of a prefix that [`may_have_prefix`] looks at: those of the shortest.
const PREFIX_START: usize = 3;

/// For each of the first places of a prefix, the bytes that occur there.
static PREFIX_BYTES: [[bool; 256]; PREFIX_START] = {
    let mut bytes = [[false; 256]; PREFIX_START];
    let mut at = 0;
    while at < FORMATS.len() {
        let prefix = FORMATS[at].prefix.as_bytes();
        assert!(prefix.len() >= PREFIX_START, "a shorter prefix");
        let mut place = 0;
        while place < PREFIX_START {
            bytes[place][prefix[place] as usize] = true;
            place += 1;
        }
        at += 1;
    }
    bytes
};

/// Whether a word may start with a prefix. Most do not, and need not be compared with all of them.
pub(super) fn may_have_prefix(word: &[u8]) -> bool {
    word.len() >= PREFIX_START && PREFIX_BYTES.iter().zip(word).all(|(bytes, byte)| bytes[usize::from(*byte)])
}

/// The only prefix with bytes that do not occur in the rest of a secret.
pub(super) const SLASHED_PREFIX: &str = "1//0";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_of_the_characters_of_secrets() {
        for format in &FORMATS {
            let is_word = format.prefix.bytes().all(|byte| CharSet::Dotted.has(byte));
            assert!(is_word || format.prefix == SLASHED_PREFIX, "{}", format.prefix);
        }
    }
}
