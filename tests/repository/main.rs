//! The repository: the layers of the code, its prose, its glossary, and the files around it.

mod files;
mod glossary;
mod layers;
mod tidy;
