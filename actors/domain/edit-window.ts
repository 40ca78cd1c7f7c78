/**
 * How long an author may edit a message: 20 minutes on this network, by the time of its server. For
 * live messages only the arrival time is stored, so a minute of transit is added.
 */
const EDITABLE_MS = 20 * 60_000;
const WAY_MS = 60_000;

/**
 * Returns the earliest time at which a message edited at this time can have been written, both
 * epoch ms. `now`: our own clock, which may be slow.
 */
export const editableSince = (editedAt: number, now: number): number => Math.min(editedAt, now) - EDITABLE_MS - WAY_MS;
