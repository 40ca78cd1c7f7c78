import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { credentialStoreOf } from '../../../../actors/device/effects/credential-store.ts';
import { CredentialBuffer } from '../../../../actors/network/whatsapp/keys/credential-buffer.ts';
import { reseal } from '../../../../actors/services/credentials/reseal.ts';
import { sealedCredentials } from '../../../../actors/services/credentials/sealed-credentials.ts';
import { secretKeysOf } from '../../../../runtime/sealing/keys.ts';
import { createSealer, type Sealer } from '../../../../runtime/sealing/seal.ts';
import { keepAuditKey, keptAuditKey } from '../../../../scripts/wiring/audit-key.ts';
import { checkSecretKey, isSecretKeyInUse } from '../../../../scripts/wiring/check-secret-keys.ts';
import { type CredentialRewrites, credentialRewritesIn } from '../../../../store/devices/credential-rewrites.ts';
import { credentialRowsIn } from '../../../../store/devices/credentials.ts';
import { openEmbedded } from '../../../../store/engines/embedded/embedded.ts';
import type { Store } from '../../../../store/port.ts';
import { aDirectory, eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const FIRST = '11'.repeat(32);
const SECOND = '22'.repeat(32);
const sealerOf = (current: string, before: readonly string[] = []): Sealer =>
  createSealer(secretKeysOf(current, before, 'a secret of the gateway, long enough for it'));

/** The secrets of a device for its next owner, whose node seals like this. */
async function taken(store: Store, sealer: Sealer, epoch: number): Promise<CredentialBuffer> {
  const credentialStore = credentialStoreOf(sealedCredentials(credentialRowsIn(store), sealer), { tenantId: 't', sessionId: 's', epoch });
  return new CredentialBuffer(credentialStore, (await credentialStore.take())!, () => {});
}

async function write(credentialBuffer: CredentialBuffer, id: string, value: string): Promise<void> {
  credentialBuffer.set('session', { [id]: { secret: value } });
  await credentialBuffer.durable();
}

const PEOPLE = Array.from({ length: 40 }, (_, nth) => `p${nth}.0`);

/** Secrets under the first key, some where they change and most where they stay. */
async function aCellar(scope: Scope, kind: StoreKind) {
  const store = await kind.fresh(scope);
  credentialRowsIn(store);
  const rewrites = credentialRewritesIn(store);
  await store.prepare();
  await checkSecretKey(store, sealerOf(FIRST));
  await fill(store);
  return { store, rewrites };
}

/** Resolves when what has settled is put away, too: who counts must not meet it. */
async function fill(store: Store): Promise<void> {
  const credentialStore = credentialStoreOf(sealedCredentials(credentialRowsIn(store), sealerOf(FIRST)), {
    tenantId: 't',
    sessionId: 's',
    epoch: 1,
  });
  await credentialStore.create('g1');
  const puttingAway: Promise<void>[] = [];
  const keep: typeof credentialStore.keep = (...secrets) => {
    puttingAway.push(credentialStore.keep(...secrets));
    return puttingAway.at(-1)!;
  };
  const credentialBuffer = new CredentialBuffer({ ...credentialStore, keep }, (await credentialStore.take())!, () => {});
  for (const id of PEOPLE) await write(credentialBuffer, id, 'x'.repeat(600));
  await Promise.all(puttingAway);
}

async function readWith(store: Store, sealer: Sealer, epoch: number): Promise<Readonly<Record<string, unknown>>> {
  return (await taken(store, sealer, epoch)).get('session', [...PEOPLE, 'late.0']);
}

/** Somebody else writes at the moment at which heads were read. */
const interrupted = (rewrites: CredentialRewrites, meanwhile: () => Promise<void>): CredentialRewrites => ({
  ...rewrites,
  async *heads() {
    for await (const page of rewrites.heads()) {
      await meanwhile();
      yield page;
    }
  },
});

eachStore('credentials encrypted with an earlier key', (kind) => {
  it('are all re-encrypted with the current key, and a second run changes nothing', async (t) => {
    const { store, rewrites } = await aCellar(t, kind);
    const now = sealerOf(SECOND, [FIRST]);
    const first = await reseal(rewrites, now);
    assert.deepEqual([first.fresh, first.overtaken, first.unreadable], [0, 0, 0]);
    assert.ok(first.resealed >= PEOPLE.length);
    assert.equal(Object.keys(await readWith(store, sealerOf(SECOND), 2)).length, PEOPLE.length);
    assert.deepEqual(await reseal(rewrites, now), { fresh: first.resealed, resealed: 0, overtaken: 0, unreadable: 0 });
  });

  it('keep the changes that their device made in the meantime', async (t) => {
    const { store, rewrites } = await aCellar(t, kind);
    const now = sealerOf(SECOND, [FIRST]);
    const owner = await taken(store, now, 2);
    const counts = await reseal(
      interrupted(rewrites, () => write(owner, 'late.0', 'newest')),
      now,
    );
    assert.ok(counts.overtaken > 0);
    await write(owner, 'p0.0', 'newer');
    assert.equal((await reseal(rewrites, now)).overtaken, 0);
    const found = await readWith(store, sealerOf(SECOND), 3);
    assert.deepEqual([found['late.0'], found['p0.0']], [{ secret: 'newest' }, { secret: 'newer' }]);
    assert.equal(Object.keys(found).length, PEOPLE.length + 1);
  });

  it('stay unchanged and are reported if that key is missing', async (t) => {
    const { store, rewrites } = await aCellar(t, kind);
    const { resealed, unreadable } = await reseal(rewrites, sealerOf(SECOND));
    assert.deepEqual([resealed, unreadable >= PEOPLE.length], [0, true]);
    assert.equal(Object.keys(await readWith(store, sealerOf(FIRST), 2)).length, PEOPLE.length);
  });

  it('are not marked as re-encrypted until a node has started with the new key', async (t) => {
    const { store } = await aCellar(t, kind);
    const now = sealerOf(SECOND, [FIRST]);
    assert.equal(await isSecretKeyInUse(store, now), false);
    await checkSecretKey(store, now);
    assert.equal(await isSecretKeyInUse(store, now), true);
  });
});

it('the reseal command re-encrypts credentials, and reports how many secrets changed', async (t) => {
  const directory = aDirectory(t);
  const store = openEmbedded({ path: `${directory}/gateway.db` });
  credentialRowsIn(store);
  await store.prepare();
  await checkSecretKey(store, sealerOf(FIRST));
  const auditKey = await keepAuditKey(store, sealerOf(FIRST), Buffer.alloc(32, 5), false);
  await fill(store);
  await store.close();
  const run = (env: Readonly<Record<string, string>>) =>
    promisify(execFile)(process.execPath, ['scripts/commands/reseal.ts'], {
      env: { ...process.env, MONGODB_URL: '', DATA_DIR: directory, SECRETS_KEY: SECOND, ...env },
    });
  await assert.rejects(run({}), { code: 1, stderr: /^SECRETS_KEY .* is not the key that sealed the secrets in this store/ });
  const { stdout } = await run({ SECRETS_KEYS_BEFORE: FIRST });
  assert.match(
    stdout,
    /^\d+ secrets were sealed with the current key, 0 already had it\.\nOnce every node runs with this SECRETS_KEY, SECRETS_KEYS_BEFORE is no longer needed/,
  );
  assert.match((await run({})).stdout, /^0 secrets were sealed with the current key, \d+ already had it\./);
  const after = openEmbedded({ path: `${directory}/gateway.db` });
  t.after(() => after.close());
  assert.deepEqual(await keptAuditKey(after, sealerOf(SECOND), Buffer.alloc(32)), auditKey);
});
