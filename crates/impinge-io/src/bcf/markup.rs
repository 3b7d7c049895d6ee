//! Writes `markup.bcf`, the description of a topic, and the files that describe the project.

use super::{
    Guid, PRIORITIES, Project, Topic, Used, Version, ViewNames,
    xml::{Xml, named},
};

pub(super) fn version(version: Version) -> String {
    let mut xml = Xml::new();
    let attributes = [("VersionId", version.number())];
    match version {
        Version::V2_1 => xml.within("Version", &attributes, |xml| {
            xml.text("DetailedVersion", version.number());
        }),
        Version::V3_0 => xml.empty("Version", &attributes),
    }
    xml.finish()
}

pub(super) fn project(project: &Project<'_>) -> String {
    let id = Guid::of(&["project", project.name]).to_string();
    let (name, wants_schema) = match project.version {
        Version::V2_1 => ("ProjectExtension", true),
        Version::V3_0 => ("ProjectInfo", false),
    };
    let mut xml = Xml::new();
    xml.within(name, &[], |xml| {
        xml.within("Project", &[("ProjectId", &id)], |xml| {
            xml.text("Name", named(project.name));
        });
        if wants_schema {
            // Empty: topics use words that no list declares.
            xml.text("ExtensionSchema", "");
        }
    });
    xml.finish()
}

/// Writes the words that topics use, which version 3.0 requires to be declared.
pub(super) fn extensions(project: &Project<'_>, used: &Used) -> String {
    let mut xml = Xml::new();
    let list = |xml: &mut Xml, name, each, words: &mut dyn Iterator<Item = &str>| {
        xml.within(name, &[], |xml| words.for_each(|word| xml.text(each, named(word))));
    };
    xml.within("Extensions", &[], |xml| {
        list(xml, "TopicTypes", "TopicType", &mut used.kinds.iter().map(String::as_str));
        list(xml, "TopicStatuses", "TopicStatus", &mut used.statuses.iter().map(String::as_str));
        list(xml, "Priorities", "Priority", &mut PRIORITIES.into_iter());
        list(xml, "TopicLabels", "TopicLabel", &mut used.labels.iter().map(String::as_str));
        let users = [project.author].into_iter().chain(used.users.iter().map(String::as_str));
        list(xml, "Users", "User", &mut users.into_iter());
        // Not used, but required.
        list(xml, "SnippetTypes", "SnippetType", &mut [].into_iter());
        list(xml, "Stages", "Stage", &mut [].into_iter());
    });
    xml.finish()
}

pub(super) fn markup(project: &Project<'_>, topic: &Topic<'_>) -> String {
    let mut xml = Xml::new();
    xml.within("Markup", &[], |xml| {
        header(xml, project);
        let guid = topic.guid.to_string();
        let attributes = [
            ("Guid", &*guid),
            ("TopicType", named(topic.kind)),
            ("TopicStatus", named(topic.status)),
        ];
        xml.within("Topic", &attributes, |xml| {
            content(xml, project, topic);
            if project.version == Version::V3_0 && !topic.comments.is_empty() {
                xml.within("Comments", &[], |xml| comments(xml, project, topic));
            }
            if project.version == Version::V3_0 && !topic.views.is_empty() {
                xml.within("Viewpoints", &[], |xml| viewpoints(xml, "ViewPoint", topic));
            }
        });
        if project.version == Version::V2_1 {
            comments(xml, project, topic);
            viewpoints(xml, "Viewpoints", topic);
        }
    });
    xml.finish()
}

/// Writes the list of model files that the topic refers to.
fn header(xml: &mut Xml, project: &Project<'_>) {
    if project.files.is_empty() {
        return;
    }
    let files = |xml: &mut Xml, attribute| {
        for file in &project.files {
            xml.within("File", &[(attribute, "true")], |xml| xml.text("Filename", named(file)));
        }
    };
    xml.within("Header", &[], |xml| match project.version {
        Version::V2_1 => files(xml, "isExternal"),
        Version::V3_0 => xml.within("Files", &[], |xml| files(xml, "IsExternal")),
    });
}

fn content(xml: &mut Xml, project: &Project<'_>, topic: &Topic<'_>) {
    xml.text("Title", named(&topic.title));
    xml.text("Priority", named(topic.priority));
    match project.version {
        Version::V2_1 => topic.labels.iter().for_each(|label| xml.text("Labels", named(label))),
        Version::V3_0 => xml.within("Labels", &[], |xml| {
            topic.labels.iter().for_each(|label| xml.text("Label", named(label)));
        }),
    }
    xml.text("CreationDate", &project.date.to_string());
    xml.text("CreationAuthor", named(project.author));
    if !topic.assignee.is_empty() {
        xml.text("AssignedTo", named(topic.assignee));
    }
    if !topic.description.is_empty() {
        xml.text("Description", named(&topic.description));
    }
}

fn comments(xml: &mut Xml, project: &Project<'_>, topic: &Topic<'_>) {
    for (number, comment) in (1..).zip(&topic.comments) {
        let guid = topic.guid.within(&format!("comment {number}")).to_string();
        xml.within("Comment", &[("Guid", &guid)], |xml| {
            xml.text("Date", &project.date.to_string());
            xml.text("Author", named(project.author));
            xml.text("Comment", named(comment));
        });
    }
}

fn viewpoints(xml: &mut Xml, name: &'static str, topic: &Topic<'_>) {
    for (number, view) in (1..).zip(&topic.views) {
        let names = ViewNames::new(number);
        let guid = names.guid(topic.guid).to_string();
        xml.within(name, &[("Guid", &guid)], |xml| {
            xml.text("Viewpoint", &names.viewpoint);
            if view.snapshot.is_some() {
                xml.text("Snapshot", &names.snapshot);
            }
        });
    }
}
