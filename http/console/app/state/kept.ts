/**
 * Values kept in the browser's storage, but never credentials. If storage is unavailable, as in
 * some private windows, the page works without them.
 */

export function kept(name: string, storage: () => Storage = () => localStorage): string | null {
  try {
    return storage().getItem(`console.${name}`);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string | null, storage: () => Storage = () => localStorage): void {
  try {
    if (value === null) storage().removeItem(`console.${name}`);
    else storage().setItem(`console.${name}`, value);
  } catch {
    // The value now lasts only until the page is closed.
  }
}

/** Contains the person's id, so that the next person to sign in does not see these texts. */
export const typedName = (kind: 'draft' | 'outbox', agentId: string): string => `typed:${agentId}:${kind}`;

export function forgetTyped(agentId: string): void {
  for (const storage of [() => localStorage, () => sessionStorage]) {
    try {
      for (const name of Object.keys(storage())) if (name.startsWith(`console.typed:${agentId}:`)) storage().removeItem(name);
    } catch {}
  }
}
