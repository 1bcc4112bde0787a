//! The file of a net: a header in lines of text, the weights, and the SHA-256 of both.
//!
//! ```text
//! ahu net 1
//! game rapanui_cards
//! rules 1
//! actions 83
//! layout 5f0c…            the hash of the layout for which the net was made
//! provenance a text of one line
//! adviser greedy@2        a bot whose choice the net is told, if there is one
//! field options bits …    a line for each field of that layout, as the hash covers them
//! decoded villagers       each binary field that is read as one input for each value, in the order of the layout
//! thresholds points 0 5   each field of numbers that is read, with the thresholds of its thermometer, in the order of the layout
//! hidden 128 32           the number of units of each hidden layer, 1 to 3 layers
//! value true              true if there is a head for the value
//! ```
//!
//! An empty line ends the header. The weights follow, little-endian:
//!
//! | part | weights, 8 bits signed | bias, 32 bits signed | multiplier, 32 bits unsigned |
//! |---|---|---|---|
//! | first layer | `[inputs][units]` | `[units]` | `[units]` |
//! | each further hidden layer | `[units][units before]` | `[units]` | `[units]` |
//! | policy | `[actions][units]` | `[actions]` | `[actions]` |
//! | adviser, if there is one | `[units]` | 1 | 1 |
//! | value, if there is one | `[units]` | 1 | 1 |
//!
//! The inputs go field by field in the order of the layout: the bits of a field; for a decoded field, of each of its numbers
//! one for each value from 0; for numbers, of each number one for each threshold. With an adviser, one for each action
//! follows: the input of the action that the adviser chooses is 1. The file ends with 32 bytes: the SHA-256 of all before.
//!
//! A later layout finds its fields by their names. A field that the present layout does not have, or has in another form, is
//! refused.

use ahu_core::parse::number;
use ahu_core::{Field, FieldKind, NUMBER_BLOCK, hex};
use sha2::{Digest as _, Sha256};

use super::inputs::Reads;
use crate::visible_text::check_line;
use crate::{AnyRules, BotName, ensure, find};

/// The first line of a file.
pub(super) const TITLE: &str = "ahu net 1";
/// The maximum size of a file, in bytes: the largest net of the research has a tenth of it.
pub const MAX_NET_FILE: usize = 16 * 1024 * 1024;
/// The maximum size of a header, in bytes: the tables of our layouts have a thirtieth of it.
const MAX_HEADER: usize = 256 * 1024;
/// The maximum number of inputs, so that their sum fits.
const MAX_INPUTS: usize = 65_536;
/// The maximum number of hidden layers.
const MAX_LAYERS: usize = 3;
/// The maximum number of units of a layer, so that their sum fits.
const MAX_UNITS: usize = 1024;
/// The maximum number of thresholds of a number, so that the sum of their rows fits into 16 bits.
const MAX_THRESHOLDS: usize = 255;
/// The maximum length of a provenance, in bytes.
const MAX_PROVENANCE: usize = 1024;
/// The bound of a bias: with every sum of weights it fits into 32 bits.
const MAX_BIAS: i32 = 1 << 30;
/// The length of the digest, in bytes.
const DIGEST: usize = 32;

/// The header of a file, and its digest.
#[derive(Clone, Debug)]
pub struct NetHead {
    /// The rules of its game.
    pub rules: &'static dyn AnyRules,
    /// The hash of the layout for which it was made.
    pub layout: [u8; 32],
    /// The text of one line that its maker wrote.
    pub provenance: String,
    /// The bot whose choice the net is told; None if the net is told none.
    pub adviser: Option<BotName>,
    /// The number of inputs, those of the advice among them.
    pub inputs: usize,
    /// The number of units of each hidden layer.
    pub hidden: Vec<usize>,
    /// The SHA-256 of the file.
    pub digest: [u8; DIGEST],
}

