//! `ahu benchmark table`: prints a table of several reports, from their JSON alone.

use std::io::Write;
use std::path::{Path, PathBuf};

use ahu_contest::suite::{Report, formats};

use super::folder;
use crate::files::text;
use crate::runs::Folder;
use crate::{CliError, Done};

/// Print a table with a row for each report, made from the JSON alone
#[derive(Debug, clap::Args)]
pub(crate) struct Table {
    /// The folders of the reports, or their JSON files
    #[arg(value_name = "DIR", required = true)]
    reports: Vec<PathBuf>,
    /// The form: Markdown, or LaTeX with the package booktabs
    #[arg(long, value_name = "FORMAT", default_value = "markdown")]
    format: Format,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Format {
    Markdown,
    Latex,
}

impl Table {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let reports = self.reports.iter().map(|path| report(path)).collect::<Result<Vec<_>, _>>()?;
        let text = match self.format {
            Format::Markdown => formats::markdown_of(&reports),
            Format::Latex => formats::latex_of(&reports),
        };
        write!(out, "{text}")?;
        Ok(())
    }
}

/// Reads a report from its folder or its JSON file.
fn report(path: &Path) -> Result<Report, CliError> {
    if path.is_dir() {
        return folder::report(&Folder(path.to_owned()));
    }
    Report::read(&text(path)?).map_err(|message| CliError::Failed(format!("{}: {message}", path.display())))
}
