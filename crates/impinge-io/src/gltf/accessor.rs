//! Decodes accessors: strided or sparse, with any component type.

use super::{
    budget::Budget,
    buffer::{Buffers, Bytes},
    document::{Accessor, BufferView, Document, ElementShape, Sparse},
};
use crate::error::Fault;
use glam::{DQuat, DVec3};
use std::collections::HashSet;

/// How a component is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    fn new(code: u32) -> Option<Self> {
        Some(match code {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    fn index(code: u32) -> Option<Self> {
        Self::new(code).filter(|kind| matches!(kind, Self::U8 | Self::U16 | Self::U32))
    }

    /// Integer positions come from `KHR_mesh_quantization`.
    fn position(code: u32) -> Option<Self> {
        Self::new(code).filter(|&kind| kind != Self::U32)
    }

    fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The largest value of an integer type; normalized integers are divided by it.
    fn largest(self) -> u32 {
        match self {
            Self::I8 => 0x7F,
            Self::U8 => 0xFF,
            Self::I16 => 0x7FFF,
            Self::U16 => 0xFFFF,
            Self::U32 | Self::F32 => u32::MAX,
        }
    }

    fn unsigned(self, bytes: &[u8]) -> u32 {
        match (self, bytes) {
            (Self::U8, &[a, ..]) => a.into(),
            (Self::U16, &[a, b, ..]) => u16::from_le_bytes([a, b]).into(),
            (_, &[a, b, c, d, ..]) => u32::from_le_bytes([a, b, c, d]),
            _ => 0,
        }
    }

    fn real(self, bytes: &[u8]) -> f64 {
        match (self, bytes) {
            (Self::I8, &[a, ..]) => i8::from_le_bytes([a]).into(),
            (Self::U8, &[a, ..]) => a.into(),
            (Self::I16, &[a, b, ..]) => i16::from_le_bytes([a, b]).into(),
            (Self::U16, &[a, b, ..]) => u16::from_le_bytes([a, b]).into(),
            (Self::F32, &[a, b, c, d, ..]) => f32::from_le_bytes([a, b, c, d]).into(),
            _ => 0.0,
        }
    }
}

/// The inputs for decoding accessors: the document, its bytes, and the memory budget.
#[derive(Debug)]
pub(super) struct Source<'a> {
    pub(super) document: &'a Document<'a>,
    pub(super) buffers: Buffers<'a>,
    pub(super) budget: Budget,
    /// Sparse accessors whose indices have been checked to ascend, so that each is checked only once.
    pub(super) ascending: HashSet<u32>,
}

/// The elements of an accessor, read as indices.
#[derive(Debug)]
pub(super) struct Indices<'a>(Elements<'a>);

/// The elements of an accessor, read as positions.
#[derive(Debug)]
pub(super) struct Positions<'a> {
    elements: Elements<'a>,
    normalized: bool,
}

/// The elements of an accessor, read as rotations.
#[derive(Debug)]
pub(super) struct Rotations<'a> {
    elements: Elements<'a>,
    normalized: bool,
}

impl Indices<'_> {
    pub(super) fn count(&self) -> usize {
        self.0.count
    }

    pub(super) fn get(&self, at: usize) -> u32 {
        self.0.get(at).map_or(0, |bytes| self.0.component.unsigned(bytes))
    }

    /// Returns the location of an index, as the end of a message.
    pub(super) fn place(&self, at: usize) -> String {
        self.0.place(at, 0)
    }

    /// The value that means "restart the primitive" and so is not a vertex.
    pub(super) fn restart(&self) -> u32 {
        self.0.component.largest()
    }
}

impl Positions<'_> {
    pub(super) fn count(&self) -> usize {
        self.elements.count
    }

    /// Returns the location of a coordinate of a position, as the end of a message.
    pub(super) fn place(&self, at: usize, axis: usize) -> String {
        self.elements.place(at, axis)
    }

    pub(super) fn get(&self, at: usize) -> DVec3 {
        DVec3::from_array(self.elements.reals(at, self.normalized))
    }
}

impl Rotations<'_> {
    pub(super) fn count(&self) -> usize {
        self.elements.count
    }

    /// Returns the quaternion as stored, of any length.
    pub(super) fn get(&self, at: usize) -> DQuat {
        DQuat::from_array(self.elements.reals(at, self.normalized))
    }
}

