import assert from 'node:assert/strict';
import { it } from 'node:test';
import { resealSecrets } from '../../../../actors/services/credentials/sealed-secrets.ts';
import { secretKeysOf } from '../../../../runtime/sealing/keys.ts';
import { createSealer } from '../../../../runtime/sealing/seal.ts';
import { erasuresIn } from '../../../../store/privacy/erasures.ts';
import { exportsIn } from '../../../../store/privacy/exports.ts';
import { privacySecretRewritesIn } from '../../../../store/privacy/secret-rewrites.ts';
import { eachStore } from '../../../support/stores.ts';
import { DORA } from './erasure-fixture.ts';

const [FIRST, SECOND] = ['11'.repeat(32), '22'.repeat(32)];
const sealerOf = (current: string, ...before: readonly string[]) => createSealer(secretKeysOf(current, before, 'a secret of the gateway'));

eachStore('the person named in an unfinished erasure or export', (kind) => {
  it('can be read only with the new key once SECRETS_KEY has changed', async (t) => {
    const store = await kind.fresh(t);
    const [erasures, exports, rewrites] = [erasuresIn(store), exportsIn(store), privacySecretRewritesIn(store)];
    await store.prepare();
    const before = sealerOf(FIRST);
    const begun = { tenant_id: 't', open: true, step: 0, claimed_until: 0, counts: {}, created_at: 1, done_at: null } as const;
    const erasure = { ...begun, _id: 'e1', subject: before.seal('t', 'erasure e1', DORA), phone_hash: 'hash', proof: null };
    assert.ok(await erasures.prepare(erasure, 10));
    await erasures.begin(erasure);
    const subject = before.seal('t', 'export e2', DORA);
    const more = { of: 'person', status: 'queued', after: null, failures: 0, expires_at: null } as const;
    assert.ok(await exports.createWithin({ ...begun, ...more, _id: 'e2', subject }, 10));

    const counts = await resealSecrets(rewrites, sealerOf(SECOND, FIRST));

    assert.deepEqual(counts, { fresh: 0, resealed: 2, overtaken: 0, unreadable: 0 });
    const now = sealerOf(SECOND);
    const taken = [await erasures.claim('t', 2, 3), await exports.claim('t', 2, 3)];
    assert.deepEqual(
      ['erasure e1', 'export e2'].map((about, nth) => now.open('t', about, taken[nth]?.subject ?? '')),
      [DORA, DORA],
    );
    assert.deepEqual(await resealSecrets(rewrites, sealerOf(SECOND, FIRST)), { ...counts, fresh: 2, resealed: 0 });
  });
});
