import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { it } from 'node:test';
import { createDocuments, type KnowledgeDocuments } from '../../../../actors/services/ai-reply/documents.ts';
import type { Reading } from '../../../../actors/services/ai-reply/reading/reading.ts';
import { newId } from '../../../../runtime/ids.ts';
import { documentSharesIn } from '../../../../store/ai-reply/document-shares.ts';
import { type DocumentRow, documentsIn } from '../../../../store/ai-reply/documents.ts';
import { MediaUnavailable } from '../../../../store/media/unavailable.ts';
import type { Store } from '../../../../store/port.ts';
import { mortalStore } from '../../../support/mortal-store.ts';
import { eachStore, type Scope } from '../../../support/stores.ts';

const MINUTE = 60_000;
const MAX_WRITES = 40;
const PASSAGES = 120;

/** Documents of a node over a store. Files lie elsewhere, and what is read in them is known: reading has tests of its own. */
function aNode(
  store: Store,
  world: { now: number; version: number; isAway?: boolean; readonly ordered: Set<string>; readonly files: Map<string, Uint8Array> },
): KnowledgeDocuments {
  return createDocuments({
    documents: documentsIn(store),
    shares: documentSharesIn(store),
    knowledge: { changing: (_tenant, change) => change() },
    bytes: {
      write: async (_tenant, name, source) => {
        for await (const chunk of source) world.files.set(name, chunk);
      },
      read: async (_tenant, name) => {
        if (world.isAway) throw new MediaUnavailable('the bucket does not serve');
        const file = world.files.get(name);
        return file ? Readable.from([file]) : null;
      },
      remove: async (_tenant, name) => void world.files.delete(name),
    },
    reader: {
      async read(_tenant, { open }): Promise<Reading> {
        await open(stagedNowhere);
        const passages = Array.from({ length: PASSAGES }, (_, nth) => ({ heading: '', text: `version ${world.version} passage ${nth}` }));
        return { ok: true, title: null, ext: 'txt', passages, leftOut: [], bytes: 1 };
      },
    },
    embedder: null,
    egress: { check: async () => null },
    fetcher: { fetch: () => Promise.reject(new Error('no page here')) },
    order: async (_tenant, id) => world.ordered.add(id),
    now: () => world.now,
    failed: () => {},
  });
}

const stagedNowhere = async () => ({ path: '', bytes: 1, sha256: '', remove: async () => {} });

eachStore('a document whose reader crashes', (kind) => {
  it('is complete after a crash at any write, with either its old or its new text', async (t) => {
    const store = await kind.fresh(t);
    const rows = documentsIn(store);
    await store.prepare();
    const world = { now: 1, version: 1, ordered: new Set<string>(), files: new Map<string, Uint8Array>() };
    const { _id } = await aNode(store, world).upload(
      'shop',
      (async function* () {
        yield Buffer.from('words');
      })(),
      'notes.txt',
    );
    const job = { tenant_id: 'shop', document_id: _id };
    await aNode(store, world).work(job);
    const texts = async (): Promise<readonly string[]> => {
      const row = await rows.find('shop', _id);
      return (await rows.passages(_id, row?.version ?? '', -1, 1_000)).map(({ text }) => text);
    };
    const whole = (version: number): readonly string[] => Array.from({ length: PASSAGES }, (_, nth) => `version ${version} passage ${nth}`);
    assert.deepEqual(await texts(), whole(1));

    let killed = 0;
    for (let write = 1; write <= MAX_WRITES; write += 1) {
      for (const isMade of [false, true]) {
        world.version += 1;
        await aNode(store, world).parse('shop', _id);
        const mortal = mortalStore(store, { write, isMade });
        const outcome = await Promise.allSettled([aNode(mortal.store, world).work(job)]);
        if (!mortal.isDead()) {
          assert.deepEqual([outcome[0].status, await texts()], ['fulfilled', whole(world.version)]);
          write = MAX_WRITES;
          break;
        }
        killed += 1;
        const between = await texts();
        assert.ok(
          [world.version - 1, world.version].some((version) => between.join() === whole(version).join()),
          `half at write ${write}`,
        );
        // Nobody repeats the job of a process that died: the sweep finds the document.
        world.ordered.clear();
        world.now += 11 * MINUTE;
        const next = aNode(store, world);
        await next.resume(world.now);
        const { status } = await next.get('shop', _id);
        assert.ok(status === 'ready' || world.ordered.has(_id), `${status}, and nobody reads it`);
        await next.work(job);
        assert.equal((await next.get('shop', _id)).status, 'ready');
        assert.deepEqual(await texts(), whole(world.version));
        assert.equal(await store.collection({ name: 'ai_passages', indexes: [] }).countDocuments({}), PASSAGES, 'nothing is left over');
      }
    }
    assert.ok(killed >= 10, `${killed} kills`);
  });
});

