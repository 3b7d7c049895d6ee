//! The JSON document that the GLB writer produces.

use serde::Serialize;

pub(super) const ARRAY_BUFFER: u32 = 34962;
pub(super) const ELEMENT_ARRAY_BUFFER: u32 = 34963;

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
    pub(super) materials: Vec<Material>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) accessors: Vec<Accessor>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) buffer_views: Vec<BufferView>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) buffers: Vec<Buffer>,
}

impl Default for Document<'_> {
    fn default() -> Self {
        Self::new(Vec::new(), Vec::new())
    }
}

impl<'a> Document<'a> {
    /// Returns a document with these nodes, without meshes.
    pub(super) fn new(roots: Vec<usize>, nodes: Vec<Node<'a>>) -> Self {
        Self {
            asset: Asset {
                version: "2.0",
                generator: concat!("impinge ", env!("CARGO_PKG_VERSION")),
            },
            scene: 0,
            scenes: [Scene { nodes: roots }],
            nodes,
            meshes: Vec::new(),
            materials: Vec::new(),
            accessors: Vec::new(),
            buffer_views: Vec::new(),
            buffers: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, accessor: Accessor) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Adds two buffer views, of the given numbers of bytes: positions, then faces.
    pub(super) fn add_views(&mut self, position_bytes: u64, face_bytes: u64) {
        if face_bytes == 0 {
            return;
        }
        let view = |byte_offset, byte_length, target| BufferView {
            buffer: 0,
            byte_offset,
            byte_length,
            target,
        };
        self.buffer_views = vec![
            view(0, position_bytes, ARRAY_BUFFER),
            view(position_bytes, face_bytes, ELEMENT_ARRAY_BUFFER),
        ];
        self.buffers = vec![Buffer { byte_length: position_bytes + face_bytes }];
    }

    pub(super) fn bin_length(&self) -> u64 {
        self.buffers.first().map_or(0, |buffer| buffer.byte_length)
    }
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) children: Vec<usize>,
}

#[derive(Serialize)]
pub(super) struct MeshFields {
    pub(super) primitives: Vec<Primitive>,
}

#[derive(Serialize)]
pub(super) struct Primitive {
    pub(super) attributes: Attributes,
    pub(super) indices: usize,
    pub(super) mode: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) material: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Material {
    pub(super) pbr_metallic_roughness: Surface,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) alpha_mode: Option<&'static str>,
    pub(super) double_sided: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Surface {
    pub(super) base_color_factor: [f64; 4],
    pub(super) metallic_factor: f64,
    pub(super) roughness_factor: f64,
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