/// The content of a file, checked.
#[derive(Debug)]
pub(super) struct NetFile<'a> {
    pub(super) head: NetHead,
    /// The fields that the net reads, in the order of its inputs.
    pub(super) reads: Vec<Reads>,
    pub(super) layers: Vec<Dense<'a>>,
    pub(super) policy: Dense<'a>,
    /// The head for the trust in the adviser, which there is if there is an adviser.
    pub(super) trust: Option<Dense<'a>>,
    pub(super) value: Option<Dense<'a>>,
}

/// The weights of a layer.
#[derive(Debug)]
pub(super) struct Dense<'a> {
    /// The weights: `[inputs][units]` of the first layer, `[units][inputs]` of every other.
    pub(super) weights: &'a [u8],
    pub(super) inputs: usize,
    pub(super) bias: Vec<i32>,
    pub(super) multipliers: Vec<u32>,
}

impl<'a> NetFile<'a> {
    /// Reads a file. Nothing is allocated that is larger than the file.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, String> {
        ensure(bytes.len() <= MAX_NET_FILE, || {
            format!("expected a net of at most {MAX_NET_FILE} bytes, got {}", bytes.len())
        })?;
        let begins = bytes.strip_prefix(TITLE.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'\n'));
        ensure(begins, || format!("expected a net that begins with \"{TITLE}\", got another file"))?;
        let mut lines = Lines::new(bytes)?;
        let game = lines.text("game")?;
        let rules = find(game).map_err(|error| error.to_string())?;
        let game = rules.info().id;
        for (what, ours) in [("rules", rules.info().rules as usize), ("actions", rules.action_count())] {
            let theirs = lines.number(what)?;
            ensure(theirs == ours, || {
                format!("expected a net for {what} {ours} of {game}, got one for {what} {theirs}")
            })?;
        }
        let layout = lines.text("layout")?.to_owned();
        let provenance = lines.text("provenance")?.to_owned();
        let is_line = provenance.len() <= MAX_PROVENANCE && check_line("a provenance", &provenance).is_ok();
        ensure(is_line, || lines.fault(&format!("expected visible text of 1 to {MAX_PROVENANCE} bytes")))?;
        let adviser = lines.adviser(rules)?;
        let (mut reads, layout) = lines.fields(rules, &layout)?;
        lines.decoded(&mut reads)?;
        lines.thresholds(&mut reads)?;
        reads.retain(|read| read.inputs() > 0);
        let advice = if adviser.is_some() { rules.action_count() } else { 0 };
        let inputs = reads.iter().map(Reads::inputs).sum::<usize>() + advice;
        ensure((1..=MAX_INPUTS).contains(&inputs), || {
            lines.fault(&format!("expected 1 to {MAX_INPUTS} inputs, got {inputs}"))
        })?;
        let hidden = lines.hidden()?;
        let has_value = lines.flag("value")?;
        lines.end()?;

        let mut shapes = vec![];
        let mut before = inputs;
        for &units in &hidden {
            shapes.push((before, units));
            before = units;
        }
        shapes.push((before, rules.action_count()));
        shapes.extend(adviser.map(|_| (before, 1)));
        shapes.extend(has_value.then_some((before, 1)));
        // At most 65,536 times 1,024 weights in each of six parts: no overflow.
        let weights: usize = shapes.iter().map(|&(inputs, units)| units * (inputs + 8)).sum();
        let expected = lines.used + weights + DIGEST;
        ensure(bytes.len() == expected, || {
            format!("expected a net of {expected} bytes, as its header says, got {}", bytes.len())
        })?;
        let (content, digest) = bytes.split_at(expected - DIGEST);
        let computed: [u8; DIGEST] = Sha256::digest(content).into();
        ensure(digest == computed, || "the net was altered: its digest does not match its content".to_owned())?;

        let mut rest = &content[lines.used..];
        let mut parts = shapes
            .iter()
            .map(|&(inputs, units)| Dense::take(&mut rest, inputs, units))
            .collect::<Result<Vec<_>, _>>()?;
        let value = has_value.then(|| parts.pop().expect("a part for each shape"));
        let trust = adviser.map(|_| parts.pop().expect("a part for each shape"));
        let policy = parts.pop().expect("a part for each shape");
        let head = NetHead { rules, layout, provenance, adviser, inputs, hidden, digest: computed };
        Ok(Self { head, reads, layers: parts, policy, trust, value })
    }
}

