//! The JSON that is written: no more than a model needs.

use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document<'a> {
    pub(super) asset: Asset,
    pub(super) scene: u32,
    pub(super) scenes: [Scene; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) nodes: Vec<Node<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) meshes: Vec<MeshFields>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) accessors: Vec<Accessor>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) buffers: Vec<Buffer>,
}

#[derive(Serialize)]
pub(super) struct Asset {
    pub(super) version: &'static str,
    pub(super) generator: &'static str,
}

#[derive(Serialize)]
pub(super) struct Scene {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) nodes: Vec<usize>,
}

#[derive(Serialize)]
pub(super) struct Node<'a> {
    #[serde(skip_serializing_if = "str::is_empty")]
    pub(super) name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mesh: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) matrix: Option<[f64; 16]>,
}

#[derive(Serialize)]
pub(super) struct MeshFields {
    pub(super) primitives: [Primitive; 1],
}

#[derive(Serialize)]
pub(super) struct Primitive {
    pub(super) attributes: Attributes,
    pub(super) indices: usize,
    pub(super) mode: u32,
}

#[derive(Serialize)]
pub(super) struct Attributes {
    #[serde(rename = "POSITION")]
    pub(super) position: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Accessor {
    pub(super) buffer_view: usize,
    pub(super) byte_offset: u64,
    pub(super) component_type: u32,
    pub(super) count: u64,
    #[serde(rename = "type")]
    pub(super) shape: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min: Option<[f64; 3]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max: Option<[f64; 3]>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BufferView {
    pub(super) buffer: u32,
    pub(super) byte_offset: u64,
    pub(super) byte_length: u64,
    pub(super) target: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Buffer {
    pub(super) byte_length: u64,
}
