//! The team's own schemas.

mod schema_unbound;
rule_table! {
    schema_invalid,
    team_schema_violation,
}