impl<'a> Dense<'a> {
    /// Takes the weights of a layer from the front of the bytes, which have enough.
    fn take(rest: &mut &'a [u8], inputs: usize, units: usize) -> Result<Self, String> {
        let mut front = |count: usize| {
            let (taken, others) = rest.split_at(count);
            *rest = others;
            taken
        };
        let weights = front(inputs * units);
        let fours = |bytes: &'a [u8]| bytes.as_chunks::<4>().0.iter().copied();
        let bias: Vec<i32> = fours(front(4 * units)).map(i32::from_le_bytes).collect();
        let multipliers = fours(front(4 * units)).map(u32::from_le_bytes).collect();
        if let Some(&wrong) = bias.iter().find(|&&bias| !(-MAX_BIAS..=MAX_BIAS).contains(&bias)) {
            return Err(format!("expected a bias from -2^30 to 2^30, got {wrong}"));
        }
        Ok(Self { weights, inputs, bias, multipliers })
    }
}

/// Returns the text of a fault in a line of the header.
fn fault(line: usize, reason: &str) -> String {
    format!("line {line} of the header: {reason}")
}

/// The lines of a header, taken one after the other.
struct Lines<'a> {
    rest: &'a str,
    /// The number of the last line that was taken, from 1.
    line: usize,
    /// The bytes of the file up to the rest.
    used: usize,
}

impl<'a> Lines<'a> {
    /// Begins after the first line. The header ends within its maximum size.
    fn new(bytes: &'a [u8]) -> Result<Self, String> {
        let most = &bytes[..bytes.len().min(MAX_HEADER)];
        let end = most.windows(2).position(|pair| pair == b"\n\n").map(|at| at + 2);
        let without_end = || fault(1, &format!("expected an empty line within {MAX_HEADER} bytes, got none"));
        let header = &bytes[..end.ok_or_else(without_end)?];
        let header = str::from_utf8(header).map_err(|error| fault(1, &error.to_string()))?;
        let used = TITLE.len() + 1;
        Ok(Self { rest: &header[used..], line: 1, used })
    }

    fn fault(&self, reason: &str) -> String {
        fault(self.line, reason)
    }

