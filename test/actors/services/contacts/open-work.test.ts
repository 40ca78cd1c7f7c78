import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newJob } from '../../../../actors/services/contacts/bulk-jobs.ts';
import { importFilesIn, PIECE_BYTES } from '../../../../store/contacts/import-files.ts';
import { jobsIn } from '../../../../store/jobs/jobs.ts';
import { eachStore } from '../../../support/stores.ts';
import { anAddressBook, bookOf } from './contacts-fixture.ts';

const CSV = { 'content-type': 'text/csv' };
const IMPORT = '/v1/contacts/import';
const FILE = 'Name,Phone\nAnna,+6281211110001\n';

const aRemoval = (tenantId: string, nth: number) => newJob(tenantId, { kind: 'forget', words: 'tags', label_id: `tag ${nth}` }, nth);
const aDocument = (tenantId: string, nth: number) => newJob(tenantId, { kind: 'document', document_id: `document ${nth}` }, nth);

eachStore("a business's queued long jobs", (kind) => {
  it('are limited in number, and do not use up the limit of another business', async (t) => {
    const { gateway, acme, ask, api } = await anAddressBook(t, kind);
    const other = bookOf(gateway, (await gateway.signUp('Other', '+62 811-0000-8888')).api);
    const tag = await ask(201, 'POST', '/v1/tags', { name: 'VIP' });
    const segment = await ask(201, 'POST', '/v1/segments', {
      name: 'All',
      rules: { all: [{ field: 'name', op: 'contains', value: 'Anna' }] },
    });
    const jobs = jobsIn(gateway.store);
    for (let nth = 0; nth < 100; nth += 1) await jobs.add(aRemoval(acme.id, nth));

    const refused = [
      await api('DELETE', `/v1/tags/${tag.id}`),
      await api('POST', IMPORT, FILE, CSV),
      await api('POST', '/v1/contacts/bulk', { action: 'tag', segment_id: segment.id, value: 'VIP' }),
    ];
    for (const { status, body, headers } of refused) {
      assert.deepEqual([status, body.code], [503, 'OVERLOADED']);
      assert.ok(Number(headers.get('retry-after')) > 0);
    }
    assert.equal((await ask(200, 'GET', '/v1/tags')).tags.length, 1, 'what was refused is not begun');
    await other.ask(202, 'POST', IMPORT, FILE, CSV);

    await gateway.until('the job runner has done some', async () => (await api('DELETE', `/v1/tags/${tag.id}`)).status === 200);
  });

  it('are limited by the size of their import files, including aborted uploads', async (t) => {
    const { gateway, acme, ask } = await anAddressBook(t, kind);
    const other = bookOf(gateway, (await gateway.signUp('Other', '+62 811-0000-8888')).api);
    const files = importFilesIn(gateway.store);
    const most = Math.ceil((100 * 1024 * 1024) / PIECE_BYTES);
    const now = gateway.clock.now();
    const abandon = (nth: number) => files.write(acme.id, 'abandoned', nth, Buffer.from('x'), now);
    for (let from = 0; from < most - 1; from += 100)
      await Promise.all(Array.from({ length: Math.min(100, most - 1 - from) }, (_, nth) => abandon(from + nth)));
    const long = FILE + 'Anna,+6281211110001\n'.repeat(200_000);
    assert.equal((await ask(503, 'POST', IMPORT, long, CSV)).code, 'OVERLOADED');
    assert.equal(await files.count(acme.id, most), most - 1, 'a file that is refused leaves nothing');

    await abandon(most);
    assert.equal((await ask(503, 'POST', IMPORT, FILE, CSV)).code, 'OVERLOADED');
    assert.equal((await ask(503, 'POST', IMPORT, { rows: [{ phone: '+6281211110001' }] })).code, 'OVERLOADED');
    await other.ask(202, 'POST', IMPORT, FILE, CSV);
    await files.remove('abandoned', 10);
    await ask(202, 'POST', IMPORT, FILE, CSV);
  });

  it('leave no file behind if the import form is invalid', async (t) => {
    const { gateway, acme, api } = await anAddressBook(t, kind);
    const kept = () => importFilesIn(gateway.store).count(acme.id, 100);
    const part = `--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\ncontent-type: text/csv\r\n\r\n${FILE}\r\n--x\r\n`;
    const broken = await api('POST', IMPORT, `${part}no header`, { 'content-type': 'multipart/form-data; boundary=x' });
    assert.equal(broken.status, 400);
    assert.equal(await kept(), 0);
  });

  it('do not delay the jobs of other businesses', async (t) => {
    const store = await kind.fresh(t);
    const jobs = jobsIn(store);
    await store.prepare();
    for (let from = 0; from < 10_000; from += 100)
      await Promise.all(Array.from({ length: 100 }, (_, nth) => jobs.add(aDocument('many', from + nth))));
    for (const tenantId of ['after', 'many', 'next']) await jobs.add(aDocument(tenantId, 20_000));
    assert.deepEqual(await jobs.waiting(), ['after', 'many', 'next']);
  });
});
