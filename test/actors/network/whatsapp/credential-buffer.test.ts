import assert from 'node:assert/strict';
import { it } from 'node:test';
import { credentialStoreOf } from '../../../../actors/device/effects/credential-store.ts';
import type { CredentialStore } from '../../../../actors/network/port.ts';
import { CredentialBuffer } from '../../../../actors/network/whatsapp/keys/credential-buffer.ts';
import { Draft, Locks } from '../../../../actors/network/whatsapp/signal/secrets.ts';
import { type CredentialRows, credentialRowsIn } from '../../../../store/devices/credentials.ts';
import type { Collection, Doc, Store } from '../../../../store/port.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const GENERATION = 'g1';
const owner = (epoch: number) => ({ tenantId: 't', sessionId: 's', epoch });

async function credentialRowsOf(kind: StoreKind, scope: Scope): Promise<CredentialRows> {
  const store = await kind.fresh(scope);
  const credentialRows = credentialRowsIn(store);
  await store.prepare();
  return credentialRows;
}

const ignore = (): void => {};

/** The collection, which notes the name of each command that `keep` may use. */
function counted<T extends Doc>(collection: Collection<T>, commands: string[]): Collection<T> {
  return new Proxy(collection, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof member !== 'function') return member;
      return (...args: readonly unknown[]): unknown => {
        commands.push(String(name));
        return member.apply(target, args);
      };
    },
  });
}

async function created(credentialStore: CredentialStore): Promise<CredentialBuffer> {
  return new CredentialBuffer(credentialStore, await credentialStore.create(GENERATION), ignore);
}

async function taken(credentialStore: CredentialStore, onFailure = ignore): Promise<CredentialBuffer> {
  const found = await credentialStore.take();
  assert.ok(found);
  return new CredentialBuffer(credentialStore, found, onFailure);
}

