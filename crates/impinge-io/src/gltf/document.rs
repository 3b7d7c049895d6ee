//! The fields of the JSON that are used; all others are skipped without being stored.
//!
//! A file may hold a million objects of three bytes each, so these structs are small, and names and URIs are borrowed from
//! the text. Essential fields are required, so that an object that takes memory here also takes some space in the file.

use super::{glb::Container, nodes::Nodes, unsupported};
use crate::error::Fault;
use serde::{
    Deserialize, Deserializer,
    de::{Error, IgnoredAny, SeqAccess, Visitor},
};
use std::{borrow::Cow, fmt, marker::PhantomData};

/// Stands for a missing index, where an `Option` would double the size of a field.
pub(super) const NONE: u32 = u32::MAX;

/// The fields of a document that concern geometry.
#[derive(Debug, Deserialize, Default)]
#[serde(default, rename_all = "camelCase", expecting = "an object")]
pub(super) struct Document<'a> {
    pub(super) scene: Option<u32>,
    pub(super) scenes: Scenes,
    pub(super) nodes: Nodes,
    #[serde(borrow, deserialize_with = "meshes")]
    pub(super) meshes: Vec<MeshFields<'a>>,
    #[serde(deserialize_with = "accessors")]
    pub(super) accessors: Vec<Accessor>,
    #[serde(deserialize_with = "buffer_views")]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(borrow, deserialize_with = "buffers")]
    pub(super) buffers: Vec<Buffer<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct MeshFields<'a> {
    #[serde(borrow, default)]
    pub(super) name: Cow<'a, str>,
    #[serde(deserialize_with = "primitives")]
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Primitive {
    pub(super) attributes: Attributes,
    pub(super) indices: Option<u32>,
    #[serde(default = "triangles")]
    pub(super) mode: u8,
    #[serde(default)]
    pub(super) extensions: Extensions,
}

fn triangles() -> u8 {
    4
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub(super) position: Option<u32>,
}

/// The extensions that change geometry; other extensions are ignored.
#[derive(Debug, Deserialize, Default)]
#[serde(default, expecting = "an object")]
pub(super) struct Extensions {
    #[serde(rename = "KHR_draco_mesh_compression")]
    pub(super) draco: Present,
    #[serde(rename = "EXT_meshopt_compression")]
    pub(super) ext_meshopt: Present,
    #[serde(rename = "KHR_meshopt_compression")]
    pub(super) khr_meshopt: Present,
}

/// The extensions that change how often a node shows its mesh.
#[derive(Debug, Deserialize, Default)]
#[serde(default, expecting = "an object")]
pub(super) struct NodeExtensions {
    #[serde(rename = "EXT_mesh_gpu_instancing")]
    pub(super) gpu_instancing: Option<Instancing>,
}

/// The accessors of the instance transforms of a node.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Instancing {
    pub(super) attributes: InstanceAttributes,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "UPPERCASE", expecting = "an object")]
pub(super) struct InstanceAttributes {
    pub(super) translation: Option<u32>,
    pub(super) rotation: Option<u32>,
    pub(super) scale: Option<u32>,
}

/// Whether a field is present, with any value.
#[derive(Debug, Default)]
pub(super) struct Present(pub(super) bool);

impl<'de> Deserialize<'de> for Present {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self(true))
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct Accessor {
    pub(super) buffer_view: Option<u32>,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
    #[serde(default)]
    pub(super) normalized: bool,
    pub(super) count: u64,
    #[serde(rename = "type")]
    pub(super) shape: ElementShape,
    pub(super) sparse: Option<Box<Sparse>>,
}

/// The number of components of an accessor's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) enum ElementShape {
    #[serde(rename = "SCALAR")]
    Scalar,
    #[serde(rename = "VEC3")]
    Vec3,
    #[serde(rename = "VEC4")]
    Vec4,
    /// A type of neither positions, rotations nor indices.
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Sparse {
    pub(super) count: u64,
    pub(super) indices: SparseIndices,
    pub(super) values: SparseValues,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct SparseIndices {
    pub(super) buffer_view: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct SparseValues {
    pub(super) buffer_view: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct BufferView {
    pub(super) buffer: u32,
    #[serde(default)]
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    #[serde(default)]
    pub(super) byte_stride: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(super) struct Buffer<'a> {
    #[serde(borrow)]
    pub(super) uri: Option<Uri<'a>>,
    pub(super) byte_length: u64,
    #[serde(default)]
    pub(super) extensions: Extensions,
}

/// Borrowed from the text where possible; serde would copy a plain `Option<Cow<str>>`.
#[derive(Debug, Deserialize)]
pub(super) struct Uri<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// The root nodes of all scenes, concatenated.
#[derive(Debug, Default)]
pub(super) struct Scenes {
    ends: Vec<u32>,
    nodes: Vec<u32>,
}

impl Scenes {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the root nodes of a scene.
    pub(super) fn get(&self, scene: usize) -> Option<&[u32]> {
        let end = *self.ends.get(scene)?;
        let start = scene.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(&self.nodes[start as usize..end as usize])
    }
}

impl<'de> Deserialize<'de> for Scenes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(expecting = "an object")]
        struct Scene {
            #[serde(default)]
            nodes: Vec<u32>,
        }

        let mut scenes = Self::default();
        each(deserializer, "scenes", |scene: Scene| {
            scenes.nodes.extend_from_slice(&scene.nodes);
            scenes.ends.push(scenes.nodes.len() as u32);
        })?;
        Ok(scenes)
    }
}

