import assert from 'node:assert/strict';
import { it } from 'node:test';
import { credentialStoreOf } from '../../../../actors/device/effects/credential-store.ts';
import { CredentialBuffer } from '../../../../actors/network/whatsapp/keys/credential-buffer.ts';
import { sealedCredentials } from '../../../../actors/services/credentials/sealed-credentials.ts';
import { type SecretKeys, secretKeysOf } from '../../../../runtime/sealing/keys.ts';
import { createSealer, SecretUnreadable } from '../../../../runtime/sealing/seal.ts';
import { checkSecretKey } from '../../../../scripts/wiring/check-secret-keys.ts';
import { credentialRowsIn } from '../../../../store/devices/credentials.ts';
import type { Store } from '../../../../store/port.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';
import { Ear, link } from '../world.ts';
import { overThePeer } from './peer-world.ts';

const FIRST = '11'.repeat(32);
const SECOND = '22'.repeat(32);
const JWT = 'a secret of the gateway, long enough for it';
const keys = (current: string | null, before: readonly string[] = []): SecretKeys => secretKeysOf(current, before, JWT);
const owner = (epoch: number) => ({ tenantId: 't', sessionId: 's', epoch });

interface Cellar {
  readonly store: Store;
  /** The secrets of the device for its next owner, who has these keys; null: as they were kept before there were any. */
  taken(keys: SecretKeys | null): Promise<CredentialBuffer>;
  /** All that lies in the store, as it is. */
  texts(): Promise<readonly string[]>;
}

async function aCellar(scope: Scope, kind: StoreKind, first: SecretKeys | null): Promise<Cellar> {
  const store = await kind.fresh(scope);
  const plain = credentialRowsIn(store);
  await store.prepare();
  let epoch = 0;
  const credentialStore = (given: SecretKeys | null) => {
    epoch += 1;
    return credentialStoreOf(given ? sealedCredentials(plain, createSealer(given)) : plain, owner(epoch));
  };
  await credentialStore(first).create('g1');
  return {
    store,
    async taken(given) {
      const next = credentialStore(given);
      return new CredentialBuffer(next, (await next.take())!, () => {});
    },
    async texts() {
      const heads = await store
        .collection<{ _id: string; fresh: { value: string }[] }>({ name: 'credentials', indexes: [] })
        .find({})
        .toArray();
      const kept = await store.collection<{ _id: string; value: string }>({ name: 'keys', indexes: [] }).find({}).toArray();
      return [...heads.flatMap(({ fresh }) => fresh), ...kept].map(({ value }) => value);
    },
  };
}

async function write(credentialBuffer: CredentialBuffer, values: Readonly<Record<string, unknown>>): Promise<void> {
  credentialBuffer.set('session', values);
  await credentialBuffer.durable();
}

const SESSION = { secret: 'chain key of Anna' };

