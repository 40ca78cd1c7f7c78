import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  GROUP,
  resealSecrets,
  sealBareSecrets,
  sealedPush,
  sealedWebhooks,
} from '../../../../actors/services/credentials/sealed-secrets.ts';
import { secretKeysOf } from '../../../../runtime/sealing/keys.ts';
import { createSealer } from '../../../../runtime/sealing/seal.ts';
import { secondFactorsIn } from '../../../../store/accounts/second-factors.ts';
import { pushIn } from '../../../../store/push/push.ts';
import { secretRewritesIn } from '../../../../store/secrets/secret-rewrites.ts';
import { type WebhookRow, webhooksIn } from '../../../../store/webhooks/webhooks.ts';
import { eachStore } from '../../../support/stores.ts';

const SECRET = 'the secret of a webhook, in the clear';
const OLD_KEY = 'a'.repeat(64);
const NEW_KEY = 'b'.repeat(64);
const hook = (id: string): WebhookRow => ({
  _id: id,
  tenant_id: 'T1',
  url: 'https://example.com/',
  events: ['message.sent'],
  secret: SECRET,
  created_at: 1,
  disabled_at: null,
});

eachStore('webhook secrets and the push key', (kind) => {
  it('are stored encrypted, even if an earlier version stored them in plain text', async (t) => {
    const store = await kind.fresh(t);
    const [bare, push, rewrites] = [webhooksIn(store), pushIn(store), secretRewritesIn(store, () => 0)];
    const sealer = createSealer(secretKeysOf(OLD_KEY, [], SECRET));
    await store.prepare();
    const [webhooks, sealed] = [sealedWebhooks(bare, sealer), sealedPush(push, sealer)];
    await bare.create(hook('W1'), 5);
    await push.keys(() => ({ publicKey: 'public', privateKey: SECRET }));
    await sealBareSecrets(rewrites, sealer);
    await webhooks.create(hook('W2'), 5);
    await webhooks.change('T1', 'W2', { secret: `${SECRET} 2`, retired: { secret: SECRET, until: 9 } });
    assert.doesNotMatch(JSON.stringify([await bare.list('T1'), await push.keys(() => assert.fail())]), /in the clear/);
    assert.deepEqual((await webhooks.find('T1', 'W1'))?.secret, SECRET);
    const { secret, retired } = (await webhooks.find('T1', 'W2'))!;
    assert.deepEqual([secret, retired?.secret], [`${SECRET} 2`, SECRET]);
    assert.equal((await sealed.keys(() => assert.fail())).privateKey, SECRET);

    const newer = createSealer(secretKeysOf(NEW_KEY, [OLD_KEY], SECRET));
    assert.deepEqual(await resealSecrets(rewrites, newer), { fresh: 0, resealed: 4, overtaken: 0, unreadable: 0 });
    assert.deepEqual(await resealSecrets(rewrites, newer), { fresh: 4, resealed: 0, overtaken: 0, unreadable: 0 });
    assert.equal((await sealedWebhooks(bare, createSealer(secretKeysOf(NEW_KEY, [], SECRET))).find('T1', 'W1'))?.secret, SECRET);

    await bare.change('T1', 'W1', { secret: 'chosen by whoever can write here' });
    await sealBareSecrets(rewrites, newer);
    assert.equal((await sealedWebhooks(bare, newer).find('T1', 'W1'))?.secret, null);
    const moved = (await bare.find('T1', 'W2'))!.secret;
    await bare.change('T1', 'W1', { secret: moved });
    assert.equal((await sealedWebhooks(bare, newer).find('T1', 'W1'))?.secret, null);
  });
});

eachStore("an unconfirmed second factor's secret", (kind) => {
  it('is re-encrypted with the current key, unless it has expired', async (t) => {
    const store = await kind.fresh(t);
    let now = 1_000;
    const [factors, rewrites] = [secondFactorsIn(store), secretRewritesIn(store, () => now)];
    await store.prepare();
    const [before, after] = [createSealer(secretKeysOf(OLD_KEY, [], SECRET)), createSealer(secretKeysOf(NEW_KEY, [OLD_KEY], SECRET))];
    const sealed = before.seal(GROUP, 'second factor P1', SECRET);
    await factors.propose('P1', 'T1', { secret: sealed, expires_at: 2_000 });
    assert.deepEqual(await resealSecrets(rewrites, after), { fresh: 0, resealed: 1, overtaken: 0, unreadable: 0 });
    const { pending } = (await factors.find('P1'))!;
    assert.equal(createSealer(secretKeysOf(NEW_KEY, [], 'another')).open(GROUP, 'second factor P1', pending!.secret), SECRET);
    now = 2_000;
    assert.deepEqual(await resealSecrets(rewrites, after), { fresh: 0, resealed: 0, overtaken: 0, unreadable: 0 });
  });
});
