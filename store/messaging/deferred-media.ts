import type { Collection, Store } from '../port.ts';
import type { MediaFacts, MessageRow, Owner } from './message-row.ts';
import { messagesSpec } from './messages.ts';

/** Keeps a file's location on the network in the row until the file has been fetched or is gone. */
export interface DeferredMedia {
  find(owner: Owner, id: string): Promise<MessageRow | null>;
  fetched(owner: Owner, row: MessageRow, key: string, media: MediaFacts): Promise<boolean>;
  gone(owner: Owner, row: MessageRow, error: string): Promise<void>;
}

const NOWHERE = { deferred_media: null } as const;

export function deferredMediaIn(store: Store): DeferredMedia {
  const messages: Collection<MessageRow> = store.collection<MessageRow>(messagesSpec);
  const change = async ({ sessionId }: Owner, { _id }: MessageRow, changes: Readonly<Record<string, unknown>>): Promise<boolean> => {
    const filter = { _id, session_id: sessionId, media_r2_key: null, status: { $ne: 'deleted' } };
    return (await messages.updateOne(filter, { $set: { ...changes, ...NOWHERE } })).matchedCount === 1;
  };

  return {
    find: ({ tenantId, sessionId }, _id) => messages.findOne({ _id, tenant_id: tenantId, session_id: sessionId }),
    fetched: (owner, row, key, media) => change(owner, row, { media_r2_key: key, parts: { ...row.parts, media }, error: null }),
    gone: async (owner, row, error) => void (await change(owner, row, { error })),
  };
}
