/**
 * Values kept in the browser's storage; never credentials. Where storage is unavailable, as in some
 * private windows, the page works without them.
 */

/** Returns null if nothing is stored under this name. */
export function kept(name: string, storage: () => Storage = () => localStorage): string | null {
  try {
    return storage().getItem(`console.${name}`);
  } catch {
    return null;
  }
}

/** A null value deletes the entry. */
export function keep(name: string, value: string | null, storage: () => Storage = () => localStorage): void {
  try {
    if (value === null) storage().removeItem(`console.${name}`);
    else storage().setItem(`console.${name}`, value);
  } catch {
    // The value lasts until the page is closed.
  }
}

/** Storage name of a person's typed text. Contains their id, so that the next person to sign in does not see it. */
export const typedName = (kind: 'draft' | 'outbox', agentId: string): string => `typed:${agentId}:${kind}`;

/** Deletes what a person typed when they sign out. Entries of other people stay. */
export function forgetTyped(agentId: string): void {
  for (const storage of [() => localStorage, () => sessionStorage]) {
    try {
      for (const name of Object.keys(storage())) if (name.startsWith(`console.typed:${agentId}:`)) storage().removeItem(name);
    } catch {
      // This storage is unavailable.
    }
  }
}
