//! The promise of the packages `….v1`: what `promised.txt` lists is never removed, renamed, or changed (docs/compatibility.md).
//!
//! A fact is a line: a field with its number, type, and presence; a value of an enum; a method; the code of a reason. A release
//! adds its new facts with `AHU_BLESS=1 cargo test --test service -- promise`, which removes none.

use std::collections::BTreeSet;
use std::fs;

use ahu_host::api::ApiError;
use ahu_service::proto::DESCRIPTORS;
use ahu_service::proto::v1::ErrorReason;
use prost::Message as _;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorSet};

use crate::programs::repository;

const PROMISED: &str = "tests/service/promised.txt";

fn present() -> FileDescriptorSet {
    let mut set = FileDescriptorSet::decode(DESCRIPTORS).expect("the descriptors can be read");
    set.file.retain(|file| file.package().starts_with("ahu.") && file.package().split('.').next_back() == Some("v1"));
    set
}

/// Returns the facts of these descriptors.
fn facts(set: &FileDescriptorSet) -> BTreeSet<String> {
    let mut facts = BTreeSet::new();
    for file in &set.file {
        let package = file.package();
        file.message_type.iter().for_each(|message| add_message(package, message, &mut facts));
        file.enum_type.iter().for_each(|of| add_enum(package, of, &mut facts));
        for service in &file.service {
            for method in &service.method {
                let stream = |is_stream: bool| if is_stream { "stream " } else { "" };
                let (asks, answers) = (stream(method.client_streaming()), stream(method.server_streaming()));
                facts.insert(format!(
                    "{package}.{}/{}: {asks}{} to {answers}{}",
                    service.name(),
                    method.name(),
                    method.input_type(),
                    method.output_type()
                ));
            }
        }
    }
    facts
}

fn add_message(within: &str, message: &DescriptorProto, facts: &mut BTreeSet<String>) {
    let name = format!("{within}.{}", message.name());
    facts.insert(format!("{name}: a message"));
    for field in &message.field {
        let label = match field.label() {
            Label::Repeated => "repeated ",
            _ if field.proto3_optional() => "optional ",
            _ => "",
        };
        let one_of = field.oneof_index.filter(|_| !field.proto3_optional());
        let one_of = one_of.map_or(String::new(), |place| {
            format!(" in {}", message.oneof_decl[place.cast_unsigned() as usize].name())
        });
        let (kind, of) = (field.r#type().as_str_name(), field.type_name());
        facts.insert(format!("{name}.{} = {}: {label}{kind} {of}{one_of}", field.name(), field.number()));
    }
    message.nested_type.iter().for_each(|nested| add_message(&name, nested, facts));
    message.enum_type.iter().for_each(|of| add_enum(&name, of, facts));
}

fn add_enum(within: &str, of: &EnumDescriptorProto, facts: &mut BTreeSet<String>) {
    for value in &of.value {
        facts.insert(format!("{within}.{}.{} = {}", of.name(), value.name(), value.number()));
    }
}

/// Returns the reasons with their codes.
fn codes() -> BTreeSet<String> {
    let reasons = (1..1000).filter_map(|number| ErrorReason::try_from(number).ok());
    let code = |reason| format!("{}: {:?}", ErrorReason::as_str_name(&reason), ApiError::new(reason, "").code());
    reasons.map(code).collect()
}

#[test]
fn nothing_that_is_promised_is_removed_renamed_or_changed() {
    let present: BTreeSet<_> = facts(&present()).union(&codes()).cloned().collect();
    let path = repository().join(PROMISED);
    let promised: BTreeSet<_> = fs::read_to_string(&path).unwrap_or_default().lines().map(str::to_owned).collect();
    let broken: Vec<_> = promised.difference(&present).cloned().collect();
    assert!(broken.is_empty(), "expected what {PROMISED} promises, got without\n{}", broken.join("\n"));
    if std::env::var_os("AHU_BLESS").is_some() {
        let lines: Vec<_> = present.into_iter().collect();
        fs::write(&path, lines.join("\n") + "\n").expect("the file can be written");
    }
    assert!(promised.len() > 1000, "expected the promised facts, got {}", promised.len());
}

/// A change of the protos, for a field of a message, a value, or a method that the promise has.
type Change = fn(&mut FileDescriptorSet);

fn field(set: &mut FileDescriptorSet) -> &mut FieldDescriptorProto {
    let message = message(set, "StepRequest");
    message.field.iter_mut().find(|field| field.name() == "decision_id").expect("it has the field")
}

fn message<'a>(set: &'a mut FileDescriptorSet, name: &str) -> &'a mut DescriptorProto {
    let mut messages = set.file.iter_mut().flat_map(|file| &mut file.message_type);
    messages.find(|message| message.name() == name).expect("it is there")
}

