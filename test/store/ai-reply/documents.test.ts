import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type DocumentRow, type DocumentStatus, documentsIn } from '../../../store/ai-reply/documents.ts';
import { eachStore } from '../../support/stores.ts';

eachStore('abandoned documents', (kind) => {
  it('are found in every unfinished status, oldest first, without a full scan', async (t) => {
    const store = await kind.fresh(t);
    const documents = documentsIn(store);
    await store.prepare();
    const rows: readonly (readonly [DocumentStatus, updated_at: number])[] = [
      ['parsing', 3],
      ['deleting', 2],
      ['ready', 1],
      ['parsing', 1],
      ['deleting', 4],
      ['parsing', 9],
    ];
    for (const [status, updated_at] of rows) await documents.add(aDocument(status, updated_at), 10);
    const found = await documents.stale(9, 3);
    assert.deepEqual(
      found.map(({ _id }) => _id),
      ['parsing 1', 'deleting 2', 'parsing 3'],
    );
  });
});

const aDocument = (status: DocumentStatus, updated_at: number): DocumentRow => ({
  _id: `${status} ${updated_at}`,
  tenant_id: 't1',
  name: 'menu.txt',
  ext: 'txt',
  size: 1,
  status,
  progress: 0,
  chunks: 0,
  error: null,
  engine: 'local',
  source_url: null,
  blob: null,
  version: null,
  vectors_model: null,
  created_at: 1,
  updated_at,
});