    /// Takes the next line if it begins with this word, and returns the rest of the line.
    fn next_if(&mut self, key: &str) -> Option<&'a str> {
        let (line, rest) = self.rest.split_once('\n')?;
        let value = line.strip_prefix(key)?.strip_prefix(' ')?;
        self.used += line.len() + 1;
        self.line += 1;
        self.rest = rest;
        Some(value)
    }

    fn text(&mut self, key: &str) -> Result<&'a str, String> {
        self.next_if(key).ok_or_else(|| {
            let got = self.rest.lines().next().unwrap_or_default();
            let got: String = got.chars().take(40).collect();
            fault(self.line + 1, &format!("expected \"{key}\" and a value, got {got:?}"))
        })
    }

    fn number(&mut self, key: &str) -> Result<usize, String> {
        let text = self.text(key)?;
        number(text).ok_or_else(|| self.fault(&format!("expected a whole number, got {text:?}")))
    }

    fn flag(&mut self, key: &str) -> Result<bool, String> {
        let text = self.text(key)?;
        text.parse().map_err(|_| self.fault(&format!("expected true or false, got {text:?}")))
    }

    /// Takes the name of the adviser, if there is one: a quick bot of the game with its version, and no net.
    fn adviser(&mut self, rules: &dyn AnyRules) -> Result<Option<BotName>, String> {
        let Some(name) = self.next_if("adviser") else { return Ok(None) };
        let found = rules.bot(name).ok().filter(|bot| bot.is_quick() && !bot.is_net() && bot.name() == name);
        let fault = || self.fault(&format!("expected a quick bot with its version, such as greedy@2, got {name:?}"));
        found.map(Some).ok_or_else(fault)
    }

    /// Takes the table of fields, and finds each of them in the present layout.
    fn fields(&mut self, rules: &dyn AnyRules, hash: &str) -> Result<(Vec<Reads>, [u8; 32]), String> {
        let present = rules.layout();
        let (mut table, mut reads) = (Sha256::new(), Vec::<Reads>::new());
        // The places in the two blocks of the layout for which the net was made.
        let mut offsets = [0, 0];
        while let Some(line) = self.next_if("field") {
            table.update(line);
            table.update("\n");
            let name = line.split(' ').next().unwrap_or_default();
            let found = present.fields().find(|(_, _, field)| field.name == name).filter(|&(block, _, field)| {
                let is_new = reads.iter().all(|read| read.field.name != name);
                is_new && field.line(block, offsets[usize::from(block == NUMBER_BLOCK)]) == line
            });
            let Some((block, offset, field)) = found else {
                let game = rules.info().id;
                return Err(format!(
                    "expected a net for the layout of {game}, got one that reads the field \"{name}\" as: {line}"
                ));
            };
            offsets[usize::from(block == NUMBER_BLOCK)] += field.size();
            reads.push(Reads::new(*field, offset));
        }
        let layout: [u8; 32] = table.finalize().into();
        ensure(hex(&layout) == hash, || {
            self.fault(&format!("expected fields with the hash {hash}, got other fields"))
        })?;
        Ok((reads, layout))
    }

    /// Takes the names of decoded fields.
    fn decoded(&mut self, reads: &mut [Reads]) -> Result<(), String> {
        let mut later = reads.iter_mut();
        while let Some(name) = self.next_if("decoded") {
            let found = later.find(|read| read.field.name == name && read.field.kind == FieldKind::Binary);
            let fault = || self.fault(&format!("expected a binary field in the order of the layout, got {name:?}"));
            found.ok_or_else(fault)?.is_decoded = true;
        }
        Ok(())
    }

    /// Takes the thresholds of numbers.
    fn thresholds(&mut self, reads: &mut [Reads]) -> Result<(), String> {
        let mut later = reads.iter_mut();
        while let Some(line) = self.next_if("thresholds") {
            let mut words = line.split(' ');
            let name = words.next().unwrap_or_default();
            let found = later.find(|read| read.field.name == name && read.field.kind == FieldKind::Numbers);
            let fault = || self.fault(&format!("expected a field of numbers in the order of the layout, got {name:?}"));
            let read = found.ok_or_else(fault)?;
            let thresholds: Option<Vec<i16>> = words.map(number).collect();
            let range = read.field.min..read.field.max;
            let fits = |given: &Vec<i16>| {
                (1..=MAX_THRESHOLDS).contains(&given.len())
                    && given.is_sorted_by(|one, next| one < next)
                    && given.iter().all(|threshold| range.contains(threshold))
            };
            read.thresholds = thresholds.filter(fits).ok_or_else(|| {
                let Field { min, max, .. } = read.field;
                self.fault(&format!(
                    "expected 1 to {MAX_THRESHOLDS} thresholds of \"{name}\" that rise, from {min} to {}",
                    i32::from(max) - 1
                ))
            })?;
        }
        Ok(())
    }

    fn hidden(&mut self) -> Result<Vec<usize>, String> {
        let text = self.text("hidden")?;
        let hidden: Option<Vec<usize>> = text.split(' ').map(number).collect();
        let fits = |hidden: &Vec<usize>| {
            hidden.len() <= MAX_LAYERS && hidden.iter().all(|units| (1..=MAX_UNITS).contains(units))
        };
        hidden.filter(fits).ok_or_else(|| {
            self.fault(&format!("expected 1 to {MAX_LAYERS} layers of 1 to {MAX_UNITS} units, got {text:?}"))
        })
    }

    /// Takes the empty line at the end.
    fn end(&mut self) -> Result<(), String> {
        ensure(self.rest == "\n", || {
            let got: String = self.rest.lines().next().unwrap_or_default().chars().take(40).collect();
            fault(self.line + 1, &format!("expected the end of the header, got {got:?}"))
        })?;
        self.used += 1;
        Ok(())
    }
}
