//! The team's own schemas.

rule_table! {
    schema_invalid,
    schema_unbound,
    team_schema_violation,
}
