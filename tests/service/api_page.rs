//! `docs/api.md`, which is generated from the protos and their comments. `AHU_BLESS=1 cargo test api_page` writes it.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use ahu::proto::DESCRIPTORS;
use prost::Message;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet};

const HEAD: &str = "# The API

A test generates this page from the protos: to change it, change [`proto/`](../proto) and run `AHU_BLESS=1 cargo test api_page`.
[agents.md](agents.md) shows how to play over this API.
";

/// A proto file, and its comments by the path of the element that they describe.
struct Page<'a> {
    file: &'a FileDescriptorProto,
    comments: HashMap<Vec<i32>, String>,
    text: String,
}

impl Page<'_> {
    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("a string takes every text");
    }

    /// Returns the comment of an element as one line, which may be a cell of a table.
    fn comment(&self, path: &[i32]) -> String {
        let comment = self.comments.get(path).map_or("", String::as_str);
        comment.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|").replace('<', "\\<")
    }

    fn whole(mut self) -> String {
        let (package, about) = (self.file.package().to_owned(), self.comment(&[2]));
        self.line(&format!("\n## `{}`\n\nPackage `{package}`. {about}", self.file.name()));
        for (n, service) in self.file.service.iter().enumerate() {
            let path = [6, n as i32];
            self.line(&format!("\n### {}\n\n{}\n", service.name(), self.comment(&path)));
            self.line("| call | what it does |\n|---|---|");
            for (m, method) in service.method.iter().enumerate() {
                let about = self.comment(&[&path[..], &[2, m as i32]].concat());
                self.line(&format!("| `{}` | {about} |", method.name()));
            }
        }
        for (n, message) in self.file.message_type.iter().enumerate() {
            self.message(message, &[4, n as i32], "");
        }
        for (n, of) in self.file.enum_type.iter().enumerate() {
            self.enumeration(of, &[5, n as i32], "");
        }
        self.text
    }

    fn message(&mut self, message: &DescriptorProto, path: &[i32], outer: &str) {
        if message.options.as_ref().is_some_and(prost_types::MessageOptions::map_entry) {
            return;
        }
        let name = format!("{outer}{}", message.name());
        self.line(&format!("\n#### {name}\n\n{}", self.comment(path)));
        if !message.field.is_empty() {
            self.line("\n| field | type | meaning |\n|---|---|---|");
        }
        for (n, field) in message.field.iter().enumerate() {
            let about = self.comment(&[path, &[2, n as i32]].concat());
            self.line(&format!("| `{}` = {} | {} | {about} |", field.name(), field.number(), kind(field, message)));
        }
        for (n, nested) in message.nested_type.iter().enumerate() {
            self.message(nested, &[path, &[3, n as i32]].concat(), &format!("{name}."));
        }
        for (n, of) in message.enum_type.iter().enumerate() {
            self.enumeration(of, &[path, &[4, n as i32]].concat(), &format!("{name}."));
        }
    }

    fn enumeration(&mut self, of: &EnumDescriptorProto, path: &[i32], outer: &str) {
        self.line(&format!("\n#### {outer}{}\n\n{}", of.name(), self.comment(path)));
        self.line("\n| value | meaning |\n|---|---|");
        for (n, value) in of.value.iter().enumerate() {
            let about = self.comment(&[path, &[2, n as i32]].concat());
            self.line(&format!("| `{}` = {} | {about} |", value.name(), value.number()));
        }
    }
}

/// Returns the type of a field in words: `optional uint32`, `map of string to string`, `one of action: string`.
fn kind(field: &FieldDescriptorProto, message: &DescriptorProto) -> String {
    let short = |name: &str| name.trim_start_matches('.').trim_start_matches("ahu.v1.").to_owned();
    let entry = message.nested_type.iter().find(|nested| {
        let is_map = nested.options.as_ref().is_some_and(prost_types::MessageOptions::map_entry);
        is_map && field.type_name().ends_with(&format!(".{}", nested.name()))
    });
    if let Some(entry) = entry {
        return format!("map of {} to {}", kind(&entry.field[0], entry), kind(&entry.field[1], entry));
    }
    let name = match field.r#type() {
        Type::Message | Type::Enum => short(field.type_name()),
        scalar => scalar.as_str_name().trim_start_matches("TYPE_").to_lowercase(),
    };
    let index = field.oneof_index.filter(|_| !field.proto3_optional()).and_then(|index| usize::try_from(index).ok());
    let one_of = index.and_then(|index| message.oneof_decl.get(index));
    match (field.label(), one_of) {
        (Label::Repeated, _) => format!("repeated {name}"),
        (_, Some(one_of)) => format!("one of {}: {name}", one_of.name()),
        _ if field.proto3_optional() => format!("optional {name}"),
        _ => name,
    }
}

#[test]
fn the_api_page_is_up_to_date() {
    let set = FileDescriptorSet::decode(DESCRIPTORS).expect("the descriptors can be read");
    let mut page = HEAD.to_owned();
    let mut files: Vec<_> = set.file.iter().filter(|file| file.package().starts_with("ahu.")).collect();
    // The services come first, then their shared messages, then the games.
    files.sort_by_key(|file| (file.package() != "ahu.v1", file.service.is_empty(), file.name()));
    for file in files {
        let info = file.source_code_info.as_ref().expect("the descriptors keep the comments");
        let comments =
            info.location.iter().map(|location| (location.path.clone(), location.leading_comments().to_owned()));
        page += &Page { file, comments: comments.collect(), text: String::new() }.whole();
    }

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/api.md");
    if std::env::var_os("AHU_BLESS").is_some() {
        fs::write(&path, &page).expect("the page can be written");
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == page, "docs/api.md is out of date: run AHU_BLESS=1 cargo test api_page");
}
