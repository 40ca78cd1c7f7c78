import type { MessageRow } from '../messaging/message-row.ts';
import { HAS_SECRET, secretOf } from '../messaging/message-secrets.ts';
import { messagesSpec } from '../messaging/messages.ts';
import type { Collection, Store } from '../port.ts';
import { replacing, type SecretRewrites } from './secret-rewrites.ts';

export function messageSecretRewritesIn(store: Store): Pick<SecretRewrites, 'all'> {
  const messages: Collection<MessageRow> = store.collection<MessageRow>(messagesSpec);
  return {
    async *all() {
      const rows = messages.find({ ...HAS_SECRET, created_at: { $gte: 0 } }, { sort: { created_at: 1 } });
      for await (const { _id, tenant_id: group, secret } of rows)
        if (secret) yield { group, about: secretOf(_id), value: secret, replace: replacing(messages, _id, 'secret', secret) };
    },
  };
}
