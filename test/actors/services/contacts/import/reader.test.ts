import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fieldNamed } from '../../../../../actors/services/contacts/import/headers.ts';
import { createImportReader, ImportStopped } from '../../../../../actors/services/contacts/import/reader.ts';
import { someChildren } from '../../../../runtime/child-processes/children-fixture.ts';

it('the import reader parses at most two JSON bodies per tenant at a time, and keeps the others waiting unread', async (t) => {
  const children = await someChildren(t);
  const reader = createImportReader({ children, zoneOf: async () => 'UTC' });
  const begun: string[] = [];
  const arrived = Promise.withResolvers<Uint8Array>();
  const slow = (tenant: string) =>
    reader.json(tenant, async (stage) => {
      begun.push(tenant);
      return stage([await arrived.promise]);
    });
  const all = Promise.allSettled([...Array.from({ length: 13 }, () => slow('one')), slow('other')]);
  await new Promise(setImmediate);
  assert.deepEqual(begun, ['one', 'one', 'other']);
  arrived.resolve(Buffer.from('{"rows": [{"phone": "1"}]}'));
  const outcomes = await all;
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []));
  assert.deepEqual([begun.length, refused], [13, ['OVERLOADED']]);
  for (const outcome of outcomes) if (outcome.status === 'fulfilled' && typeof outcome.value === 'object') await outcome.value.rows.close();
});

const FORM = { kind: 'csv', encoding: 'utf-8', delimiter: ',', columns: ['phone', 'name'] } as const;
const partOf = (text: string) => ({
  ...{ bytes: Buffer.from(text), isLast: true, isLongest: false, form: FORM, line: 2 },
  optIn: false,
});

it('the import reader returns both the contacts and the invalid rows of each part of a file', async (t) => {
  const children = await someChildren(t);
  const reader = createImportReader({ children, zoneOf: async () => 'UTC' });
  const read = await reader.rows('one', partOf('081211110001,Ana\n,Ben\n'));
  assert.deepEqual(
    read.contacts.map(({ row, phones, name }) => [row, phones, name]),
    [[2, ['081211110001'], 'Ana']],
  );
  assert.deepEqual(
    read.errors.map(({ row, field }) => [row, field]),
    [[3, 'phone']],
  );
  assert.deepEqual([read.invalid, read.consumed, read.line], [1, 22, 4]);
  const next = await reader.rows('one', partOf('081211110002,Ana\n'));
  assert.equal(next.contacts.length, 1);
});

it('the import reader rejects a JSON body that needs too much memory, and keeps working', async (t) => {
  const children = await someChildren(t);
  const reader = createImportReader({ children, zoneOf: async () => 'UTC' });
  const tiny = Buffer.from(`{"rows": [{}${',{}'.repeat(8_000_000)}]}`);
  await assert.rejects(
    reader.json('one', (stage) => stage([tiny])),
    (cause) => cause instanceof ImportStopped && cause.freeAt === null && /too much memory/.test(cause.reason.en),
  );
  assert.equal(await reader.json('one', (stage) => stage([Buffer.from('{"rows": 1}')])), 'rows');
});

it('the import reader immediately rejects files from a tenant that has used up its CPU time', async (t) => {
  const children = await someChildren(t, { cpuMsAnHour: 1, now: () => Date.UTC(2026, 0, 1, 7, 3, 30) });
  const reader = createImportReader({ children, zoneOf: async () => 'Asia/Jakarta' });
  await reader.rows('one', partOf('081211110001,Ana\n'));
  const isSpent = (cause: unknown) =>
    cause instanceof ImportStopped &&
    cause.freeAt === Date.UTC(2026, 0, 1, 8, 4) &&
    /Try again after 15:04\./.test(cause.reason.en) &&
    /setelah pukul 15\.04\./.test(cause.reason.id);
  await assert.rejects(reader.rows('one', partOf('081211110001,Ana\n')), isSpent);
  await assert.rejects(reader.expectTime('one'), isSpent);
  await reader.expectTime('other');
});

it('the import reader reads a header of brackets about as fast as one of letters', () => {
  const cpuOf = (header: string): number => {
    const before = process.threadCpuUsage();
    for (let nth = 0; nth < 10; nth += 1) fieldNamed(header);
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  };
  const LENGTH = 20_000;
  cpuOf('('.repeat(LENGTH));
  const [brackets, letters] = [cpuOf('('.repeat(LENGTH)), cpuOf('x'.repeat(LENGTH))];
  assert.ok(brackets < letters * 20 + 20_000, `${brackets} µs of CPU for brackets, ${letters} for letters`);
});