fn reasons(set: &mut FileDescriptorSet) -> &mut EnumDescriptorProto {
    let mut enums = set.file.iter_mut().flat_map(|file| &mut file.enum_type);
    enums.find(|of| of.name() == "ErrorReason").expect("it is there")
}

fn step(set: &mut FileDescriptorSet) -> &mut prost_types::MethodDescriptorProto {
    let services = set.file.iter_mut().flat_map(|file| &mut file.service);
    services.flat_map(|service| &mut service.method).find(|method| method.name() == "Step").expect("it is there")
}

#[test]
fn each_kind_of_change_breaks_the_promise() {
    const CHANGES: [(&str, Change); 17] = [
        ("a field is removed", |set| message(set, "StepRequest").field.retain(|field| field.name() != "decision_id")),
        ("a field is renamed", |set| field(set).name = Some("decision".to_owned())),
        ("a field gets another number", |set| field(set).number = Some(999)),
        ("a field gets another type", |set| field(set).set_type(Type::Uint64)),
        ("a field becomes repeated", |set| field(set).set_label(Label::Repeated)),
        ("a field gets presence", |set| field(set).proto3_optional = Some(true)),
        ("a field gets another message", |set| {
            let message = message(set, "ObserveResponse");
            message.field[0].type_name = Some(".ahu.v1.Match".to_owned());
        }),
        ("a field leaves its oneof", |set| {
            let all =
                set.file.iter_mut().flat_map(|file| &mut file.message_type).flat_map(|message| &mut message.field);
            let of = all.into_iter().find(|field| field.oneof_index.is_some() && !field.proto3_optional());
            of.expect("there is one").oneof_index = None;
        }),
        ("a message is removed", |set| set.file.iter_mut().for_each(|file| file.message_type.truncate(1))),
        ("a message is renamed", |set| message(set, "StepRequest").name = Some("AnswerRequest".to_owned())),
        ("a value is removed", |set| drop(reasons(set).value.pop())),
        ("a value is renamed", |set| reasons(set).value[1].name = Some("ERROR_REASON_NO_GAME".to_owned())),
        ("a value gets another number", |set| reasons(set).value[1].number = Some(999)),
        ("a method is renamed", |set| step(set).name = Some("Act".to_owned())),
        ("a method answers with a stream", |set| step(set).server_streaming = Some(true)),
        ("a method asks for something else", |set| step(set).input_type = Some(".ahu.v1.ObserveRequest".to_owned())),
        ("a file is removed", |set| drop(set.file.pop())),
    ];
    let before = facts(&present());
    for (what, change) in CHANGES {
        let mut set = present();
        change(&mut set);
        assert!(!before.is_subset(&facts(&set)), "{what}, and no fact is missing");
    }
    // An addition breaks nothing.
    let mut set = present();
    let more = FieldDescriptorProto { name: Some("more".to_owned()), number: Some(999), ..field(&mut set).clone() };
    message(&mut set, "StepRequest").field.push(more);
    assert!(before.is_subset(&facts(&set)));
}
