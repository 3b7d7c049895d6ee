//! The queue between a producer and its consumers: the producer appends items, consumers take some at a time, and wait
//! while there are none.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Items in any order, until it is closed.
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    /// Signalled when items were appended, and when the queue was closed.
    changed: Condvar,
}

struct State<T> {
    items: Vec<T>,
    is_closed: bool,
}

impl<T> Queue<T> {
    /// An empty queue in the memory of a list.
    pub(super) fn new(mut memory: Vec<T>) -> Self {
        memory.clear();
        let state = State { items: memory, is_closed: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// The list whose memory the queue used.
    pub(super) fn into_memory(self) -> Vec<T> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).items
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves items to the queue. Returns the number of items that wait.
    pub(super) fn append(&self, items: &mut Vec<T>) -> usize {
        let mut state = self.lock();
        state.items.append(items);
        let len = state.items.len();
        drop(state);
        self.changed.notify_all();
        len
    }

    /// The number of items that wait.
    pub(super) fn len(&self) -> usize {
        self.lock().items.len()
    }

    /// Drops all items.
    pub(super) fn clear(&self) {
        self.lock().items.clear();
    }

    /// Ends the waiting of consumers, who still take the items that are left.
    pub(super) fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
    }

    /// Waits until there are items, or until the queue is closed.
    pub(super) fn wait(&self) {
        let is_waiting = |state: &mut State<T>| state.items.is_empty() && !state.is_closed;
        drop(self.changed.wait_while(self.lock(), is_waiting));
    }

    /// Moves some of the items into `taken`, which is emptied first; none if there are none. `share` returns how many
    /// to take of those that there are.
    pub(super) fn take(&self, taken: &mut Vec<T>, share: impl Fn(usize) -> usize) {
        taken.clear();
        let items = &mut self.lock().items;
        let rest = items.len() - share(items.len()).min(items.len());
        taken.extend(items.drain(rest..));
    }

    /// Whether no item is left, and none will come.
    pub(super) fn is_finished(&self) -> bool {
        let state = self.lock();
        state.is_closed && state.items.is_empty()
    }
}

/// Closes a queue when it is dropped, so that consumers do not wait for a producer that panicked.
pub(super) struct CloseOnDrop<'q, T>(pub(super) &'q Queue<T>);

impl<T> Drop for CloseOnDrop<'_, T> {
    fn drop(&mut self) {
        self.0.close();
    }
}
