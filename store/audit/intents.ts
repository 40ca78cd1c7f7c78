import type { Collection, CollectionSpec, Store } from '../port.ts';
import type { AuditDraft } from './entry.ts';

interface IntentRow {
  readonly _id: string;
  readonly draft: AuditDraft;
  readonly at: number;
}

export interface AuditIntents {
  begin(draft: AuditDraft, now: number): Promise<void>;
  end(id: string): Promise<void>;
  left(until: number, limit: number): Promise<readonly AuditDraft[]>;
}

const spec: CollectionSpec = { name: 'audit_intents', indexes: [{ name: 'by_age', keys: { at: 1 } }] };

export function auditIntentsIn(store: Store): AuditIntents {
  const intents: Collection<IntentRow> = store.collection<IntentRow>(spec);
  return {
    begin: async (draft, at) => void (await intents.insertOne({ _id: draft.id, draft, at })),
    end: async (_id) => void (await intents.deleteOne({ _id })),
    left: async (until, limit) =>
      (await intents.find({ at: { $lt: until } }, { sort: { at: 1 }, limit }).toArray()).map(({ draft }) => draft),
  };
}
