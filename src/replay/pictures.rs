//! Pictures of a record: a file for each ply or turn, or an animation.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ahu_core::Viewer;
use ahu_host::raster::{Raster, WIDTHS, gif};
use ahu_host::record::Record;
use ahu_host::{PictureLayout, Referee, Replay, Scene};

use crate::arguments::units::time;
use crate::files::output::{Replacing, is_standard};
use crate::{CliError, Done};

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Step {
    /// Each ply that changes what the viewer sees
    Ply,
    /// The beginning of each turn, and the end
    Turn,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Pictures")]
pub(super) struct Pictures {
    /// Write pictures into this folder, as SVG files with the numbers of their plies: the public view, or that of --as
    #[arg(long, value_name = "DIR", conflicts_with_all = ["verify", "json", "all"])]
    svg: Option<PathBuf>,
    /// Write pictures into this folder, as PNG files
    #[arg(long, value_name = "DIR", conflicts_with_all = ["verify", "json", "all"])]
    png: Option<PathBuf>,
    /// Write a moving picture into this file; `-` is stdout
    #[arg(long, value_name = "FILE", conflicts_with_all = ["verify", "json", "all"])]
    gif: Option<PathBuf>,
    /// The moments that have a picture: by default each ply, and each turn in a moving picture
    #[arg(long, value_enum)]
    step: Option<Step>,
    /// The shape of pictures: `wide` for screens, `phone` for narrow ones
    #[arg(long, value_name = "LAYOUT", default_value_t)]
    layout: PictureLayout,
    /// The width of PNG files and moving pictures in pixels, 100 to 1600
    #[arg(long, value_name = "PIXELS", default_value_t = 800, value_parser = clap::value_parser!(u32).range(i64::from(*WIDTHS.start())..=i64::from(*WIDTHS.end())))]
    width: u32,
    /// The time for which a moving picture shows each picture, 0.1 to 60 seconds
    #[arg(long, value_name = "TIME", default_value = "1", value_parser = time("100ms", "60s"))]
    delay: Duration,
    #[command(flatten)]
    replacing: Replacing,
}

/// The ply of a picture, and its SVG.
type Picture = (u32, String);

impl Pictures {
    pub(super) fn are_asked(&self) -> bool {
        self.svg.is_some() || self.png.is_some() || self.gif.is_some()
    }

    /// Writes pictures of the table as `viewer` saw it, and prints where they are.
    pub(super) fn write(&self, record: &Record, viewer: Viewer, out: &mut impl Write) -> Done {
        let pictures = |usual| pictures(record, viewer, self.step.unwrap_or(usual), self.layout);
        if let Some(folder) = &self.svg {
            self.write_files(folder, "svg", pictures(Step::Ply)?, String::into_bytes, out)?;
        }
        if let Some(folder) = &self.png {
            self.write_files(folder, "png", pictures(Step::Ply)?, |svg| self.raster(&svg).png(), out)?;
        }
        if let Some(file) = &self.gif {
            let frames: Vec<Raster> = pictures(Step::Turn)?.iter().map(|(_, svg)| self.raster(svg)).collect();
            let hundredths = u16::try_from(self.delay.as_millis() / 10).expect("at most a minute");
            self.replacing.write(file, gif(&frames, hundredths))?;
            if !is_standard(file) {
                writeln!(out, "{}: {} pictures", file.display(), frames.len())?;
            }
        }
        Ok(())
    }

    fn raster(&self, svg: &str) -> Raster {
        Raster::of(svg, self.width).expect("the pictures of games are SVG, and the width was checked")
    }

    /// Writes a file for each picture into a folder, which is created if it does not exist.
    fn write_files(
        &self,
        folder: &Path,
        extension: &str,
        pictures: Vec<Picture>,
        draw: impl Fn(String) -> Vec<u8>,
        out: &mut impl Write,
    ) -> Done {
        fs::create_dir_all(folder).map_err(CliError::cannot("create", folder))?;
        let count = pictures.len();
        for (ply, svg) in pictures {
            self.replacing.write(&folder.join(format!("{ply:04}.{extension}")), draw(svg))?;
        }
        Ok(writeln!(out, "{}: {count} pictures", folder.display())?)
    }
}

/// Returns a picture of the table at the beginning, and one after each step that changed the table.
fn pictures(record: &Record, viewer: Viewer, step: Step, layout: PictureLayout) -> Result<Vec<Picture>, CliError> {
    let mut replay = Replay::new(record);
    let names = replay.referee().names();
    let mut last = replay.referee().view(viewer);
    let mut pictures = vec![(0, last.svg(None, Scene { layout, names: &names, ..Scene::default() }))];
    let mut add = |ply, referee: &Referee| {
        let view = referee.view(viewer);
        if view.text() != last.text() {
            let scene = Scene { layout, names: &names, news: &referee.news(viewer), ..Scene::default() };
            pictures.push((ply, view.svg(Some(&*last), scene)));
            last = view;
        }
    };
    while let Some(next) = replay.step() {
        let next = next.map_err(CliError::failed)?;
        let mut told = next.events.iter().filter_map(|event| event.told_to(viewer));
        if step == Step::Ply || told.any(|event| event.begins_turn) {
            let ply = next.ply;
            add(ply, replay.referee());
        }
    }
    add(replay.referee().plies(), replay.referee());
    Ok(pictures)
}
