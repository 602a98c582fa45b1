//! Owners: the file `owners.yaml`, and the roles that plans name.

rule_table! {
    owners_schema,
    owner_unknown,
}
