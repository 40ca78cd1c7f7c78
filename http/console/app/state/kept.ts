/** What the browser keeps for us: nothing that opens an account. Where it keeps nothing (a private window may not), the page works without. */

/** Null: nothing is kept under this name. */
export function kept(name: string, storage: () => Storage = () => localStorage): string | null {
  try {
    return storage().getItem(`console.${name}`);
  } catch {
    return null;
  }
}

/** Null forgets it. */
export function keep(name: string, value: string | null, storage: () => Storage = () => localStorage): void {
  try {
    if (value === null) storage().removeItem(`console.${name}`);
    else storage().setItem(`console.${name}`, value);
  } catch {
    // It is used until the page is closed.
  }
}

/** What a person typed is kept under their own names, so that nobody else who signs in here finds it. */
export const typedName = (kind: 'draft' | 'outbox', agentId: string): string => `typed:${agentId}:${kind}`;

/** A person signs out: what they typed is not for whoever comes next. What others typed stays theirs. */
export function forgetTyped(agentId: string): void {
  for (const storage of [() => localStorage, () => sessionStorage]) {
    try {
      for (const name of Object.keys(storage())) if (name.startsWith(`console.typed:${agentId}:`)) storage().removeItem(name);
    } catch {
      // Nothing is kept here.
    }
  }
}