eachStore("a linked device's credentials", (kind) => {
  it('are read by the next owner exactly as the previous owner stored them', async (t) => {
    const credentialRows = await credentialRowsOf(kind, t);
    const first = await created(credentialStoreOf(credentialRows, owner(1)));
    first.set('session', { 'anna.0': { chain: 1 }, 'budi.0': { chain: 1 } });
    first.set('session', { 'anna.0': { chain: 2 }, 'budi.0': null });
    first.set('pre-key', { 1: { public: Buffer.from('pub'), private: Buffer.from('priv') } });
    await first.durable();

    const next = await taken(credentialStoreOf(credentialRows, owner(2)));
    assert.deepEqual(await next.get('session', ['anna.0', 'budi.0', 'cici.0']), { 'anna.0': { chain: 2 } });
    assert.deepEqual(await next.get('pre-key', ['1', '2']), { 1: { public: Buffer.from('pub'), private: Buffer.from('priv') } });
  });

  it('include the 812 pre-keys of a new link, which are stored in only a few commands', async (t) => {
    const store = await kind.fresh(t);
    const commands: string[] = [];
    const watched: Store = { ...store, collection: (spec) => counted(store.collection(spec), commands) };
    const credentialRows = credentialRowsIn(watched);
    await store.prepare();
    const entries = Array.from({ length: 812 }, (_, i) => ({ name: `pre-key/${i + 1}`, rev: i + 1, value: `key ${i + 1}` }));
    await credentialRows.keep(owner(1), GENERATION, entries);
    await credentialRows.keep(owner(1), GENERATION, entries);
    assert.deepEqual(commands, ['insertMany', 'insertMany', 'insertMany', 'find', 'insertMany', 'find']);
    const newer = { name: 'pre-key/7', rev: 900, value: 'newer' };
    await credentialRows.keep(owner(1), GENERATION, [newer]);
    await credentialRows.keep(owner(1), GENERATION, entries);
    assert.deepEqual(await credentialRows.read(GENERATION, ['pre-key/7', 'pre-key/8']), [newer, entries[7]]);
  });

  it('are read on demand after they were moved to separate records, even if there are many', async (t) => {
    const credentialRows = await credentialRowsOf(kind, t);
    const first = await created(credentialStoreOf(credentialRows, owner(1)));
    const ids = Array.from({ length: 200 }, (_, i) => `person-${i}.0`);
    for (const id of ids) {
      first.set('session', { [id]: { of: id, padding: 'x'.repeat(500) } });
      await first.durable();
    }
    assert.deepEqual(Object.keys(await first.get('session', ids)), ids);
    const head = await credentialStoreOf(credentialRows, owner(2)).take();
    assert.ok(head!.fresh.length < 40, `${head!.fresh.length} are written with each change`);
    const next = await taken(credentialStoreOf(credentialRows, owner(3)));
    const found = await next.get('session', ids);
    assert.deepEqual(found[ids[0]!], { of: ids[0], padding: 'x'.repeat(500) });
    assert.equal(Object.keys(found).length, 200);
  });

  for (const passing of ['spread', 'label-facts', 'own-phone'])
    it(`are deleted completely, even after they were moved to separate records: ${passing}`, async (t) => {
      const credentialRows = await credentialRowsOf(kind, t);
      const first = await created(credentialStoreOf(credentialRows, owner(1)));
      const ids = Array.from({ length: 60 }, (_, i) => `message-${i}`);
      for (const id of ids) {
        first.set(passing, { [id]: { padding: 'x'.repeat(500) } });
        await first.durable();
      }
      assert.ok((await credentialRows.list(GENERATION, passing)).length > 20, 'most of them are kept');
      for (const id of ids) {
        first.set(passing, { [id]: null });
        await first.durable();
      }
      first.set('session', { 'anna.0': { chain: 1 } });
      await first.durable();
      assert.deepEqual(await first.get(passing, ids), {});
      const head = await credentialStoreOf(credentialRows, owner(2)).take();
      assert.ok(head!.fresh.length < 25, `${head!.fresh.length} are written with each change`);
      assert.deepEqual(await (await taken(credentialStoreOf(credentialRows, owner(3)))).get(passing, ids), {});
      assert.ok((await credentialRows.list(GENERATION, passing)).length < 25);
    });

  it('cannot be changed by a former owner, however late it writes', async (t) => {
    const credentialRows = await credentialRowsOf(kind, t);
    const credentialStore = credentialStoreOf(credentialRows, owner(1));
    const failures: unknown[] = [];
    const old = new CredentialBuffer(credentialStore, await credentialStore.create(GENERATION), (cause) => failures.push(cause));
    old.set('session', { 'anna.0': { chain: 1 } });
    await old.durable();

    const next = await taken(credentialStoreOf(credentialRows, owner(2)));
    old.set('session', { 'anna.0': { chain: 'lost' } });
    await assert.rejects(old.durable(), { name: 'Fenced' });
    assert.equal(failures.length, 1);
    await assert.rejects(old.get('session', ['cici.0']), { name: 'Fenced' });
    await assert.rejects(credentialStore.take(), { name: 'Fenced' });
    await assert.rejects(credentialStore.create('g2'), { name: 'Fenced' });
    await assert.rejects(credentialStore.destroy(), { name: 'Fenced' });

    next.set('session', { 'anna.0': { chain: 2 } });
    await next.durable();
    await credentialStoreOf(credentialRows, owner(2)).keep(GENERATION, [
      { name: 'session/anna.0', rev: 9_000_000_000, value: '{"chain":2}' },
    ]);
    await credentialStore.keep(GENERATION, [{ name: 'session/anna.0', rev: 5, value: '{"chain":"lost"}' }]);
    const last = await taken(credentialStoreOf(credentialRows, owner(3)));
    assert.deepEqual(await last.get('session', ['anna.0']), { 'anna.0': { chain: 2 } });
    assert.deepEqual(await credentialRows.read(GENERATION, ['session/anna.0']), [
      { name: 'session/anna.0', rev: 9_000_000_000, value: '{"chain":2}' },
    ]);
  });

  it('are deleted when the device is unlinked or linked again', async (t) => {
    const credentialRows = await credentialRowsOf(kind, t);
    const credentialStore = credentialStoreOf(credentialRows, owner(1));
    const first = await created(credentialStore);
    first.set('pre-key', { 1: { public: Buffer.from('a'), private: Buffer.from('b') } });
    await first.durable();
    const second = new CredentialBuffer(credentialStore, await credentialStore.create('g2'), ignore);
    assert.deepEqual(await second.get('pre-key', ['1']), {});
    await assert.rejects(new Promise((_, reject) => first.set('session', { x: {} }) ?? first.durable().catch(reject)), { name: 'Fenced' });
    await credentialStore.destroy();
    assert.equal(await credentialStore.take(), null);
  });

  it('are kept if the credentials of an earlier link are deleted late', async (t) => {
    const credentialRows = await credentialRowsOf(kind, t);
    const credentialStore = credentialStoreOf(credentialRows, owner(1));
    await created(credentialStore);
    const second = new CredentialBuffer(credentialStore, await credentialStore.create('g2'), ignore);
    second.set('pre-key', { 1: { public: Buffer.from('a'), private: Buffer.from('b') } });
    await second.durable();
    await credentialStore.destroy(GENERATION);
    const next = await taken(credentialStoreOf(credentialRows, owner(2)));
    assert.deepEqual(Object.keys(await next.get('pre-key', ['1'])), ['1']);
    await assert.rejects(credentialStore.destroy('g2'), { name: 'Fenced' });
    await credentialStoreOf(credentialRows, owner(2)).destroy('g2');
    assert.deepEqual([await credentialStore.take(), await credentialRows.list('g2', 'pre-key')], [null, []]);
  });

  it('cause an error when the store fails, and cannot be used afterwards', async (t) => {
    const credentialRows = await credentialRowsOf(kind, t);
    const working = credentialStoreOf(credentialRows, owner(1));
    assert.equal(await working.take(), null);
    const down = new Error('the store is down');
    const credentialStore: CredentialStore = { ...working, read: () => Promise.reject(down) };
    const failures: unknown[] = [];
    const credentialBuffer = new CredentialBuffer(credentialStore, await working.create(GENERATION), (cause) => failures.push(cause));
    credentialBuffer.set('session', { 'anna.0': { chain: 1 } });
    await assert.rejects(credentialBuffer.get('session', ['budi.0']), down);
    await assert.rejects(credentialBuffer.durable(), down);
    assert.deepEqual(failures, [down]);
  });

  it('are stored in a single commit if one operation changed them', async (t) => {
    const credentialRows = await credentialRowsOf(kind, t);
    const working = credentialStoreOf(credentialRows, owner(1));
    const commits: (readonly string[])[] = [];
    const credentialStore: CredentialStore = {
      ...working,
      commit(credentialBuffer) {
        commits.push(credentialBuffer.fresh.map(({ name }) => name));
        return working.commit(credentialBuffer);
      },
    };
    const credentialBuffer = await created(credentialStore);
    const draft = new Draft(credentialBuffer, new Locks());
    draft.set('session', { 'anna.0': { chain: 1 } });
    // As long as a look into the store takes.
    await draft.get('session', ['budi.0']);
    await draft.get('session', ['cici.0']);
    draft.set('inbound', { m1: { text: 'hello' } });
    assert.deepEqual(await draft.get('session', ['anna.0']), { 'anna.0': { chain: 1 } });
    assert.deepEqual(await credentialBuffer.get('session', ['anna.0']), {}, 'nobody else sees them before');
    draft.keep();
    await credentialBuffer.durable();
    assert.deepEqual(commits, [['session/anna.0', 'inbound/m1']]);
  });

  it('can be written only by the connection that was the last to read them', async (t) => {
    const credentialRows = await credentialRowsOf(kind, t);
    const credentialStore = credentialStoreOf(credentialRows, owner(1));
    const closing = await created(credentialStore);
    const opening = await taken(credentialStore);
    closing.set('session', { 'anna.0': { chain: 'of a connection that is over' } });
    await assert.rejects(closing.durable(), { name: 'Fenced' });
    opening.set('session', { 'anna.0': { chain: 1 } });
    await opening.durable();
  });

  it('include incoming messages in order of arrival, until these are processed', async (t) => {
    const credentialRows = await credentialRowsOf(kind, t);
    const first = await created(credentialStoreOf(credentialRows, owner(1)));
    const ids = Array.from({ length: 50 }, (_, i) => `m${i}`);
    for (const id of ids) {
      first.set('inbound', { [id]: { id, padding: 'x'.repeat(600) } });
      await first.durable();
    }
    first.set('inbound', { m0: null, m49: null });
    await first.durable();
    const next = await taken(credentialStoreOf(credentialRows, owner(2)));
    assert.deepEqual([...(await next.all('inbound')).keys()], ids.slice(1, -1));
  });

  it('keep incoming messages in order of arrival if the owner crashes while moving them', async (t) => {
    const credentialRows = await credentialRowsOf(kind, t);
    const credentialStore = credentialStoreOf(credentialRows, owner(1));
    const died = Promise.withResolvers<void>();
    const keep: CredentialStore['keep'] = async (generation, entries) => {
      await credentialStore.keep(
        generation,
        entries.filter((_, nth) => nth % 2 === 1),
      );
      died.resolve();
      return new Promise(() => {});
    };
    const first = await created({ ...credentialStore, keep });
    const ids = Array.from({ length: 30 }, (_, i) => `m${i}`);
    first.set('inbound', Object.fromEntries(ids.map((id) => [id, { id, padding: 'x'.repeat(600) }])));
    await died.promise;
    const next = await taken(credentialStoreOf(credentialRows, owner(2)));
    assert.deepEqual([...(await next.all('inbound')).keys()], ids);
  });

  it('are all found, even if some are moved to separate records during the read', async (t) => {
    const credentialStore = credentialStoreOf(await credentialRowsOf(kind, t), owner(1));
    const kept = Promise.withResolvers<void>();
    const credentialBuffer = await created({
      ...credentialStore,
      keep: (generation, entries) => credentialStore.keep(generation, entries).finally(() => setImmediate(kept.resolve)),
      async list(generation, of) {
        const found = await credentialStore.list(generation, of);
        credentialBuffer.set('inbound', { last: 'x'.repeat(18_000) });
        await kept.promise;
        return found;
      },
    });
    credentialBuffer.set('inbound', { first: 1 });
    await credentialBuffer.durable();
    assert.deepEqual([...(await credentialBuffer.all('inbound')).keys()], ['first', 'last']);
  });
});
