import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Doc } from '../../../store/port.ts';
import { sweepTraces, TRACED, type Traced } from '../../../store/privacy/traces.ts';
import { aGateway } from '../../support/gateway.ts';
import { type Fate, IN_STEPS, mapped } from '../../support/personal-data.ts';
import { storedFields } from '../../support/stored-fields.ts';
import { eachStore } from '../../support/stores.ts';

type Row = Doc & Readonly<Record<string, unknown>>;

const isErased = (fields: ReadonlyMap<string, Fate>): boolean => [...fields.values()].some((fate) => fate !== 'kept');

it('the map of personal data lists every field of every collection', () => {
  const [map, stored] = [mapped(), storedFields()];
  assert.deepEqual([...map.keys()].sort(), [...stored.keys()].sort());
  for (const [name, fields] of stored) assert.deepEqual([...(map.get(name)?.keys() ?? [])].sort(), [...fields].sort(), name);
});

it('the map of personal data marks exactly the collections that an erasure covers', () => {
  const erased = [...mapped()].filter(([, fields]) => isErased(fields)).map(([name]) => name);
  assert.deepEqual(erased.sort(), [...TRACED, ...IN_STEPS].sort());
});

const DORA = '6281244440004';
const WHO: Traced = {
  ...{ tenantId: 'shop', phone: DORA, numbers: [DORA], subjects: [DORA], needles: new Set([DORA]), devices: ['d'], removed: [] },
  ...{ rotators: ['r'], campaigns: ['c'], links: ['l'], counted: ['d'], until: 2 },
};
/** What a row belongs to, and where it says nothing of them. */
const PLACE = {
  tenant_id: 'shop',
  session_id: 'd',
  blast_id: 'c',
  rotator_id: 'r',
  of: 'd',
  link_id: 'l',
  created_at: 1,
  status: 'sent',
  rev: 1,
  phone: DORA,
};
/** Fields by which a row is found or read; a number in them means nothing. */
const NOT_TEXTS = new Set([
  '_id',
  ...Object.keys(PLACE),
  'at',
  'occurred_at',
  'status',
  'type',
  'refund',
  'fanned',
  'outbox_pending',
  'readings',
]);

eachStore('an erasure', (kind) => {
  it('removes a number from every field that the map of personal data marks', async (t) => {
    const { store } = await aGateway(t, { kind });
    const map = mapped();
    for (const name of TRACED) {
      const rows = store.collection<Row>({ name, indexes: [] });
      const fields = [...(map.get(name) ?? [])].filter(([field, fate]) => fate !== 'kept' && !NOT_TEXTS.has(field)).map(([field]) => field);
      const idOf = (nth: number): string => (name === 'store_hooks' ? `l.${nth}` : `shop:${nth}`);
      const empty = name === 'deliveries' ? { body: '{}' } : name === 'idempotency' ? { answer: '{}' } : {};
      const { phone, ...place } = PLACE;
      const own = name === 'campaign_recipients' ? { phone } : {};
      for (const [nth, field] of fields.entries()) {
        const _id = idOf(nth);
        // As what it was written in, so that it also stands in fields that hold JSON.
        await rows.insertOne({ _id, ...place, ...own, ...empty, [field]: JSON.stringify({ phone: `+${DORA}` }) });
        await sweepTraces(rows, name, WHO);
        const left = await rows.findOne({ _id });
        assert.ok(!JSON.stringify(left).includes(DORA), `${name}.${field}: ${JSON.stringify(left)}`);
        await rows.deleteMany({ _id });
      }
      if (fields.length > 0) continue;
      // Only its key names the chat.
      await rows.insertOne({ _id: `r:${DORA}@s.whatsapp.net`, ...place });
      await sweepTraces(rows, name, WHO);
      assert.equal(await rows.findOne({}), null, name);
    }
  });
});
