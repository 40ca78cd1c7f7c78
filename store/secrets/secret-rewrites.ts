import { type SecondFactorRow, secondFactorsSpec } from '../accounts/second-factors.ts';
import type { Collection, CollectionSpec, Doc, Store } from '../port.ts';
import { type KeysRow, keysSpec } from '../push/push.ts';
import { type WebhookRow, webhooksSpec } from '../webhooks/webhooks.ts';

export interface KeptSecret {
  readonly group?: string;
  readonly about: string;
  readonly value: string;
  replace(value: string): Promise<boolean>;
}

export interface SecretRewrites {
  all(): AsyncIterable<KeptSecret>;
  /** Returns true once all secrets have been sealed. Unsealed secrets are then rejected. */
  areSealed(): Promise<boolean>;
  noteSealed(): Promise<void>;
}

const NOTE = 'webhooks and push';
const notesSpec: CollectionSpec = { name: 'sealed_collections', indexes: [] };

export function secretRewritesIn(store: Store, now: () => number): SecretRewrites {
  const webhooks: Collection<WebhookRow> = store.collection<WebhookRow>(webhooksSpec);
  const factors: Collection<SecondFactorRow> = store.collection<SecondFactorRow>(secondFactorsSpec);
  const push: Collection<KeysRow> = store.collection<KeysRow>(keysSpec);
  const notes: Collection<Doc> = store.collection<Doc>(notesSpec);

  return {
    async *all() {
      for await (const { _id, secret, retired } of webhooks.find({}, { sort: { _id: 1 } })) {
        const about = `webhook ${_id}`;
        yield { about, value: secret, replace: replacing(webhooks, _id, 'secret', secret) };
        if (retired) yield { about, value: retired.secret, replace: replacing(webhooks, _id, 'retired.secret', retired.secret) };
      }
      for await (const { _id, secret, pending } of factors.find({}, { sort: { _id: 1 } })) {
        const about = `second factor ${_id}`;
        if (secret !== null) yield { about, value: secret, replace: replacing(factors, _id, 'secret', secret) };
        if (pending && pending.expires_at > now())
          yield { about, value: pending.secret, replace: replacing(factors, _id, 'pending.secret', pending.secret) };
      }
      for await (const { _id, privateKey } of push.find({}, { sort: { _id: 1 } }))
        yield { about: 'push', value: privateKey, replace: replacing(push, _id, 'privateKey', privateKey) };
    },
    areSealed: async () => (await notes.findOne({ _id: NOTE })) !== null,
    noteSealed: async () => void (await notes.updateOne({ _id: NOTE }, { $set: { done: true } }, { upsert: true })),
  };
}

export const replacing =
  <T extends Doc>(rows: Collection<T>, _id: string, path: string, before: string) =>
  async (value: string): Promise<boolean> =>
    (await rows.updateOne({ _id, [path]: before }, { $set: { [path]: value } })).matchedCount === 1;
