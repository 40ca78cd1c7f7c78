import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createDocuments, type KnowledgeDocuments } from '../../../../actors/services/ai-reply/documents.ts';
import type { Embedder } from '../../../../actors/services/ai-reply/engine/embedder.ts';
import { quantized } from '../../../../actors/services/ai-reply/retrieval/vectors.ts';
import { safeText } from '../../../../runtime/safe-text.ts';
import { documentSharesIn } from '../../../../store/ai-reply/document-shares.ts';
import { type DocumentRow, documentsIn, type PassageRow } from '../../../../store/ai-reply/documents.ts';
import type { Store } from '../../../../store/port.ts';
import { mortalStore } from '../../../support/mortal-store.ts';
import { eachStore } from '../../../support/stores.ts';

const MINUTE = 60_000;
/** More than a step of its job takes. */
const MANY = 264;
const FEW = 40;
const JOB = { tenant_id: 'shop', document_id: 'd1' };
const passagesOf = (store: Store) => store.collection<PassageRow>({ name: 'ai_passages', indexes: [] });

/** A model with a dimension; `null` vectors: it cannot be had. */
function aModel(model: string, dimension: () => number | null): Embedder & { readonly asked: string[] } {
  const asked: string[] = [];
  const passages: Embedder['passages'] = async (_tenant, texts) => {
    const length = dimension();
    asked.push(...texts);
    return length === null ? null : texts.flatMap((_, at) => quantized(Array.from({ length }, (_one, nth) => at + nth + 1)) ?? []);
  };
  return { model, asked, passages, question: async () => null };
}

function aNode(store: Store, embedder: Embedder, now: () => number, ordered: string[] = []): KnowledgeDocuments {
  const none = () => Promise.reject(new Error('not of this test'));
  return createDocuments({
    documents: documentsIn(store),
    shares: documentSharesIn(store),
    knowledge: { changing: (_tenant, change) => change() },
    bytes: { write: none, read: none, remove: none },
    reader: { read: none },
    embedder,
    egress: { check: async () => null },
    fetcher: { fetch: none },
    order: async (_tenant, id) => void ordered.push(id),
    now,
    failed: () => {},
  });
}

async function aDocument(store: Store, count: number, version = 'v1'): Promise<void> {
  const documents = documentsIn(store);
  await store.prepare();
  const row: DocumentRow = {
    _id: JOB.document_id,
    tenant_id: JOB.tenant_id,
    name: 'guide.txt',
    ext: 'txt',
    size: 1,
    status: 'ready',
    progress: 1,
    chunks: count,
    error: null,
    engine: 'local',
    source_url: 'https://shop.example/guide',
    blob: null,
    version,
    vectors_model: null,
    created_at: 1,
    updated_at: 1,
  };
  await documents.add(row, 10);
  const { _id: document_id, tenant_id } = row;
  const rows = Array.from({ length: count }, (_, number) => ({
    _id: `${document_id}:${version}:${number}`,
    tenant_id,
    document_id,
    version,
    number,
    heading: safeText(''),
    text: safeText(`passage ${number}`),
  }));
  await documents.addPassages(rows);
}

/** Steps of its job until it is done; gives their number. */
async function worked(node: KnowledgeDocuments): Promise<number> {
  for (let steps = 1; ; steps += 1) if ((await node.work(JOB)).status === 'done') return steps;
}

eachStore("a document's vectors", (kind) => {
  it('are used only when complete, even after crashes, and each passage is requested once', async (t) => {
    const store = await kind.fresh(t);
    await aDocument(store, MANY);
    const documents = documentsIn(store);
    const state = async () => ({
      model: (await documents.find(JOB.tenant_id, JOB.document_id))?.vectors_model ?? null,
      without: (await documents.passagesWithout(JOB.document_id, 'v1', 'places/4', -1, MANY)).length,
    });
    const places = aModel('places', () => 4);
    // In the first passages, in the midst of them, and around the last write, which says that they are whole.
    for (const [write, isMade] of [
      [1, false],
      [40, true],
      [150, false],
      [76, true],
      [30, false],
      [7, false],
    ] as const) {
      const mortal = mortalStore(store, { write, isMade });
      await Promise.allSettled([worked(aNode(mortal.store, places, () => 1))]);
      const { model, without } = await state();
      assert.ok(model === null || without === 0, `${without} passages without vectors count`);
    }
    assert.ok((await worked(aNode(store, places, () => 1))) >= 1);
    assert.deepEqual(await state(), { model: 'places', without: 0 });
    const calls = places.asked.length;
    assert.equal(await worked(aNode(store, places, () => 1)), 1);
    assert.equal(places.asked.length, calls, 'what is whole is not asked for again');
    assert.ok(calls < 2.5 * MANY, `${calls} texts`);
  });

  it('are computed again by a sweep for a new model, and are used only when complete', async (t) => {
    const store = await kind.fresh(t);
    await aDocument(store, FEW);
    const documents = documentsIn(store);
    let [dimension, now]: [number | null, number] = [null, 1];
    const [old, next] = [aModel('old', () => dimension), aModel('next', () => 8)];
    const ordered: string[] = [];
    const model = async () => (await documents.find(JOB.tenant_id, JOB.document_id))?.vectors_model;
    const node = aNode(store, old, () => now, ordered);
    assert.equal(await worked(node), 1, 'it cannot be had: that is no reason to repeat the job at once');
    assert.equal(await model(), null);
    now += 11 * MINUTE;
    await node.resume(now);
    await node.resume(now);
    assert.deepEqual(ordered, [JOB.document_id], 'it is tried again later, and not at every sweep');
    // A dimension that changes on the way is another model under the same name.
    dimension = 4;
    await node.work(JOB);
    dimension = 5;
    await worked(node);
    const dimensions = async () =>
      new Set((await passagesOf(store).find({ document_id: JOB.document_id }).toArray()).map(({ vector_of }) => vector_of));
    assert.deepEqual([await model(), await dimensions()], ['old', new Set(['old/5'])]);

    ordered.length = 0;
    now += 11 * MINUTE;
    const other = aNode(store, next, () => now, ordered);
    await node.resume(now);
    assert.deepEqual(ordered, []);
    await other.resume(now);
    assert.deepEqual(ordered, [JOB.document_id]);
    await Promise.all([worked(other), worked(node)]);
    assert.deepEqual([await model(), await dimensions()], ['next', new Set(['next/8'])]);
  });

  it('are deleted with the document', async (t) => {
    const store = await kind.fresh(t);
    await aDocument(store, FEW);
    const node = aNode(
      store,
      aModel('places', () => 4),
      () => 1,
    );
    await worked(node);
    const rows = await passagesOf(store).find({ document_id: JOB.document_id }).toArray();
    assert.equal(rows.filter(({ vector }) => vector !== undefined).length, FEW);
    await node.remove(JOB.tenant_id, JOB.document_id);
    await worked(node);
    assert.equal(await passagesOf(store).countDocuments({}), 0);
    assert.equal(await documentsIn(store).find(JOB.tenant_id, JOB.document_id), null);
  });
});
