/** The network allows 20 minutes by its own clock; a minute of transit is added to our arrival time. */
const EDITABLE_MS = 20 * 60_000;
const WAY_MS = 60_000;

/** Messages sent before this time, epoch ms, can no longer be edited. `now`: our own clock, which may be slow. */
export const editableSince = (editedAt: number, now: number): number => Math.min(editedAt, now) - EDITABLE_MS - WAY_MS;