/// The fields that decide whether the document can be read at all.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
struct Header<'a> {
    #[serde(borrow)]
    asset: Asset<'a>,
    #[serde(default)]
    extensions_required: Required,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object")]
struct Asset<'a> {
    #[serde(borrow)]
    version: Cow<'a, str>,
    #[serde(borrow, default)]
    min_version: Cow<'a, str>,
}

/// The first required extension that is not supported; the list itself is not kept.
#[derive(Default)]
struct Required(Option<String>);

impl<'de> Deserialize<'de> for Required {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut refused = None;
        each(deserializer, "extensionsRequired", |name: String| {
            if refused.is_none() && !is_harmless(&name) {
                refused = Some(name);
            }
        })?;
        Ok(Self(refused))
    }
}

/// Returns whether a required extension is supported or does not concern geometry.
fn is_harmless(extension: &str) -> bool {
    const FAMILIES: [&str; 8] = [
        "KHR_materials_",
        "EXT_materials_",
        "KHR_texture_",
        "EXT_texture_",
        "MSFT_texture_",
        "KHR_lights_",
        "EXT_lights_",
        "KHR_xmp",
    ];
    const OTHERS: [&str; 4] = [
        "KHR_mesh_quantization",
        "EXT_mesh_gpu_instancing",
        "KHR_techniques_webgl",
        "KHR_animation_pointer",
    ];
    OTHERS.contains(&extension) || FAMILIES.iter().any(|family| extension.starts_with(family))
}

/// Parses the JSON of a file. Refuses unsupported versions and required extensions.
pub(super) fn parse<'a>(container: &Container<'a>) -> Result<Document<'a>, Fault> {
    if u32::try_from(container.json.len()).is_err() {
        return Err(Fault::file("the JSON is larger than 4 GiB"));
    }
    let blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
    let content = container.json.trim_start_matches(blank);
    if !content.is_empty() && !content.starts_with('{') {
        let before = &container.json[..container.json.len() - content.len()];
        let message = "the JSON is not an object";
        return Err(match container.json_at {
            None => Fault::line(1 + before.matches('\n').count(), message),
            Some(start) => Fault::byte(start + before.len(), message),
        });
    }
    // Parsed twice, so that a file of another version is reported as such, and not as a missing field.
    let header: Header<'a> = from_json(container)?;
    let Asset { version, min_version } = &header.asset;
    let shown = crate::text::shown;
    if version.split('.').next() != Some("2") {
        let message = format!("glTF version `{}`; only 2.0 can be read", shown(version));
        return Err(Fault::json("asset.version", message));
    }
    // Every version 2.x can be read, unless the file says that 2.0 is not enough.
    if !matches!(&**min_version, "" | "2.0" | "1.0") {
        let message =
            format!("the file needs glTF version `{}`; only 2.0 is known", shown(min_version));
        return Err(Fault::json("asset.minVersion", message));
    }
    if let Some(extension) = header.extensions_required.0 {
        return Err(Fault::json("extensionsRequired", unsupported(&extension)));
    }
    from_json(container)
}

fn from_json<'a, T: Deserialize<'a>>(container: &Container<'a>) -> Result<T, Fault> {
    serde_json::from_str(container.json).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let full = error.to_string();
        let message = full.rsplit_once(" at line ").map_or(&*full, |(message, _)| message);
        // The message may quote a string of any length from the file.
        let short: String = message.chars().take(200).collect();
        let dots = if short.len() < message.len() { "…" } else { "" };
        match container.json_at {
            None => Fault::line(line, format!("column {column}: {short}{dots}")),
            Some(start) => {
                let before = container.json.split_inclusive('\n').take(line.saturating_sub(1));
                let byte = before.map(str::len).sum::<usize>() + column.saturating_sub(1);
                let message = format!("JSON, line {line}, column {column}: {short}{dots}");
                Fault::byte(start + byte, message)
            }
        }
    })
}

/// Returns the error of an array element, with the element's name in front and its line and column kept.
pub(super) fn prefixed<E: Error>(list: &str, index: usize, error: &E) -> E {
    // serde_json parses the position from the end of the message.
    E::custom(format_args!("{list}[{index}]: {error}"))
}

/// Passes the elements of an array to `take` one by one; an error names the element.
fn each<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
    list: &'static str,
    take: impl FnMut(T),
) -> Result<(), D::Error> {
    struct Each<T, F> {
        list: &'static str,
        take: F,
        element: PhantomData<T>,
    }

    impl<'de, T: Deserialize<'de>, F: FnMut(T)> Visitor<'de> for Each<T, F> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array")
        }

        fn visit_seq<A: SeqAccess<'de>>(mut self, mut elements: A) -> Result<(), A::Error> {
            for index in 0.. {
                match elements.next_element() {
                    Ok(Some(element)) => (self.take)(element),
                    Ok(None) => break,
                    Err(error) => return Err(prefixed(self.list, index, &error)),
                }
            }
            Ok(())
        }
    }

    deserializer.deserialize_seq(Each { list, take, element: PhantomData })
}

fn collected<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
    list: &'static str,
) -> Result<Vec<T>, D::Error> {
    let mut all = Vec::new();
    each(deserializer, list, |element| all.push(element))?;
    Ok(all)
}

fn meshes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<MeshFields<'de>>, D::Error> {
    collected(from, "meshes")
}

fn primitives<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Primitive>, D::Error> {
    collected(from, "primitives")
}

fn accessors<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Accessor>, D::Error> {
    collected(from, "accessors")
}

fn buffer_views<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<BufferView>, D::Error> {
    collected(from, "bufferViews")
}

fn buffers<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Buffer<'de>>, D::Error> {
    collected(from, "buffers")
}
