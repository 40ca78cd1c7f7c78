export interface LaunchDeps<Draft, Recipient> {
  /** Makes the draft with its first recipients, under `key`; gives its id. */
  create(draft: Draft, first: readonly Recipient[], key: string): Promise<string>;
  add(id: string, part: readonly Recipient[]): Promise<unknown>;
  /** Starts it, or has it start at the time that the draft says. */
  start(id: string, draft: Draft, key: string): Promise<unknown>;
  /** Is it a draft still? `gone`: there is none. */
  stateOf(id: string): Promise<'draft' | 'started' | 'gone'>;
  remove(id: string): Promise<unknown>;
  newKey(): string;
}

/** Recipients are added in parts of this many. */
export const PART = 2_000;

interface Made<Draft> {
  readonly draft: Draft;
  readonly keys: { readonly create: string; readonly start: string };
  id: string | null;
  added: number;
}

/**
 * Makes and starts a campaign; gives its id. Called again with the same draft it goes on where the last try ended, under the same keys, so that there
 * is one campaign whichever answer was lost. A draft that was changed takes the place of the one that was made, unless that one has started.
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

  return async (draft: Draft, recipients: readonly Recipient[]): Promise<string> => {
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
    await start(id, own);
    return id;
  };
}
