import assert from 'node:assert/strict';
import { it } from 'node:test';
import { vaultOf } from '../../../actors/device/vault.ts';
import type { Vault } from '../../../actors/network/port.ts';
import { Keyring } from '../../../actors/network/whatsapp/keyring.ts';
import { Draft, Locks } from '../../../actors/network/whatsapp/signal/secrets.ts';
import { type Keyrings, keyringsIn } from '../../../store/keyrings.ts';
import { eachStore, type Scope, type StoreKind } from '../../support/stores.ts';

const GENERATION = 'g1';
const owner = (epoch: number) => ({ tenantId: 't', sessionId: 's', epoch });

async function keyringsOf(kind: StoreKind, scope: Scope): Promise<Keyrings> {
  const store = await kind.fresh(scope);
  const keyrings = keyringsIn(store);
  await store.prepare();
  return keyrings;
}

const ignore = (): void => {};

async function created(vault: Vault): Promise<Keyring> {
  return new Keyring(vault, await vault.create(GENERATION), ignore);
}

async function taken(vault: Vault, onFailure = ignore): Promise<Keyring> {
  const found = await vault.take();
  assert.ok(found);
  return new Keyring(vault, found, onFailure);
}

eachStore('the secrets of a linked device', (kind) => {
  it('are there for the next owner as the last one left them', async (t) => {
    const keyrings = await keyringsOf(kind, t);
    const first = await created(vaultOf(keyrings, owner(1)));
    first.set('session', { 'anna.0': { chain: 1 }, 'budi.0': { chain: 1 } });
    first.set('session', { 'anna.0': { chain: 2 }, 'budi.0': null });
    first.set('pre-key', { 1: { public: Buffer.from('pub'), private: Buffer.from('priv') } });
    await first.durable();

    const next = await taken(vaultOf(keyrings, owner(2)));
    assert.deepEqual(await next.get('session', ['anna.0', 'budi.0', 'cici.0']), { 'anna.0': { chain: 2 } });
    assert.deepEqual(await next.get('pre-key', ['1', '2']), { 1: { public: Buffer.from('pub'), private: Buffer.from('priv') } });
  });

  it('are many: what has settled is read again when it is needed', async (t) => {
    const keyrings = await keyringsOf(kind, t);
    const first = await created(vaultOf(keyrings, owner(1)));
    const ids = Array.from({ length: 200 }, (_, i) => `person-${i}.0`);
    for (const id of ids) {
      first.set('session', { [id]: { of: id, padding: 'x'.repeat(500) } });
      await first.durable();
    }
    assert.deepEqual(Object.keys(await first.get('session', ids)), ids);
    const head = await vaultOf(keyrings, owner(2)).take();
    assert.ok(head!.fresh.length < 40, `${head!.fresh.length} are written with each change`);
    const next = await taken(vaultOf(keyrings, owner(3)));
    const found = await next.get('session', ids);
    assert.deepEqual(found[ids[0]!], { of: ids[0], padding: 'x'.repeat(500) });
    assert.equal(Object.keys(found).length, 200);
  });

  it('cannot be changed any more by an owner that was replaced, not even late', async (t) => {
    const keyrings = await keyringsOf(kind, t);
    const vault = vaultOf(keyrings, owner(1));
    const failures: unknown[] = [];
    const old = new Keyring(vault, await vault.create(GENERATION), (cause) => failures.push(cause));
    old.set('session', { 'anna.0': { chain: 1 } });
    await old.durable();

    const next = await taken(vaultOf(keyrings, owner(2)));
    old.set('session', { 'anna.0': { chain: 'lost' } });
    await assert.rejects(old.durable(), { name: 'Fenced' });
    assert.equal(failures.length, 1);
    await assert.rejects(old.get('session', ['cici.0']), { name: 'Fenced' });
    await assert.rejects(vault.take(), { name: 'Fenced' });
    await assert.rejects(vault.create('g2'), { name: 'Fenced' });
    await assert.rejects(vault.destroy(), { name: 'Fenced' });

    next.set('session', { 'anna.0': { chain: 2 } });
    await next.durable();
    await vaultOf(keyrings, owner(2)).keep(GENERATION, [{ name: 'session/anna.0', rev: 9_000_000_000, value: '{"chain":2}' }]);
    await vault.keep(GENERATION, [{ name: 'session/anna.0', rev: 5, value: '{"chain":"lost"}' }]);
    const last = await taken(vaultOf(keyrings, owner(3)));
    assert.deepEqual(await last.get('session', ['anna.0']), { 'anna.0': { chain: 2 } });
    assert.deepEqual(await keyrings.read(GENERATION, ['session/anna.0']), [
      { name: 'session/anna.0', rev: 9_000_000_000, value: '{"chain":2}' },
    ]);
  });

  it('are gone when the device is linked anew, and when it is unlinked', async (t) => {
    const keyrings = await keyringsOf(kind, t);
    const vault = vaultOf(keyrings, owner(1));
    const first = await created(vault);
    first.set('pre-key', { 1: { public: Buffer.from('a'), private: Buffer.from('b') } });
    await first.durable();
    const second = new Keyring(vault, await vault.create('g2'), ignore);
    assert.deepEqual(await second.get('pre-key', ['1']), {});
    await assert.rejects(new Promise((_, reject) => first.set('session', { x: {} }) ?? first.durable().catch(reject)), { name: 'Fenced' });
    await vault.destroy();
    assert.equal(await vault.take(), null);
  });

  it('tell what is not there from what cannot be read, and are of no use after that', async (t) => {
    const keyrings = await keyringsOf(kind, t);
    const working = vaultOf(keyrings, owner(1));
    assert.equal(await working.take(), null);
    const down = new Error('the store is down');
    const vault: Vault = { ...working, read: () => Promise.reject(down) };
    const failures: unknown[] = [];
    const keyring = new Keyring(vault, await working.create(GENERATION), (cause) => failures.push(cause));
    keyring.set('session', { 'anna.0': { chain: 1 } });
    await assert.rejects(keyring.get('session', ['budi.0']), down);
    await assert.rejects(keyring.durable(), down);
    assert.deepEqual(failures, [down]);
  });

  it('that belong together are stored together', async (t) => {
    const keyrings = await keyringsOf(kind, t);
    const working = vaultOf(keyrings, owner(1));
    const commits: (readonly string[])[] = [];
    const vault: Vault = {
      ...working,
      commit(keyring) {
        commits.push(keyring.fresh.map(({ name }) => name));
        return working.commit(keyring);
      },
    };
    const keyring = await created(vault);
    const draft = new Draft(keyring, new Locks());
    draft.set('session', { 'anna.0': { chain: 1 } });
    // As long as a look into the store takes.
    await draft.get('session', ['budi.0']);
    await draft.get('session', ['cici.0']);
    draft.set('inbound', { m1: { text: 'hello' } });
    assert.deepEqual(await draft.get('session', ['anna.0']), { 'anna.0': { chain: 1 } });
    assert.deepEqual(await keyring.get('session', ['anna.0']), {}, 'nobody else sees them before');
    draft.keep();
    await keyring.durable();
    assert.deepEqual(commits, [['session/anna.0', 'inbound/m1']]);
  });

  it('are written by nobody but who took them last', async (t) => {
    const keyrings = await keyringsOf(kind, t);
    const vault = vaultOf(keyrings, owner(1));
    const closing = await created(vault);
    const opening = await taken(vault);
    closing.set('session', { 'anna.0': { chain: 'of a line that is over' } });
    await assert.rejects(closing.durable(), { name: 'Fenced' });
    opening.set('session', { 'anna.0': { chain: 1 } });
    await opening.durable();
  });

  it('keep what came in until it is done with, in the order in which it came', async (t) => {
    const keyrings = await keyringsOf(kind, t);
    const first = await created(vaultOf(keyrings, owner(1)));
    const ids = Array.from({ length: 50 }, (_, i) => `m${i}`);
    for (const id of ids) {
      first.set('inbound', { [id]: { id, padding: 'x'.repeat(600) } });
      await first.durable();
    }
    first.set('inbound', { m0: null, m49: null });
    await first.durable();
    const next = await taken(vaultOf(keyrings, owner(2)));
    assert.deepEqual([...(await next.all('inbound')).keys()], ids.slice(1, -1));
  });

  it('are found in the order in which they came by who follows an owner that died while it put them where they stay', async (t) => {
    const keyrings = await keyringsOf(kind, t);
    const vault = vaultOf(keyrings, owner(1));
    const died = Promise.withResolvers<void>();
    const keep: Vault['keep'] = async (generation, entries) => {
      await vault.keep(
        generation,
        entries.filter((_, nth) => nth % 2 === 1),
      );
      died.resolve();
      return new Promise(() => {});
    };
    const first = await created({ ...vault, keep });
    const ids = Array.from({ length: 30 }, (_, i) => `m${i}`);
    first.set('inbound', Object.fromEntries(ids.map((id) => [id, { id, padding: 'x'.repeat(600) }])));
    await died.promise;
    const next = await taken(vaultOf(keyrings, owner(2)));
    assert.deepEqual([...(await next.all('inbound')).keys()], ids);
  });

  it('are all found, though some are put where they stay while they are looked for', async (t) => {
    const vault = vaultOf(await keyringsOf(kind, t), owner(1));
    const kept = Promise.withResolvers<void>();
    const keyring = await created({
      ...vault,
      keep: (generation, entries) => vault.keep(generation, entries).finally(() => setImmediate(kept.resolve)),
      async list(generation, of) {
        const found = await vault.list(generation, of);
        keyring.set('inbound', { last: 'x'.repeat(18_000) });
        await kept.promise;
        return found;
      },
    });
    keyring.set('inbound', { first: 1 });
    await keyring.durable();
    assert.deepEqual([...(await keyring.all('inbound')).keys()], ['first', 'last']);
  });
});
