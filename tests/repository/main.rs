//! The repository: the layers of the code, its prose, and the files around it.

mod files;
mod layers;
mod tidy;