eachStore("a device's stored credentials", (kind) => {
  it('are fully encrypted in the store, and readable by the next owner', async (t) => {
    const cellar = await aCellar(t, kind, keys(FIRST));
    const first = await cellar.taken(keys(FIRST));
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`p${i}.0`, { ...SESSION, padding: 'x'.repeat(400) }]));
    for (const [id, value] of Object.entries(many)) await write(first, { [id]: value });
    const next = await cellar.taken(keys(FIRST));
    assert.deepEqual(await next.get('session', Object.keys(many)), many);
    const texts = await cellar.texts();
    assert.ok(texts.length >= 60);
    for (const text of texts) assert.match(text, /^gcm\.[\da-f]{8}\.[A-Za-z\d+/=]+$/);
  });

  it('are read if an earlier version stored them unencrypted, and encrypted on the first change', async (t) => {
    const cellar = await aCellar(t, kind, null);
    await write(await cellar.taken(null), { 'anna.0': SESSION });
    assert.ok((await cellar.texts()).some((text) => text.includes('chain key')));
    const next = await cellar.taken(keys(FIRST));
    assert.deepEqual(await next.get('session', ['anna.0']), { 'anna.0': SESSION });
    await write(next, { 'budi.0': SESSION });
    assert.ok((await cellar.texts()).every((text) => !text.includes('chain key')));
  });

  it('are encrypted with a new key, while those under the old key can still be read', async (t) => {
    const cellar = await aCellar(t, kind, keys(null));
    await write(await cellar.taken(keys(null)), { 'anna.0': SESSION });
    await write(await cellar.taken(keys(FIRST)), { 'budi.0': SESSION });
    const next = await cellar.taken(keys(SECOND, [FIRST]));
    assert.deepEqual(await next.get('session', ['anna.0', 'budi.0']), { 'anna.0': SESSION, 'budi.0': SESSION });
    await write(next, { 'cici.0': SESSION });
    const [, id] = createSealer(keys(SECOND)).seal('', '', '').split('.');
    for (const text of await cellar.texts()) assert.ok(text.startsWith(`gcm.${id}.`));
  });

  it('cannot be read or replaced with a wrong key, or swapped between devices', async (t) => {
    const cellar = await aCellar(t, kind, keys(FIRST));
    await write(await cellar.taken(keys(FIRST)), { 'anna.0': SESSION });
    const before = await cellar.texts();
    await assert.rejects(cellar.taken(keys(SECOND)), SecretUnreadable);
    assert.deepEqual(await cellar.texts(), before);
    const sealer = createSealer(keys(FIRST));
    assert.throws(() => sealer.open('g1', 'session/budi.0 1', sealer.seal('g1', 'session/anna.0 1', 'x')), SecretUnreadable);
    assert.throws(() => sealer.open('g2', 'session/anna.0 1', sealer.seal('g1', 'session/anna.0 1', 'x')), SecretUnreadable);
  });

  it('prevent a node with another key from starting', async (t) => {
    const { store } = await aCellar(t, kind, keys(FIRST));
    const start = (given: SecretKeys): Promise<void> => checkSecretKey(store, createSealer(given));
    await start(keys(null));
    await start(keys(FIRST));
    await start(keys(SECOND, [FIRST]));
    await assert.rejects(start(keys(FIRST)), /^Error: SECRETS_KEY /);
    await start(keys(SECOND));
  });

  it('leave number hashes unchanged when the key changes', async (t) => {
    const { store } = await aCellar(t, kind, keys(FIRST));
    const other = (current: string | null, before: readonly string[]): SecretKeys => secretKeysOf(current, before, 'another one');
    async function hash(given: SecretKeys): Promise<string> {
      const sealer = createSealer(given);
      await checkSecretKey(store, sealer);
      return sealer.keyedHash('tenant', '6281211110001');
    }
    const [first, ...atOnce] = await Promise.all([keys(null), keys(null, [FIRST]), keys(null)].map(hash));
    assert.deepEqual(atOnce, [first, first], 'a key that comes later is named, on some nodes');
    assert.equal(await hash(keys(FIRST)), first);
    assert.equal(await hash(other(SECOND, [FIRST])), first, 'a new secret of the gateway');
    assert.equal(await hash(other(SECOND, [])), first, 'and all that was sealed before is sealed anew');
    assert.equal(createSealer(keys(null, [FIRST])).keyedHash('g', 'x'), createSealer(keys(null)).keyedHash('g', 'x'));
  });

  it('leave number hashes unchanged if an earlier version stored no hash key', async (t) => {
    const { store } = await aCellar(t, kind, keys(FIRST));
    const [before, now] = [createSealer(keys(null)), createSealer(keys(null, [FIRST]))];
    const row = { _id: 'secrets of devices', sealed: before.seal('secrets of devices', 'secrets of devices', 'secrets of devices') };
    await store.collection<typeof row>({ name: 'sealed_samples', indexes: [] }).insertOne(row);
    await checkSecretKey(store, now);
    assert.equal(now.keyedHash('tenant', '62812'), before.keyedHash('tenant', '62812'));
  });
});

it('a device with unreadable credentials is reported, and does not start a new link', async (t) => {
  let isLocked = false;
  const world = await overThePeer(t, {
    wrap: (credentialStore) => ({
      ...credentialStore,
      take: () => (isLocked ? Promise.reject(new SecretUnreadable('other key')) : credentialStore.take()),
    }),
  });
  const credentials = await link(world, '6281100000001');
  isLocked = true;
  for (const given of [credentials, null]) {
    const ear = new Ear(world, given, 'd');
    assert.equal((await ear.hears('closed')).code, 423);
    assert.deepEqual(ear.all('qr'), []);
  }
});
