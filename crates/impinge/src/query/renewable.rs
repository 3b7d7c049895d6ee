//! What a method prepared of a mesh, renewed only when it is needed after the vertices have moved.

use crate::method::Prepared;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What a method prepared of a mesh: for the present positions, or for earlier ones until it is renewed.
pub(super) struct Renewable {
    /// For the present positions.
    current: OnceLock<Arc<dyn Prepared>>,
    /// For earlier positions, if it is not renewed yet.
    outdated: Mutex<Option<Arc<dyn Prepared>>>,
}

impl Renewable {
    pub(super) fn new(prepared: Arc<dyn Prepared>) -> Self {
        Self { current: OnceLock::from(prepared), outdated: Mutex::default() }
    }

    /// Notes that the vertices have moved.
    pub(super) fn outdate(&mut self) {
        if let Some(prepared) = self.current.take() {
            *self.outdated.get_mut().unwrap_or_else(PoisonError::into_inner) = Some(prepared);
        }
    }

    /// Whether it is for the present positions.
    pub(super) fn is_current(&self) -> bool {
        self.current.get().is_some()
    }

    /// What is prepared for the present positions. If necessary, `renew` makes it from what was prepared for earlier
    /// ones; it gets the only handle, so that it can change a tree in place.
    ///
    /// No lock is held meanwhile, because `renew` may run tasks of a thread pool that ask for the same. Whoever asks
    /// while another thread renews gets `None` to renew, and prepares the mesh anew.
    pub(super) fn get(
        &self,
        renew: impl FnOnce(Option<Arc<dyn Prepared>>) -> Arc<dyn Prepared>,
    ) -> &Arc<dyn Prepared> {
        if let Some(current) = self.current.get() {
            return current;
        }
        let outdated = self.outdated.lock().unwrap_or_else(PoisonError::into_inner).take();
        let renewed = renew(outdated);
        self.current.get_or_init(|| renewed)
    }

    /// What was prepared for the present or for earlier positions.
    pub(super) fn into_latest(self) -> Option<Arc<dyn Prepared>> {
        let Self { current, outdated } = self;
        current.into_inner().or(outdated.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Clone for Renewable {
    fn clone(&self) -> Self {
        let outdated = self.outdated.lock().unwrap_or_else(PoisonError::into_inner);
        Self { current: self.current.clone(), outdated: Mutex::new(outdated.clone()) }
    }
}
