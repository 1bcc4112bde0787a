//! The protos: names follow the rules STANDARD of buf, and every element has a comment.

use std::collections::{BTreeMap, HashSet};
use std::fs;

use ahu_service::proto::DESCRIPTORS;
use prost::Message;
use prost_types::field_descriptor_proto::Type;
use prost_types::method_options::IdempotencyLevel;
use prost_types::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet, MethodOptions,
};

use crate::programs::repository;

fn files() -> Vec<FileDescriptorProto> {
    let set = FileDescriptorSet::decode(DESCRIPTORS).expect("the descriptors can be read");
    set.file.into_iter().filter(|file| file.package().starts_with("ahu.")).collect()
}

/// Returns the paths of the elements of a file that have a comment.
fn commented(file: &FileDescriptorProto) -> HashSet<Vec<i32>> {
    let info = file.source_code_info.as_ref().expect("the descriptors keep the comments");
    let with_comment = info.location.iter().filter(|location| !location.leading_comments().trim().is_empty());
    with_comment.map(|location| location.path.clone()).collect()
}

fn is_upper_camel(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.chars().all(|c| c.is_ascii_alphanumeric())
}

fn is_lower_snake(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(fits) && !name.contains("__")
}

fn upper_snake(name: &str) -> String {
    let mut text = String::new();
    for (n, c) in name.char_indices() {
        if n > 0 && c.is_ascii_uppercase() {
            text.push('_');
        }
        text.push(c.to_ascii_uppercase());
    }
    text
}

#[test]
fn packages_match_folders_and_service_files_have_the_suffix() {
    let files = files();
    assert!(files.len() >= 3);
    for file in files {
        let folder = file.package().replace('.', "/");
        let name = file
            .name()
            .strip_prefix(&format!("{folder}/"))
            .unwrap_or_else(|| panic!("{} is not in {folder}", file.name()));
        assert!(is_lower_snake(name.trim_end_matches(".proto")), "{name}");
        // Cups may still change.
        let version = if file.package().starts_with("ahu.cup.") { "v1beta1" } else { "v1" };
        assert_eq!(file.package().rsplit('.').next(), Some(version));
        assert_eq!(name.ends_with("_service.proto"), !file.service.is_empty(), "{name}");
        assert!(file.service.len() <= 1, "{name}");
    }
}

#[test]
fn every_call_has_a_request_and_a_response_of_its_own() {
    let mut used = HashSet::new();
    for file in files() {
        for service in &file.service {
            assert!(service.name().ends_with("Service") && is_upper_camel(service.name()));
            for method in &service.method {
                for (of_type, suffix) in [(method.input_type(), "Request"), (method.output_type(), "Response")] {
                    assert_eq!(of_type, format!(".{}.{}{suffix}", file.package(), method.name()));
                    assert!(used.insert(of_type.to_owned()), "{of_type} is used twice");
                }
            }
        }
    }
    assert!(used.len() >= 14);
}

#[test]
fn names_follow_the_style_and_every_element_has_a_comment() {
    for file in files() {
        let commented = commented(&file);
        let check =
            |path: &[i32], name: &str| assert!(commented.contains(path), "{}: {name} has no comment", file.name());
        for (n, message) in file.message_type.iter().enumerate() {
            check_message(message, &[4, n as i32], &check);
        }
        for (n, of) in file.enum_type.iter().enumerate() {
            check_enum(of, &[5, n as i32], &check);
        }
        for (n, service) in file.service.iter().enumerate() {
            check(&[6, n as i32], service.name());
            for (m, method) in service.method.iter().enumerate() {
                check(&[6, n as i32, 2, m as i32], method.name());
            }
        }
    }
}

