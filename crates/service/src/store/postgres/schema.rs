//! The form of a store in a database, and the databases that have something else.

use super::connection::{Connection, Database, Fault};
use crate::secrets::{Digest, random_bytes};
use crate::store::encoding;
use crate::store::folder::OpenError;

/// The number of the present form of tables and bytes. It rises when either changes.
const FORM: i32 = 1;

/// The script that makes the tables and functions in an empty database.
const TABLES: &str = include_str!("schema.sql");

/// Makes the tables in an empty database. Refuses a database with another form, or with something else in it.
pub(super) fn ensure(connection: &Connection, database: &Database) -> Result<(), OpenError> {
    let unusable = |fault: Fault| OpenError::Failed(format!("the database {database} cannot be used: {fault}"));
    // Two servers may make the tables at the same time.
    match found(connection).map_err(unusable)? {
        Found::Nothing => make(connection).or_else(|fault| match found(connection)? {
            Found::Form(_) => Ok(()),
            _ => Err(fault),
        }),
        _ => Ok(()),
    }
    .map_err(unusable)?;
    present(connection, database)
}

/// Refuses a database without our tables, with another form of them, or with something else in it.
pub(super) fn present(connection: &Connection, database: &Database) -> Result<(), OpenError> {
    let unusable = |fault: Fault| OpenError::Failed(format!("the database {database} cannot be used: {fault}"));
    let refuse = |reason: String| Err(OpenError::Failed(reason));
    match found(connection).map_err(unusable)? {
        Found::Form(FORM) => Ok(()),
        Found::Form(form) => {
            let release = if form < FORM { "an earlier" } else { "a later" };
            refuse(format!(
                "expected a store of form {FORM}, got form {form}, made by {release} release of ahu: {database}"
            ))
        }
        Found::Others(count, name) => refuse(format!(
            "expected an empty database or a store of ahu in {database}, got {count} tables of something else, such as {name}"
        )),
        Found::Nothing => refuse(format!("expected the tables of ahu in {database}, got none")),
    }
}

/// The content of a database.
enum Found {
    Nothing,
    Form(i32),
    /// The number of tables of something else, and the name of one.
    Others(i64, String),
}

fn found(connection: &Connection) -> Result<Found, Fault> {
    let has =
        connection.one("SELECT to_regclass('ahu.meta') IS NOT NULL AND to_regclass('ahu.match') IS NOT NULL", &[])?;
    if has.get(0) {
        let form = connection.row("SELECT form FROM ahu.meta", &[])?;
        return Ok(Found::Form(form.map_or(0, |row| row.get(0))));
    }
    let select = "SELECT count(*), coalesce(min(format('%s.%s', schemaname, tablename)), '') FROM pg_tables \
                  WHERE schemaname NOT IN ('pg_catalog', 'information_schema')";
    let row = connection.one(select, &[])?;
    Ok(match row.get(0) {
        0 => Found::Nothing,
        count => Found::Others(count, row.get(1)),
    })
}

fn make(connection: &Connection) -> Result<(), Fault> {
    let key: Digest = random_bytes();
    let sealed = ahu_core::hex(&encoding::write_token_key(&key));
    // The statements of one call are one transaction.
    connection.batch(&format!(
        "{TABLES} INSERT INTO ahu.meta (form, token_key, time_ms, bytes) VALUES ({FORM}, '\\x{sealed}', 0, 0); \
         INSERT INTO ahu.accounts (changes) VALUES (0); SELECT ahu.wait_1();"
    ))
}
