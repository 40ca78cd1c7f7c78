/**
 * How long after a message was written its author may change its text: 20 minutes on this network. Times are of the network's server; that of a message
 * that came at once is not kept, but when it came, so that a minute is left for its way.
 */
const EDITABLE_MS = 20 * 60_000;
const WAY_MS = 60_000;

/** A message that was edited at this time was not written before the time that this gives (both epoch ms). `now`: that of our own clock, which may be slow. */
export const editableSince = (editedAt: number, now: number): number => Math.min(editedAt, now) - EDITABLE_MS - WAY_MS;
