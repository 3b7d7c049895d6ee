//! The meshes that this process has prepared for the tasks of a job, within a budget of bytes.
//!
//! They are those of one job at a time: whether a mesh was examined for gaps must not depend on earlier jobs.

use impinge::clash::PreparedMesh;
use impinge_clash::Content;
use impinge_io::assembly::Blob;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

struct Entry {
    content: Content,
    /// When it was last used.
    used: u64,
}

#[derive(Default)]
struct Cache {
    job: String,
    clock: u64,
    entries: HashMap<u32, Entry>,
}

static CACHE: Mutex<Option<Cache>> = Mutex::new(None);

/// The blob with a number, prepared. `bytes` returns its bytes, and is called if it is not kept.
pub(crate) fn content<'b>(
    job: &str,
    number: u32,
    bytes: impl FnOnce() -> Result<&'b [u8], String>,
) -> Result<Content, String> {
    {
        let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.as_ref().is_none_or(|cache| cache.job != job) {
            *cache = Some(Cache { job: job.to_owned(), ..Cache::default() });
        }
        if let Some(cache) = &mut *cache {
            cache.clock += 1;
            if let Some(entry) = cache.entries.get_mut(&number) {
                entry.used = cache.clock;
                return Ok(entry.content.clone());
            }
        }
    }
    let content = match Blob::read(bytes()?)? {
        Blob::Mesh(mesh) => Content::Mesh(Arc::new(PreparedMesh::new(mesh))),
        Blob::Distances(distances) => Content::Distances(distances),
        _ => return Err(format!("blob {number} is of an unknown kind")),
    };
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(cache) = cache.as_mut().filter(|cache| cache.job == job) {
        let used = cache.clock;
        cache.entries.insert(number, Entry { content: content.clone(), used });
    }
    Ok(content)
}

/// Drops the contents that were not used for the longest time, until the others take no more bytes than the budget.
pub(crate) fn trim(budget: usize) {
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(cache) = &mut *cache else { return };
    let bytes = |content: &Content| match content {
        Content::Mesh(mesh) => mesh.bytes(),
        Content::Distances(distances) => 4 * distances.len(),
    };
    let sizes = cache.entries.iter();
    let mut sizes: Vec<(u64, u32, usize)> =
        sizes.map(|(&number, entry)| (entry.used, number, bytes(&entry.content))).collect();
    sizes.sort_unstable();
    let mut total: usize = sizes.iter().map(|size| size.2).sum();
    for (_, number, bytes) in sizes {
        if total <= budget {
            break;
        }
        cache.entries.remove(&number);
        total -= bytes;
    }
}
