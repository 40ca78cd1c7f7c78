import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sealedMessageSecrets } from '../../../../actors/services/credentials/message-secrets.ts';
import { resealSecrets } from '../../../../actors/services/credentials/sealed-secrets.ts';
import { secretKeysOf } from '../../../../runtime/sealing/keys.ts';
import { createSealer } from '../../../../runtime/sealing/seal.ts';
import { messageSecretsIn } from '../../../../store/messaging/message-secrets.ts';
import { type MessageRow, messagesIn, messagesSpec } from '../../../../store/messaging/messages.ts';
import { messageSecretRewritesIn } from '../../../../store/secrets/message-secret-rewrites.ts';
import { rowOf } from '../../../support/rows.ts';
import { eachStore } from '../../../support/stores.ts';

const [FIRST, SECOND] = ['11'.repeat(32), '22'.repeat(32)];
const sealerOf = (current: string, ...before: readonly string[]) => createSealer(secretKeysOf(current, before, 'a secret of the gateway'));
const SECRET = Buffer.alloc(32, 7).toString('base64');

eachStore('message secrets that are re-encrypted with a new SECRETS_KEY', (kind) => {
  it('can be read with the new key alone, unless they have expired or belong to another message', async (t) => {
    const store = await kind.fresh(t);
    const [messages, rewrites, forgetting] = [messagesIn(store), messageSecretRewritesIn(store), messageSecretsIn(store)];
    await store.prepare();
    const rows = store.collection<MessageRow>(messagesSpec);
    const before = sealedMessageSecrets(sealerOf(FIRST));
    const made = (id: string, at: number, of = id): MessageRow => {
      const row = { ...rowOf(id, at), direction: 'inbound' as const, outbox_pending: false };
      return { ...row, secret: before.seal({ ...row, _id: of }, SECRET) };
    };
    for (const row of [made('old', 1), made('kept', 5), made('swapped', 6, 'kept'), made('erased', 7), made('late', 8)])
      await messages.receive(row);
    assert.equal(await forgetting.forget(5, 10), 1);
    const sealer = sealerOf(SECOND, FIRST);
    const erasing = {
      async *all() {
        for await (const secret of rewrites.all()) {
          // Read, and gone before it is written.
          if (secret.about === 'message erased') await rows.updateOne({ _id: 'erased' }, { $set: { secret: null } });
          yield secret;
        }
      },
    };
    assert.deepEqual(await resealSecrets(erasing, sealer), { fresh: 0, resealed: 2, overtaken: 1, unreadable: 1 });
    const now = sealedMessageSecrets(sealerOf(SECOND));
    const opened = await Promise.all(
      ['old', 'kept', 'swapped', 'erased', 'late'].map(async (_id) => {
        const row = await rows.findOne({ _id });
        return row && now.open(row);
      }),
    );
    assert.deepEqual(opened, [null, SECRET, null, null, SECRET]);
    assert.deepEqual(await resealSecrets(rewrites, sealer), { fresh: 2, resealed: 0, overtaken: 0, unreadable: 1 });
  });
});
