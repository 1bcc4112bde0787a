//! The host: catalog, referee, records, environments.

mod catalog;
mod environments;
mod playthroughs;
mod records;
mod referee;
