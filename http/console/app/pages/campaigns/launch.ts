export interface LaunchDeps<Draft, Recipient> {
  create(draft: Draft, first: readonly Recipient[], key: string): Promise<string>;
  add(id: string, part: readonly Recipient[]): Promise<unknown>;
  start(id: string, draft: Draft, key: string): Promise<unknown>;
  stateOf(id: string): Promise<'draft' | 'started' | 'gone'>;
  remove(id: string): Promise<unknown>;
  newKey(): string;
}

export const PART = 2_000;

interface Made<Draft> {
  readonly draft: Draft;
  readonly keys: { readonly create: string; readonly start: string };
  id: string | null;
  added: number;
}

/**
 * Retrying an unchanged draft reuses the campaign and keys of the last attempt. A changed draft
 * starts over.
 */
export function createLaunch<Draft, Recipient>(deps: LaunchDeps<Draft, Recipient>) {
  let made: Made<Draft> | null = null;

  async function start(id: string, { draft, keys }: Made<Draft>): Promise<void> {
    try {
      await deps.start(id, draft, keys.start);
    } catch (cause) {
      const { code }: { code?: unknown } = Object(cause);
      if (code !== 'CONFLICT' || (await deps.stateOf(id)) !== 'started') throw cause;
    }
  }

  return async (draft: Draft, recipients: readonly Recipient[], end: 'start' | 'keep' = 'start'): Promise<string> => {
    if (made && made.draft !== draft) {
      const { id } = made;
      const state = id === null ? 'gone' : await deps.stateOf(id);
      if (id !== null && state === 'started') return id;
      made = null;
      if (id !== null && state === 'draft') await deps.remove(id);
    }
    made ??= { draft, keys: { create: deps.newKey(), start: deps.newKey() }, id: null, added: PART };
    const own = made;
    const id = own.id ?? (await deps.create(draft, recipients.slice(0, PART), own.keys.create));
    own.id = id;
    for (; own.added < recipients.length; own.added += PART) await deps.add(id, recipients.slice(own.added, own.added + PART));
    if (end === 'start') await start(id, own);
    return id;
  };
}
