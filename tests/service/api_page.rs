//! The pages of `docs/reference/grpc/`, which are generated from the protos and their comments: a page for each file, and a
//! list of all calls. `AHU_BLESS=1 cargo test api_page` writes them.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use ahu_service::proto::DESCRIPTORS;
use prost::Message;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet};

use crate::programs::repository;
use crate::shell_calls;

const FOLDER: &str = "docs/reference/grpc";

const HEAD: &str = "# The gRPC API

A test generates these pages from the protos: to change them, change [`proto/`](../../../proto) and run
`AHU_BLESS=1 cargo test api_page`. [Agents from the protos](../../compete/protos.md) shows how to play over this API.
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

    /// Returns the file of the page in the folder, such as `match.md`.
    fn name(&self) -> String {
        let stem = Path::new(self.file.name()).file_stem().and_then(|stem| stem.to_str()).expect("a proto has a name");
        format!("{}.md", stem.trim_end_matches("_service"))
    }

    /// Returns the line of the page in the list, with the calls of its services.
    fn entry(&self) -> String {
        let methods = self.file.service.iter().flat_map(|service| &service.method);
        let calls = methods.map(|method| format!("`{}`", method.name())).collect::<Vec<_>>().join(", ");
        let about = self.comment(&[2]).split_inclusive(". ").next().unwrap_or_default().trim().to_owned();
        format!("| [`{}`]({}) | {about} | {calls} |", self.file.name(), self.name())
    }

    fn whole(mut self) -> String {
        let (package, about) = (self.file.package().to_owned(), self.comment(&[2]));
        self.line(&format!("# `{}`\n\nPackage `{package}`. {about}", self.file.name()));
        for (n, service) in self.file.service.iter().enumerate() {
            let path = [6, n as i32];
            self.line(&format!("\n## {}\n\n{}\n", service.name(), self.comment(&path)));
            self.line("| call | what it does |\n|---|---|");
            for (m, method) in service.method.iter().enumerate() {
                let about = self.comment(&[&path[..], &[2, m as i32]].concat());
                self.line(&format!("| `{}` | {about} |", method.name()));
            }
            self.line("\nFrom a shell, with [buf](https://buf.build/docs/cli/):\n\n```bash");
            for method in &service.method {
                self.line(&shell_calls::line(&format!("{package}.{}", service.name()), method.name()));
            }
            self.line("```");
        }
        if !self.file.message_type.is_empty() {
            self.line("\n## Messages");
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
        self.line(&format!("\n### {name}\n\n{}", self.comment(path)));
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
        self.line(&format!("\n### {outer}{}\n\n{}", of.name(), self.comment(path)));
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
fn the_pages_of_the_api_are_up_to_date() {
    let set = FileDescriptorSet::decode(DESCRIPTORS).expect("the descriptors can be read");
    let mut index = format!("{HEAD}\n| file | content | calls |\n|---|---|---|\n");
    let mut pages = Vec::new();
    let mut files: Vec<_> = set.file.iter().filter(|file| file.package().starts_with("ahu.")).collect();
    // The services come first, then their shared messages, then the games.
    files.sort_by_key(|file| (file.package() != "ahu.v1", file.service.is_empty(), file.name()));
    for file in files {
        let info = file.source_code_info.as_ref().expect("the descriptors keep the comments");
        let comments =
            info.location.iter().map(|location| (location.path.clone(), location.leading_comments().to_owned()));
        let page = Page { file, comments: comments.collect(), text: String::new() };
        writeln!(index, "{}", page.entry()).expect("a string takes every text");
        pages.push((page.name(), page.whole()));
    }
    pages.push(("index.md".to_owned(), index));

    let folder = repository().join(FOLDER);
    if std::env::var_os("AHU_BLESS").is_some() {
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).expect("the folder can be created");
        for (name, page) in &pages {
            fs::write(folder.join(name), page).expect("the page can be written");
        }
    }
    for (name, page) in &pages {
        let kept = fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(kept == *page, "{FOLDER}/{name} is out of date: run AHU_BLESS=1 cargo test api_page");
    }
    let files = fs::read_dir(&folder).expect("the folder can be read").count();
    assert_eq!(files, pages.len(), "{FOLDER} has a file that is no page of the API");
}
