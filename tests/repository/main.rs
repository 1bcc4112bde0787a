//! The repository: the crates and the layers of the code, its prose, its glossary, and the files around it.

mod crates;
mod files;
mod glossary;
mod layers;
mod sources;
mod tidy;