#[test]
fn every_file_names_its_place_in_other_languages() {
    for file in files() {
        let options = file.options.clone().unwrap_or_default();
        let parts: Vec<&str> = file.package().split('.').collect();
        let of_part = |part: &str| part.split('_').map(capitalised).collect::<String>();
        let namespace = parts.iter().map(|part| of_part(part)).collect::<Vec<_>>().join(".");
        let last_two = parts[parts.len() - 2..].concat().replace('_', "");
        assert_eq!(options.csharp_namespace(), namespace, "{}", file.name());
        assert_eq!(options.go_package(), format!("{};{last_two}", parts.join("/")), "{}", file.name());
        assert_eq!((options.java_package(), options.java_multiple_files()), (file.package(), true), "{}", file.name());
        let stem = file.name().rsplit('/').next().and_then(|name| name.strip_suffix(".proto")).expect("a proto");
        assert_eq!(options.java_outer_classname(), format!("{}Proto", of_part(stem)), "{}", file.name());
        let game = parts[1..parts.len() - 1].iter().map(|part| of_part(part)).collect::<String>();
        assert_eq!(options.objc_class_prefix(), format!("AHU{game}"), "{}", file.name());
    }
}

/// Libraries escape these words well, and each is the word for its thing; no other name may be a keyword.
const USUAL: [&str; 6] = ["event", "match", "open", "out", "sealed", "type"];

/// The keywords of Python, Java, C++, C#, JavaScript, Go, Rust, Swift, and Kotlin, and words of the protos themselves.
const KEYWORDS: &str = "
    False None True and as assert async await break class continue def del elif else except finally for from global if import
    in is lambda nonlocal not or pass raise return try while with yield
    abstract boolean byte case catch char const default do double enum extends final float goto implements instanceof int
    interface long native new package private protected public short static strictfp super switch synchronized this throw
    throws transient void volatile true false null
    alignas alignof and_eq asm auto bitand bitor bool compl concept consteval constexpr const_cast constinit co_await
    co_return co_yield decltype delete dynamic_cast explicit export extern friend inline mutable namespace noexcept not_eq
    nullptr operator or_eq register reinterpret_cast requires signed sizeof static_assert static_cast struct template
    thread_local typedef typeid typename union unsigned using virtual wchar_t xor xor_eq
    base checked decimal delegate event fixed foreach implicit internal lock object out override params readonly ref sbyte
    sealed stackalloc string uint ulong unchecked unsafe ushort
    debugger function let typeof var
    chan defer fallthrough func go map range select type
    crate dyn fn gen impl loop match mod move mut pub self trait unsized use where become box macro priv
    associatedtype borrowing consuming deinit extension fileprivate init inout nonisolated open precedencegroup protocol
    rethrows subscript typealias guard repeat Any nil Self
    fun val when
    oneof optional repeated service syntax";

#[test]
fn no_name_of_a_field_is_a_keyword() {
    let keywords: HashSet<&str> = KEYWORDS.split_whitespace().filter(|word| !USUAL.contains(word)).collect();
    assert!(keywords.contains("pass") && keywords.len() > 200, "{}", keywords.len());
    for file in files() {
        each_field(&file.message_type, &mut |message, field| {
            let name = field.name();
            assert!(!keywords.contains(name), "{}.{name} is a keyword", message.name());
        });
    }
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_uppercase() + rest
}

/// A name of a bool is an adjective, a participle, or a noun, such as `unlisted` and `typed`, and never a verb.
#[test]
fn bools_are_named_in_one_way_and_mean_something() {
    let mut bools = 0;
    for file in files() {
        each_field(&file.message_type, &mut |message, field| {
            if field.r#type() != Type::Bool {
                return;
            }
            bools += 1;
            let name = field.name();
            let verbs = ["is", "has", "can", "may", "was", "with", "keeps", "are", "does"];
            assert!(!name.split('_').any(|word| verbs.contains(&word)), "{}.{name}", message.name());
            let of =
                field.oneof_index.map(|index| message.oneof_decl[usize::try_from(index).expect("an index")].name());
            assert!(
                of.is_none_or(|of| of.starts_with('_')),
                "{}.{name}: a bool of a oneof has no meaning",
                message.name()
            );
        });
    }
    assert!(bools > 30, "{bools}");
}

fn each_field(messages: &[DescriptorProto], visit: &mut impl FnMut(&DescriptorProto, &FieldDescriptorProto)) {
    for message in messages {
        message.field.iter().for_each(|field| visit(message, field));
        each_field(&message.nested_type, visit);
    }
}

