//! The result of a duel as a table for people.

use std::io::Write;
use std::time::Duration;

use ahu_contest::blocks::{BlockShard, Measure, PlayerRow, Table};
use ahu_core::parts::lines::counted;
use serde_json::json;

use super::claims::Host;
use super::json;
use super::matchup::Matchup;
use crate::terminal::progress::duration;
use crate::{CliError, Done, print_json};

pub(super) struct Report<'a> {
    pub(super) matchup: &'a Matchup,
    pub(super) table: Table,
    pub(super) host: Host,
}

impl Report<'_> {
    pub(super) fn games_per_minute(&self) -> f64 {
        self.table.games as f64 * 60.0 / self.host.seconds
    }

    /// Returns the forfeits of each agent that has any, such as "3 of new (2 exited, 1 timeout)".
    pub(super) fn forfeits(&self) -> Vec<String> {
        let of = |(name, player): (&&str, &PlayerRow)| {
            let count: u64 = player.forfeits.values().sum();
            let causes = player.forfeits.iter().map(|(cause, count)| format!("{count} {}", cause.name()));
            (count > 0).then(|| format!("{count} of {name} ({})", causes.collect::<Vec<_>>().join(", ")))
        };
        self.matchup.names().iter().zip(&self.table.players).filter_map(of).collect()
    }

    /// Returns an error if `strict`, and an agent forfeited.
    pub(super) fn check_forfeits(&self, strict: bool) -> Done {
        match self.forfeits() {
            forfeits if strict && !forfeits.is_empty() => {
                Err(CliError::No(format!("--strict: expected no forfeit, got {}", forfeits.join(", "))))
            }
            _ => Ok(()),
        }
    }

    /// Prints the results as JSON, or as a table.
    pub(super) fn print(&self, json: bool, out: &mut impl Write) -> Done {
        match json {
            true => print_json("duel", json::value(self), out),
            false => self.show(out),
        }
    }

    /// Prints how much of a duel of `all` blocks one shard has played. The few blocks of a shard have no table.
    pub(super) fn print_shard(&self, shard: BlockShard, all: u64, json: bool, out: &mut impl Write) -> Done {
        let Table { blocks, games, .. } = &self.table;
        if json {
            let value = json!({
                "shard": shard.to_string(), "blocks": blocks, "games": games, "all_blocks": all, "seconds": self.host.seconds,
            });
            return print_json("duel-shard", value, out);
        }
        let elapsed = duration(Duration::from_secs_f64(self.host.seconds));
        writeln!(out, "shard {shard}: {blocks} of {all} blocks, {games} games in {elapsed}")?;
        writeln!(out, "`ahu duel merge` makes the table from the folders of all shards")?;
        Ok(())
    }

    fn show(&self, out: &mut impl Write) -> Done {
        let Table { blocks, games, decisions, .. } = &self.table;
        let (elapsed, speed) = (duration(Duration::from_secs_f64(self.host.seconds)), self.games_per_minute());
        writeln!(
            out,
            "{}, {} of {decisions:.1} decisions in {elapsed} ({speed:.0} games a minute)",
            counted(blocks, "block"),
            counted(games, "game")
        )?;
        if let Some(salt) = self.matchup.salt {
            writeln!(out, "seed {}, salt {}", self.matchup.seed, salt.to_hex())?;
        }
        writeln!(out, "means with 95 % intervals over blocks\n")?;
        self.show_players(&self.table, out)?;
        if self.table.players.len() > 2 {
            self.show_pairs(out)?;
        }
        self.show_elo(out)?;
        write!(out, "\n  wins by seat")?;
        for wins in &self.table.seats {
            write!(out, "  {wins}")?;
        }
        writeln!(out)?;
        self.show_variance(out)?;
        if let forfeits @ [_, ..] = self.forfeits().as_slice() {
            writeln!(out, "  forfeits: {}", forfeits.join(", "))?;
        }
        if let Some(without) = &self.table.without_flagged {
            let flagged = self.table.flagged_games;
            writeln!(out, "\nwithout flagged results, those of others in {flagged} games with a forfeit:\n")?;
            self.show_players(without, out)?;
        }
        writeln!(out)?;
        for sentence in self.table.verdict(&self.matchup.names()) {
            writeln!(out, "{sentence}")?;
        }
        Ok(())
    }

    fn show_players(&self, table: &Table, out: &mut impl Write) -> Done {
        let names = self.matchup.names();
        let width = names.iter().map(|name| name.len()).max().unwrap_or(0).max("agent".len());
        let fair = format!("wins (even {:.3})", 1.0 / self.matchup.setup.seats().count() as f64);
        writeln!(
            out,
            "  {:<width$}  {fair:<20}  {:<20}  {:<24}  {:<24}  {:>9}  {:>9}",
            "agent", "pairs (even 0.500)", "points", "margin", "ms p50", "ms p99"
        )?;
        for (name, player) in names.iter().zip(&table.players) {
            let PlayerRow { wins, pairs, score, margin, times, .. } = player;
            let time = |share| times.quantile(share).map_or_else(|| "-".to_owned(), milliseconds);
            let [wins, pairs] = [wins, pairs].map(|measure| shown(measure, 3));
            let [score, margin] = [score, margin].map(|measure| shown(measure, 2));
            writeln!(
                out,
                "  {name:<width$}  {wins:<20}  {pairs:<20}  {score:<24}  {margin:<24}  {:>9}  {:>9}",
                time(0.5),
                time(0.99)
            )?;
        }
        Ok(())
    }

    fn show_pairs(&self, out: &mut impl Write) -> Done {
        let names = self.matchup.names();
        writeln!(out, "\n  share of pairs won by the row against the column")?;
        let width = names.iter().map(|name| name.len()).max().unwrap_or(0);
        write!(out, "  {:<width$}", "")?;
        for name in &names {
            write!(out, "  {name:<20}")?;
        }
        writeln!(out)?;
        for (name, row) in names.iter().zip(&self.table.pairs) {
            write!(out, "  {name:<width$}")?;
            for share in row {
                match share {
                    Some(share) => write!(out, "  {share:<20}")?,
                    None => write!(out, "  {:<20}", "-")?,
                }
            }
            writeln!(out)?;
        }
        Ok(())
    }

    /// Prints the Elo differences that fit the shares of pairs; of two agents, only that of the first.
    fn show_elo(&self, out: &mut impl Write) -> Done {
        let of = |(name, player): (&&str, &PlayerRow)| {
            let elo = player.pairs.estimate.elo();
            format!("{name} {:+.0} ({:+.0} to {:+.0})", elo.mean, elo.low, elo.high)
        };
        let players = &self.table.players;
        let shown = if players.len() == 2 { 1 } else { players.len() };
        let elo: Vec<_> = self.matchup.names().iter().zip(players).take(shown).map(of).collect();
        write!(out, "\n  Elo against the others: {}", elo.join(", "))?;
        if let Some(counts) = self.table.pentanomial {
            let counts = counts.map(|count| count.to_string()).join(" ");
            write!(out, "\n  blocks in which {} won 0, ½, 1, 1½, 2 games: {counts}", self.matchup.names()[0])?;
        }
        Ok(())
    }

    fn show_variance(&self, out: &mut impl Write) -> Done {
        let of =
            |(name, player): (&&str, &PlayerRow)| player.pairs.variance_ratio.map(|ratio| format!("{name} {ratio:.2}"));
        let ratios: Vec<_> = self.matchup.names().iter().zip(&self.table.players).filter_map(of).collect();
        if !ratios.is_empty() {
            writeln!(out, "  variance of block means against unpaired games (pairs): {}", ratios.join(", "))?;
        }
        Ok(())
    }
}

/// Formats an estimate with this number of decimal places; a dash if no block has the figure.
fn shown(measure: &Measure, places: usize) -> String {
    let estimate = measure.estimate;
    if estimate.samples == 0 { "-".to_owned() } else { format!("{estimate:.places$}") }
}

/// Formats nanoseconds as milliseconds. The clocks of matches count whole milliseconds, so 0 means less than one.
fn milliseconds(nanos: u64) -> String {
    let ms = nanos as f64 / 1e6;
    match ms {
        0.0 => "<1".to_owned(),
        ..0.1 => format!("{ms:.4}"),
        ..10.0 => format!("{ms:.2}"),
        _ => format!("{ms:.0}"),
    }
}