impl<'a> Source<'a> {
    pub(super) fn indices(&mut self, accessor: u32) -> Result<Indices<'a>, Fault> {
        let fields = self.accessor(accessor)?;
        let component = Component::index(fields.component_type);
        match component.filter(|_| fields.shape == ElementShape::Scalar) {
            Some(component) => Ok(Indices(self.elements(accessor, component, 1)?)),
            None => Err(at(accessor, "indices must be unsigned integers of type SCALAR")),
        }
    }

    pub(super) fn positions(&mut self, accessor: u32) -> Result<Positions<'a>, Fault> {
        let fields = self.accessor(accessor)?;
        let normalized = fields.normalized;
        let component = Component::position(fields.component_type);
        match component.filter(|_| fields.shape == ElementShape::Vec3) {
            Some(component) => {
                let elements = self.elements(accessor, component, 3)?;
                Ok(Positions { elements, normalized })
            }
            None => Err(at(
                accessor,
                "positions must be of type VEC3, as 32-bit floats or 8- or 16-bit integers",
            )),
        }
    }

    pub(super) fn rotations(&mut self, accessor: u32) -> Result<Rotations<'a>, Fault> {
        let fields = self.accessor(accessor)?;
        let normalized = fields.normalized;
        let is_signed =
            |kind: &Component| matches!(kind, Component::F32 | Component::I8 | Component::I16);
        let component = Component::new(fields.component_type).filter(is_signed);
        match component.filter(|_| fields.shape == ElementShape::Vec4) {
            Some(component) => {
                let elements = self.elements(accessor, component, 4)?;
                Ok(Rotations { elements, normalized })
            }
            None => Err(at(
                accessor,
                "rotations must be of type VEC4, as 32-bit floats or signed 8- or 16-bit integers",
            )),
        }
    }

    /// Returns the JSON fields of an accessor.
    pub(super) fn accessor(&self, accessor: u32) -> Result<&'a Accessor, Fault> {
        let all = &self.document.accessors;
        all.get(accessor as usize)
            .ok_or_else(|| at(accessor, format!("there is none: the file has {}", all.len())))
    }

    /// Returns the elements of an accessor of a known type, after checking that all lie within their buffers.
    fn elements(
        &mut self,
        accessor: u32,
        component: Component,
        components: usize,
    ) -> Result<Elements<'a>, Fault> {
        let fields = self.accessor(accessor)?;
        // Indices have 32 bits, so more elements could not be used.
        let count = u32::try_from(fields.count).map_err(|_| {
            at(accessor, format!("its count is {}, beyond 4294967295", fields.count))
        })? as usize;
        let size = component.size() * components;
        let dense = match fields.buffer_view {
            None => None,
            Some(view) => {
                let offset = fields.byte_offset;
                Some(self.run(accessor, view, offset, fields.count, size)?)
            }
        };
        let patch = match &fields.sparse {
            None => None,
            Some(sparse) => Some(self.patch(accessor, sparse, count, size)?),
        };
        Ok(Elements { count, component, dense, patch })
    }

    /// Returns the elements that a sparse accessor replaces.
    fn patch(
        &mut self,
        accessor: u32,
        sparse: &Sparse,
        count: usize,
        size: usize,
    ) -> Result<Patch<'a>, Fault> {
        let Sparse { count: set, indices, values } = sparse;
        let Some(component) = Component::index(indices.component_type) else {
            return Err(at(accessor, "its sparse indices must be unsigned integers"));
        };
        if *set > count as u64 {
            let message = format!("it sets {set} sparse elements, but has {count}");
            return Err(at(accessor, message));
        }
        let (view, offset) = (indices.buffer_view, indices.byte_offset);
        let indices = self.run(accessor, view, offset, *set, component.size())?;
        let values = self.run(accessor, values.buffer_view, values.byte_offset, *set, size)?;
        let patch = Patch { count: *set as usize, component, indices, values };
        if !self.ascending.contains(&accessor) {
            let mut least = 0;
            for at_entry in 0..patch.count {
                let index = patch.index(at_entry) as usize;
                if index < least || index >= count {
                    let message = format!(
                        "sparse index {at_entry} is {index}; they must ascend and be below \
                         {count}{}",
                        patch.indices.place(at_entry, 0)
                    );
                    return Err(at(accessor, message));
                }
                least = index + 1;
            }
            self.ascending.insert(accessor);
        }
        Ok(patch)
    }

    /// Returns `count` elements of `size` bytes in a view, after checking that they lie in the view and the view in its buffer.
    fn run(
        &mut self,
        accessor: u32,
        view: u32,
        offset: u64,
        count: u64,
        size: usize,
    ) -> Result<Run<'a>, Fault> {
        let views = &self.document.buffer_views;
        let Some(fields) = views.get(view as usize) else {
            let message = format!("it uses bufferViews[{view}], but the file has {}", views.len());
            return Err(at(accessor, message));
        };
        let &BufferView { buffer, byte_offset, byte_length, byte_stride } = fields;
        let bytes = self.buffers.open(buffer, &mut self.budget)?;
        let declared = self.document.buffers.get(buffer as usize).map_or(0, |b| b.byte_length);
        if byte_offset.checked_add(byte_length).is_none_or(|end| end > declared) {
            let message = format!(
                "its {byte_length} bytes from {byte_offset} on go beyond the {declared} bytes of \
                 buffers[{buffer}]"
            );
            return Err(Fault::json(format!("bufferViews[{view}]"), message));
        }
        let stride = if byte_stride == 0 { size } else { byte_stride as usize };
        if stride < size {
            let message = format!("its byteStride is {stride}, but elements have {size} bytes");
            return Err(Fault::json(format!("bufferViews[{view}]"), message));
        }
        // Computed in 128 bits, where the 64-bit counts of the file cannot overflow.
        let length = match count {
            0 => 0,
            _ => u128::from(count - 1) * stride as u128 + size as u128,
        };
        if u128::from(offset) + length > u128::from(byte_length) {
            let message = format!(
                "its {count} elements from byte {offset} on go beyond the {byte_length} bytes of \
                 bufferViews[{view}]"
            );
            return Err(at(accessor, message));
        }
        Ok(Run { buffer, bytes, start: (byte_offset + offset) as usize, stride, size })
    }
}

