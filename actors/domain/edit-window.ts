/** The network allows edits for 20 minutes, by its own clock. A minute is added for transit. */
const EDITABLE_MS = 20 * 60_000;
const WAY_MS = 60_000;

export const editableSince = (editedAt: number, now: number): number => Math.min(editedAt, now) - EDITABLE_MS - WAY_MS;