eachStore('a document while its bucket is unavailable', (kind) => {
  it('is parsed once the bucket is available again, however many attempts failed before', async (t) => {
    const store = await kind.fresh(t);
    await store.prepare();
    const world = { now: 1, version: 1, isAway: false, ordered: new Set<string>(), files: new Map<string, Uint8Array>() };
    const node = aNode(store, world);
    const { _id } = await node.upload('shop', Readable.from([Buffer.from('words')]), 'notes.txt');
    const job = { tenant_id: 'shop', document_id: _id };
    world.isAway = true;
    for (let tries = 0; tries < 20; tries += 1) await assert.rejects(node.work(job), MediaUnavailable);
    world.isAway = false;
    await node.work(job);
    assert.equal((await node.get('shop', _id)).status, 'ready');
  });
});

eachStore('documents added on two nodes at the same time', (kind) => {
  const AT_ONCE = 4;
  const MAX_BYTES = 500 * 1024 * 1024;
  const MAX_PASSAGES = 10_000;

  async function aShop(scope: Scope, taken: Pick<DocumentRow, 'size' | 'chunks'>) {
    const store = await kind.fresh(scope);
    const rows = documentsIn(store);
    const world = { now: Date.UTC(2026, 0), version: 1, ordered: new Set<string>(), files: new Map<string, Uint8Array>() };
    const nodes = [aNode(store, world), aNode(store, world)] as const;
    await store.prepare();
    const upload = (node: KnowledgeDocuments, nth: number) => node.upload('shop', Readable.from([Buffer.from('words')]), `${nth}.txt`);
    const first = await upload(nodes[0], 0);
    await nodes[0].remove('shop', first._id);
    await nodes[0].work({ tenant_id: 'shop', document_id: first._id });
    await rows.add({ ...first, _id: newId(1), status: 'ready', ...taken }, AT_ONCE + 2);
    return { rows, nodes, upload };
  }

  it("stay within the tenant's byte limit", async (t) => {
    const { rows, nodes, upload } = await aShop(t, { size: MAX_BYTES - 2 * 'words'.length, chunks: 0 });
    const asked = await Promise.allSettled(Array.from({ length: AT_ONCE }, (_, nth) => upload(nth % 2 === 0 ? nodes[0] : nodes[1], nth)));
    assert.deepEqual(asked.map(({ status }) => status).sort(), ['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    assert.equal(
      (await rows.list('shop')).reduce((sum, { size }) => sum + size, 0),
      MAX_BYTES,
    );
  });

  it("stay within the tenant's passage limit, and free their share when deleted", async (t) => {
    const { rows, nodes, upload } = await aShop(t, { size: 1, chunks: MAX_PASSAGES - 2 * PASSAGES });
    const made = await Promise.all(Array.from({ length: AT_ONCE }, (_, nth) => upload(nodes[0], nth)));
    const work = (ids: readonly string[]) =>
      Promise.all(ids.map((document_id, nth) => (nth % 2 === 0 ? nodes[0] : nodes[1]).work({ tenant_id: 'shop', document_id })));
    await work(made.map(({ _id }) => _id));
    const withStatus = async (status: string) => (await rows.list('shop')).filter((row) => row.status === status).map(({ _id }) => _id);
    assert.deepEqual([(await withStatus('ready')).length, (await withStatus('failed')).length], [3, 2]);
    const [old] = (await withStatus('ready')).filter((id) => made.some(({ _id }) => _id === id));
    await nodes[0].remove('shop', old ?? '');
    await work([old ?? '']);
    const [again] = await withStatus('failed');
    await nodes[1].parse('shop', again ?? '');
    await work([again ?? '']);
    assert.equal((await nodes[1].get('shop', again ?? '')).status, 'ready');
  });
});