fn at(accessor: u32, message: impl Into<String>) -> Fault {
    Fault::json(format!("accessors[{accessor}]"), message)
}

/// The elements of an accessor as raw bytes.
#[derive(Debug)]
struct Elements<'a> {
    count: usize,
    component: Component,
    /// The dense elements; `None` if all elements are zero except those in the patch.
    dense: Option<Run<'a>>,
    patch: Option<Patch<'a>>,
}

impl Elements<'_> {
    /// Returns the bytes of an element; `None` stands for zeros.
    fn get(&self, at: usize) -> Option<&[u8]> {
        if let Some(patch) = &self.patch
            && let Some(bytes) = patch.get(at as u32)
        {
            return Some(bytes);
        }
        self.dense.as_ref().map(|run| run.get(at))
    }

    /// Returns the `N` components of an element; normalized integers are scaled to −1..1.
    fn reals<const N: usize>(&self, at: usize, normalized: bool) -> [f64; N] {
        let Some(bytes) = self.get(at) else { return [0.0; N] };
        let component = self.component;
        let size = component.size();
        let divide = normalized && component != Component::F32;
        std::array::from_fn(|axis| match component.real(&bytes[axis * size..]) {
            // The smallest signed value would be below −1; like the next one, it stands for −1.
            value if divide => (value / f64::from(component.largest())).max(-1.0),
            value => value,
        })
    }

    /// Returns the location of a component, as the end of a message; empty for zeros that no buffer holds.
    fn place(&self, at: usize, component: usize) -> String {
        let within = component * self.component.size();
        if let Some(patch) = &self.patch
            && let Some(entry) = patch.entry(at as u32)
        {
            return patch.values.place(entry, within);
        }
        self.dense.as_ref().map_or_else(String::new, |run| run.place(at, within))
    }
}

/// Elements at equal distances in a buffer.
#[derive(Debug)]
struct Run<'a> {
    buffer: u32,
    bytes: Bytes<'a>,
    start: usize,
    stride: usize,
    size: usize,
}

impl Run<'_> {
    fn get(&self, at: usize) -> &[u8] {
        let start = self.start + at * self.stride;
        &self.bytes[start..start + self.size]
    }

    fn place(&self, at: usize, within: usize) -> String {
        let byte = self.start + at * self.stride + within;
        format!(", at byte {byte} of buffers[{}]", self.buffer)
    }
}

/// Replacement elements, by ascending index.
#[derive(Debug)]
struct Patch<'a> {
    count: usize,
    component: Component,
    indices: Run<'a>,
    values: Run<'a>,
}

impl Patch<'_> {
    fn index(&self, entry: usize) -> u32 {
        self.component.unsigned(self.indices.get(entry))
    }

    fn get(&self, element: u32) -> Option<&[u8]> {
        self.entry(element).map(|entry| self.values.get(entry))
    }

    /// Returns the entry for an element.
    ///
    /// It is searched each time: unpacking all entries would take memory for every user of the accessor.
    fn entry(&self, element: u32) -> Option<usize> {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.index(middle).cmp(&element) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }
}