/// `buf breaking`, and clients without a compiler, use the descriptor set in `proto/`. `AHU_BLESS=1 cargo test descriptor_set`
/// writes it.
#[test]
fn the_checked_in_descriptor_set_is_that_of_the_protos() {
    let mut set = FileDescriptorSet::decode(DESCRIPTORS).expect("the descriptors can be read");
    // With comments, each edit of a comment would change the binary file.
    set.file.iter_mut().for_each(|file| file.source_code_info = None);
    let path = repository().join("proto/descriptors.binpb");
    if std::env::var_os("AHU_BLESS").is_some() {
        fs::write(&path, set.encode_to_vec()).expect("the file can be written");
    }
    let kept = fs::read(&path).expect("the descriptor set is checked in");
    assert!(kept == set.encode_to_vec(), "the protos have changed: run AHU_BLESS=1 cargo test descriptor_set");
}

fn check_message(message: &DescriptorProto, path: &[i32], check: &impl Fn(&[i32], &str)) {
    if message.options.as_ref().is_some_and(prost_types::MessageOptions::map_entry) {
        return;
    }
    check(path, message.name());
    assert!(is_upper_camel(message.name()), "{}", message.name());
    for (n, field) in message.field.iter().enumerate() {
        assert!(is_lower_snake(field.name()), "{}", field.name());
        check(&[path, &[2, n as i32]].concat(), field.name());
    }
    for (n, nested) in message.nested_type.iter().enumerate() {
        check_message(nested, &[path, &[3, n as i32]].concat(), check);
    }
    for (n, of) in message.enum_type.iter().enumerate() {
        check_enum(of, &[path, &[4, n as i32]].concat(), check);
    }
    for (n, one_of) in message.oneof_decl.iter().enumerate() {
        // The compiler makes a oneof of each optional field.
        if !one_of.name().starts_with('_') {
            check(&[path, &[8, n as i32]].concat(), one_of.name());
        }
    }
}

fn check_enum(of: &EnumDescriptorProto, path: &[i32], check: &impl Fn(&[i32], &str)) {
    check(path, of.name());
    let prefix = upper_snake(of.name());
    assert_eq!(of.value[0].name(), format!("{prefix}_UNSPECIFIED"));
    for (n, value) in of.value.iter().enumerate() {
        assert!(value.name().starts_with(&format!("{prefix}_")), "{}", value.name());
        check(&[path, &[2, n as i32]].concat(), value.name());
    }
}

#[test]
fn calls_say_whether_they_may_be_sent_again() {
    let mut levels = BTreeMap::new();
    for service in files().into_iter().flat_map(|file| file.service) {
        for method in &service.method {
            let level =
                method.options.as_ref().map_or(IdempotencyLevel::IdempotencyUnknown, MethodOptions::idempotency_level);
            levels.insert(format!("{}.{}", service.name(), method.name()), level);
        }
    }
    for (call, level) in &levels {
        let method = call.split('.').nth(1).expect("a call has a name");
        let expected = match method {
            // A request id makes the first two idempotent, and environments live as long as their stream.
            "CreateMatch" | "JoinMatch" | "Run" => IdempotencyLevel::IdempotencyUnknown,
            _ if ["Get", "List", "Read"].iter().any(|start| method.starts_with(start)) => {
                IdempotencyLevel::NoSideEffects
            }
            // A call of a seat keeps its agent present.
            "EnterCup" | "LeaveCup" | "WakeAgent" | "Practise" | "AwaitSeat" | "Step" | "ResignSeat"
            | "CancelMatch" | "Observe" | "WatchMatch" | "ParseAction" => IdempotencyLevel::Idempotent,
            _ if call.starts_with("OrganiserService.") && method != "AwaitAgents" => IdempotencyLevel::Idempotent,
            "AwaitAgents" => IdempotencyLevel::NoSideEffects,
            _ => panic!("expected a call of this list, got {call}"),
        };
        assert_eq!(*level, expected, "{call}");
    }
    assert!(levels.len() > 20, "{levels:?}");
}
