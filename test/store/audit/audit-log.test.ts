import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { auditLogIn } from '../../../store/audit/audit-log.ts';
import type { AuditDraft, AuditRow } from '../../../store/audit/entry.ts';
import type { Collection, Store } from '../../../store/port.ts';
import { eachStore } from '../../support/stores.ts';

const KEY = Buffer.alloc(32, 1);
const TENANT = 'T1';
const ANNA = '6281211110001';

const draft = (nth: number, more: Partial<AuditDraft> = {}): AuditDraft => ({
  id: `E${String(nth).padStart(4, '0')}`,
  tenant_id: TENANT,
  at: 1_000 + nth,
  actor: { kind: 'owner', id: TENANT, name: 'Acme' },
  auth: 'otp',
  address: '203.0.113.7',
  request_id: null,
  action: 'key.create',
  target: { kind: 'key', id: `K${nth}` },
  result: 'ok',
  code: null,
  changes: [{ field: 'name', from: null, to: `key ${nth}` }],
  ...more,
});

eachStore('the audit log', (kind) => {
  async function filled(scope: Parameters<typeof kind.fresh>[0], count: number) {
    const store = await kind.fresh(scope);
    const log = auditLogIn(store, KEY);
    await store.prepare();
    await log.begin(TENANT);
    for (let nth = 1; nth <= count; nth += 1) await log.append(draft(nth));
    return { store, log, rows: rowsOf(store) };
  }
  const rowsOf = (store: Store): Collection<AuditRow> => store.collection<AuditRow>({ name: 'audit', indexes: [] });

  it('passes verification if it has not been modified, and returns each entry once', async (t) => {
    const { log } = await filled(t, 6);
    await log.append(draft(3));
    assert.deepEqual(await log.verify(TENANT), { ok: true, from_seq: 1, to_seq: 6, first_bad_seq: null });
  });

  it('can be verified and exported in slices, without blocking other work', async (t) => {
    const { log, rows } = await filled(t, 0);
    const drafts = Array.from({ length: 350 }, (_, nth) => draft(nth + 1));
    await log.appendAll(TENANT, drafts);
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; turns += 1) await nextTurn();
    })();
    assert.deepEqual(await log.verify(TENANT), { ok: true, from_seq: 1, to_seq: 350, first_bad_seq: null });
    isOver = true;
    await others;
    assert.ok(turns >= 4, `${turns} turns`);
    const all: string[] = [];
    for await (const { _id } of log.all(TENANT)) all.push(_id);
    assert.deepEqual(
      all,
      drafts.map(({ id }) => id),
    );
    await rows.updateOne({ tenant_id: TENANT, seq: 201 }, { $set: { at: 7 } });
    assert.equal((await log.verify(TENANT)).first_bad_seq, 201);
  });

  it('can verify an entry with a lone surrogate in a client name', async (t) => {
    const { log } = await filled(t, 1);
    await log.append(draft(2, { changes: [{ field: 'client', from: null, to: 'a program \ud83d' }] }));
    assert.deepEqual(await log.verify(TENANT), { ok: true, from_seq: 1, to_seq: 2, first_bad_seq: null });
  });

  const tampering: Readonly<Record<string, (rows: Collection<AuditRow>) => Promise<unknown>>> = {
    'a changed action': (rows) => rows.updateOne({ tenant_id: TENANT, seq: 4 }, { $set: { action: 'key.revoke' } }),
    'a changed time': (rows) => rows.updateOne({ tenant_id: TENANT, seq: 4 }, { $set: { at: 7 } }),
    'a changed detail': (rows) => rows.updateOne({ tenant_id: TENANT, seq: 4 }, { $set: { 'detail.address': '198.51.100.1' } }),
    'a removed row': (rows) => rows.deleteOne({ tenant_id: TENANT, seq: 4 }),
    'two swapped rows': async (rows) => {
      await rows.updateOne({ tenant_id: TENANT, seq: 4 }, { $set: { seq: 99 } });
      await rows.updateOne({ tenant_id: TENANT, seq: 5 }, { $set: { seq: 4 } });
      await rows.updateOne({ tenant_id: TENANT, seq: 99 }, { $set: { seq: 5 } });
    },
    'an inserted row': async (rows) => {
      const later = (await rows.find({ tenant_id: TENANT, seq: { $gte: 4 } }, { sort: { seq: -1 } }).toArray()).map(({ _id, seq }) => ({
        _id,
        seq,
      }));
      for (const { _id, seq } of later) await rows.updateOne({ _id }, { $set: { seq: seq + 1 } });
      const before = await rows.findOne({ tenant_id: TENANT, seq: 3 });
      await rows.insertOne({ ...before!, _id: 'forged', seq: 4, prev: before!.mac });
    },
    'a chain rebuilt without the key': async (rows) => {
      const forger = auditLogIn({ collection: () => rows } as unknown as Store, Buffer.alloc(32, 2));
      await rows.deleteMany({ tenant_id: TENANT, seq: { $gte: 4 } });
      await forger.append(draft(40)).catch(() => {});
    },
  };
  for (const [what, tamper] of Object.entries(tampering))
    it(`reveals ${what} and the sequence number`, async (t) => {
      const { log, rows } = await filled(t, 7);
      await tamper(rows);
      const { ok, first_bad_seq } = await log.verify(TENANT);
      assert.deepEqual([ok, first_bad_seq], [false, 4]);
    });

  it('has no gaps or duplicates, even if two nodes write to it at the same time', async (t) => {
    const store = await kind.fresh(t);
    const nodes = [auditLogIn(store, KEY), auditLogIn(store, KEY)];
    await store.prepare();
    await nodes[0]!.begin(TENANT);
    await Promise.all(Array.from({ length: 40 }, (_, nth) => nodes[nth % 2]!.append(draft(nth))));
    // The same entry by both: a retry after a crash.
    await Promise.all(nodes.map((log) => log.append(draft(77))));
    assert.deepEqual(await nodes[0]!.verify(TENANT), { ok: true, from_seq: 1, to_seq: 41, first_bad_seq: null });
  });

  it('still passes verification after a person has been erased', async (t) => {
    const { store, log } = await filled(t, 2);
    await log.append(draft(3, { action: 'consent.set', target: { kind: 'person', id: ANNA } }));
    await log.append(draft(4));
    const page = { limit: 10, before: null, beforeId: null };
    assert.equal((await Array.fromAsync(log.list(TENANT, { target: ANNA }, page)))[0]?.detail?.person, ANNA);
    assert.equal(await log.erasePerson(TENANT, [ANNA], 2_000), 1);
    const text = JSON.stringify(await rowsOf(store).find({}).toArray());
    assert.doesNotMatch(text, new RegExp(ANNA));
    assert.equal((await log.verify(TENANT)).ok, true);
    assert.equal((await Array.fromAsync(log.list(TENANT, { target: ANNA }, page)))[0]?.detail, undefined);
  });

  it('can drop its oldest entries, and continues the sequence', async (t) => {
    const { store, log, rows } = await filled(t, 9);
    assert.equal(await log.cut(TENANT, 1_006, 3), 3);
    assert.deepEqual(await log.verify(TENANT), { ok: true, from_seq: 4, to_seq: 9, first_bad_seq: null });
    assert.equal(await log.cut(TENANT, 1_006, 100), 2);
    assert.equal(await log.cut(TENANT, 9_999, 100), 4);
    assert.deepEqual(await log.verify(TENANT), { ok: true, from_seq: 10, to_seq: 9, first_bad_seq: null });
    await log.append(draft(10));
    assert.deepEqual(await log.verify(TENANT), { ok: true, from_seq: 10, to_seq: 10, first_bad_seq: null });
    await store.collection({ name: 'audit_anchors', indexes: [] }).updateOne({ _id: TENANT }, { $set: { seq: 8 } });
    assert.equal((await log.verify(TENANT)).ok, false);
    assert.equal(await rows.countDocuments({ tenant_id: TENANT }), 1);
  });

  it('can be searched for old entries in slices, without blocking other work', async (t) => {
    const { log } = await filled(t, 0);
    // Many of one, also at one moment, in front of the others'.
    await log.appendAll(
      TENANT,
      Array.from({ length: 1_500 }, (_, nth) => draft(nth)),
    );
    await log.appendAll(
      TENANT,
      Array.from({ length: 1_500 }, (_, nth) => draft(2_000 + nth, { at: 9_000 })),
    );
    for (const [nth, at] of [10, 9_000, 9_001].entries()) await log.append(draft(5_000 + nth, { tenant_id: `T${nth + 2}`, at }));
    let turns = 0;
    let isOver = false;
    const others = (async () => {
      for (; !isOver; turns += 1) await nextTurn();
    })();
    assert.deepEqual([...(await log.tenantsSince(1_000))].sort(), [TENANT, 'T3', 'T4']);
    isOver = true;
    await others;
    assert.ok(turns >= 4, `${turns} turns`);
    assert.deepEqual(await log.tenantsSince(9_001), ['T4']);
    assert.deepEqual(await log.tenantsSince(9_002), []);
  });

  it('still passes verification if a slow node trims fewer entries than another node did', async (t) => {
    const { store, log } = await filled(t, 9);
    const slow = auditLogIn(
      beforeWritesOf('audit_anchors', store, async () => void (await log.cut(TENANT, 1_007, 100))),
      KEY,
    );
    await slow.cut(TENANT, 1_004, 100);
    assert.deepEqual(await log.verify(TENANT), { ok: true, from_seq: 7, to_seq: 9, first_bad_seq: null });
  });

  it('still passes verification if entries are trimmed while it is checked', async (t) => {
    const { store, log } = await filled(t, 9);
    let cuts = 0;
    const checking = auditLogIn(
      around('audit_anchors', store, 'findOne', async (ask) => {
        const answer = await ask();
        cuts += 1;
        if (cuts === 1) await log.cut(TENANT, 1_007, 100);
        return answer;
      }),
      KEY,
    );
    assert.deepEqual(await checking.verify(TENANT), { ok: true, from_seq: 7, to_seq: 9, first_bad_seq: null });
    assert.ok(cuts > 1, 'it was asked before it was cut only');
  });
});

/** The store, for somebody who is overtaken by `other` just before they write to this collection. */
const beforeWritesOf = (name: string, store: Store, other: () => Promise<void>): Store =>
  around(name, store, 'updateOne', async (ask) => {
    await other();
    return ask();
  });

/** The store, with something around each call of one member of this collection. */
function around(name: string, store: Store, asked: string, answer: (ask: () => unknown) => Promise<unknown>): Store {
  const collection: Store['collection'] = (spec) => {
    const real = store.collection<never>(spec);
    if (spec.name !== name) return real;
    return new Proxy(real, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => (key === asked ? answer(() => member.apply(target, args)) : member.apply(target, args));
      },
    });
  };
  return Object.create(store, { collection: { value: collection } });
}
