import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tenantsSpec } from '../../../store/accounts/tenants.ts';
import { type AuditLog, auditLogIn } from '../../../store/audit/audit-log.ts';
import type { ChainHead } from '../../../store/audit/chain.ts';
import { checkLogs } from '../../../store/audit/check-logs.ts';
import { type AuditDraft, type AuditRow, OPERATOR_LOG } from '../../../store/audit/entry.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import type { Collection, Doc, Store } from '../../../store/port.ts';
import { aDirectory, eachStore, type Scope } from '../../support/stores.ts';

const KEY = Buffer.alloc(32, 1);
const TENANT = 'T1';
const OTHER = 'T2';
const ANNA = '6281211110001';
const BUDI = '6281211110002';
const SOUND = { ok: true, from_seq: 1, to_seq: 7, first_bad_seq: null };

/** Entry 3 is about Anna, entry 5 about Budi. */
const draft = (nth: number, tenant_id = TENANT): AuditDraft => ({
  id: `${tenant_id}-${nth}`,
  tenant_id,
  at: 1_000 + nth,
  actor: { kind: 'owner', id: tenant_id, name: 'Acme' },
  auth: 'otp',
  address: '203.0.113.7',
  request_id: null,
  action: nth === 3 || nth === 5 ? 'consent.set' : 'key.create',
  target: nth === 3 ? { kind: 'person', id: ANNA } : nth === 5 ? { kind: 'person', id: BUDI } : { kind: 'key', id: `K${nth}` },
  result: 'ok',
  code: null,
  changes: [{ field: 'name', from: null, to: `key ${nth}` }],
});

interface Parts {
  readonly store: Store;
  readonly log: AuditLog;
  readonly rows: Collection<AuditRow>;
  readonly heads: Collection<ChainHead & Doc & { readonly signature?: string }>;
}

async function partsOf(store: Store): Promise<Parts> {
  const log = auditLogIn(store, KEY);
  const tenants = store.collection<Doc & Record<string, unknown>>(tenantsSpec);
  await store.prepare();
  for (const _id of [TENANT, OTHER]) await tenants.insertOne({ _id, phone: _id, created_at: 0 });
  const parts = {
    store,
    log,
    rows: store.collection<AuditRow>(named('audit')),
    heads: store.collection<ChainHead & Doc>(named('audit_heads')),
  };
  for (const tenant of [TENANT, OTHER, OPERATOR_LOG]) {
    await log.begin(tenant);
    await log.appendAll(
      tenant,
      [1, 2, 3, 4, 5, 6, 7].map((nth) => draft(nth, tenant)),
    );
    await headAt(parts, 7, tenant);
  }
  return parts;
}

const named = (name: string) => ({ name, indexes: [] });

/** The head of a log follows its last entry a moment later. */
async function headAt({ heads }: Parts, seq: number, tenant = TENANT): Promise<ChainHead & Doc> {
  for (let tries = 0; tries < 2_000; tries += 1) {
    const head = await heads.findOne({ _id: tenant });
    if (head?.seq === seq) return head;
    await sleep(1);
  }
  return assert.fail(`the head of ${tenant} does not reach ${seq}`);
}

/** As another process finds it, which remembers nothing. */
const found = async ({ store }: Parts, tenant = TENANT): Promise<string> => {
  const { ok, faults = [], first_bad_seq } = await auditLogIn(store, KEY).verify(tenant);
  assert.deepEqual([ok, first_bad_seq], [faults.length === 0, faults.length === 0 ? null : Math.min(...faults.map(({ seq }) => seq))]);
  return faults.map(({ seq, fault }) => `${seq} ${fault}`).join(', ');
};

const foundInAll = async ({ store, log }: Parts): Promise<Record<string, string>> => {
  const all: Record<string, string> = {};
  for await (const one of checkLogs(log, store))
    all[one.log] = one.isLeftover ? 'leftover' : (one.faults ?? []).map(({ seq, fault }) => `${seq} ${fault}`).join(', ');
  return all;
};

const ALL_SOUND = { [TENANT]: '', [OTHER]: '', [OPERATOR_LOG]: '' };

const tampering: Readonly<Record<string, readonly [expected: string, tamper: (parts: Parts) => Promise<unknown>]>> = {
  'an edited entry': ['4 changed', ({ rows }) => rows.updateOne(at(4), { $set: { action: 'key.revoke' } })],
  'edited details': ['4 changed', ({ rows }) => rows.updateOne(at(4), { $set: { 'detail.address': '198.51.100.1' } })],
  'removed details': ['4 detail_removed', ({ rows }) => rows.updateOne(at(4), { $unset: { detail: 1 } })],
  'details removed with an invented erasure mark': [
    '4 detail_removed',
    ({ rows }) => rows.updateOne(at(4), { $unset: { detail: 1 }, $set: { erased: 'ab'.repeat(32) } }),
  ],
  "details removed with another entry's erasure mark": [
    '4 detail_removed',
    async ({ log, rows }) => {
      await log.erasePerson(TENANT, [ANNA], 9_999);
      const erased = (await rows.findOne(at(3)))?.erased;
      assert.ok(erased);
      await rows.updateOne(at(4), { $unset: { detail: 1 }, $set: { erased } });
    },
  ],
  'details removed with a mark obtained from a manipulated erasure': [
    '3 changed, 4 detail_removed',
    async ({ log, rows }) => {
      const mac = (await rows.findOne(at(4)))?.mac;
      await rows.updateOne(at(3), { $set: { mac } });
      await log.erasePerson(TENANT, [ANNA], 9_999);
      const erased = (await rows.findOne(at(3)))?.erased ?? 'none';
      await rows.updateOne(at(4), { $unset: { detail: 1 }, $set: { erased } });
    },
  ],
  'details removed before an erasure of the person': [
    '3 detail_removed',
    async ({ log, rows }) => {
      await rows.updateOne(at(3), { $unset: { detail: 1 } });
      await log.erasePerson(TENANT, [ANNA], 9_999);
    },
  ],
  'a removed entry': ['4 missing', ({ rows }) => rows.deleteOne(at(4))],
  'two distant changes, and an unreadable entry between them': [
    '2 changed, 4 unreadable, 6 changed',
    async ({ rows }) => {
      for (const seq of [2, 6]) await rows.updateOne(at(seq), { $set: { at: 7 } });
      await rows.updateOne(at(4), { $set: { mac: 7, prev: ['no', 'text'] } });
    },
  ],
  'details replaced by another type of value': [
    '4 unreadable',
    ({ rows }) => rows.updateOne(at(4), { $set: { detail: null, erased: { mark: 1 } } }),
  ],
  'removed last entries': ['6 cut_off', ({ rows }) => rows.deleteMany({ tenant_id: TENANT, seq: { $gte: 6 } })],
  'removed last entries that were followed by new ones': [
    '7 cut_off',
    async (parts) => {
      await parts.rows.deleteMany({ tenant_id: TENANT, seq: { $gte: 6 } });
      // Each of a process of its own, and further than before.
      for (let nth = 8; nth <= 12; nth += 1) await auditLogIn(parts.store, KEY).append(draft(nth));
      await sleep(20);
    },
  ],
  'a removed entry that replaced a later one': [
    '7 moved, 7 cut_off',
    async ({ store, rows }) => {
      const former = await rows.findOne(at(6));
      assert.ok(former);
      await rows.deleteMany({ tenant_id: TENANT, seq: { $gte: 6 } });
      for (let nth = 8; nth <= 10; nth += 1) await auditLogIn(store, KEY).append(draft(nth));
      await rows.deleteOne(at(6));
      await rows.insertOne(former);
    },
  ],
  'removed last entries with a forged head': [
    '6 head_missing',
    async ({ rows, heads }) => {
      await rows.deleteMany({ tenant_id: TENANT, seq: { $gte: 6 } });
      const last = await rows.findOne(at(5));
      await heads.updateOne({ _id: TENANT }, { $set: { seq: 5, mac: last?.mac } });
    },
  ],
  'removed last entries with a text as the number in the head': [
    '9 head_missing',
    async ({ store, rows, heads }) => {
      await heads.updateOne({ _id: TENANT }, { $set: { seq: '7' } });
      await rows.deleteMany({ tenant_id: TENANT, seq: { $gte: 6 } });
      for (let nth = 8; nth <= 10; nth += 1) await auditLogIn(store, KEY).append(draft(nth));
    },
  ],
  'a head copied from another log': [
    '6 head_missing',
    async ({ rows, heads }) => {
      await rows.deleteMany({ tenant_id: TENANT, seq: { $gte: 6 } });
      const { _id, ...head } = (await heads.findOne({ _id: OTHER })) ?? { _id: '' };
      await heads.updateOne({ _id: TENANT }, { $set: head });
    },
  ],
  'a removed log': ['1 cut_off', ({ rows }) => rows.deleteMany({ tenant_id: TENANT })],
  'a log removed with its head': [
    '1 log_missing',
    async ({ rows, heads }) => {
      await rows.deleteMany({ tenant_id: TENANT });
      await heads.deleteOne({ _id: TENANT });
    },
  ],
  'a log removed with its head, and a later entry': [
    '2 head_missing',
    async ({ store, rows, heads }) => {
      await rows.deleteMany({ tenant_id: TENANT });
      await heads.deleteOne({ _id: TENANT });
      await auditLogIn(store, KEY).append(draft(8));
    },
  ],
  'an entry swapped with one of another tenant': [
    '4 changed',
    async ({ rows }) => {
      const [own, other] = [await rows.findOne(at(4)), await rows.findOne({ tenant_id: OTHER, seq: 4 })];
      assert.ok(own && other);
      await rows.deleteOne(at(4));
      await rows.deleteOne({ tenant_id: OTHER, seq: 4 });
      await rows.insertOne({ ...other, tenant_id: TENANT });
      await rows.insertOne({ ...own, tenant_id: OTHER });
    },
  ],
  'a forged removal of old entries': [
    '1 anchor_changed, 1 missing',
    async ({ store, rows }) => {
      const last = await rows.findOne(at(3));
      await rows.deleteMany({ tenant_id: TENANT, seq: { $lte: 3 } });
      await store
        .collection<ChainHead & Doc & { signature: string }>(named('audit_anchors'))
        .insertOne({ _id: TENANT, seq: 3, mac: String(last?.mac), signature: 'ab'.repeat(32) });
    },
  ],
  'a time changed to mislead retention': [
    '1 changed, 2 changed, 3 changed, 4 changed, 5 changed, 6 changed, 7 changed',
    async ({ log, rows }) => {
      await rows.updateMany({ tenant_id: TENANT }, { $set: { at: 7 } });
      assert.equal(await log.cut(TENANT, 500, 100), 0);
    },
  ],
};

const at = (seq: number) => ({ tenant_id: TENANT, seq });

eachStore('the audit log check', (kind) => {
  const filled = async (scope: Scope): Promise<Parts> => partsOf(await kind.fresh(scope));

  for (const [what, [expected, tamper]] of Object.entries(tampering))
    it(`detects ${what}`, async (t) => {
      const parts = await filled(t);
      assert.deepEqual(await foundInAll(parts), ALL_SOUND);
      await tamper(parts);
      assert.equal(await found(parts), expected);
      assert.equal(await found(parts, OTHER), what.includes('another tenant') ? '4 changed' : '');
    });

  it('detects that the last entries were removed, even if an older head was restored', async (t) => {
    const parts = await filled(t);
    const { _id, ...older } = await headAt(parts, 7);
    for (let nth = 8; nth <= 9; nth += 1) await parts.log.append(draft(nth));
    const { seq, mac } = await headAt(parts, 9);
    await parts.heads.updateOne({ _id: TENANT }, { $set: older });
    await parts.rows.deleteMany({ tenant_id: TENANT, seq: { $gte: 8 } });
    const fault = [{ seq: 8, fault: 'cut_off' }];
    assert.deepEqual((await parts.log.verify(TENANT)).faults, fault);
    assert.deepEqual((await auditLogIn(parts.store, KEY).verify(TENANT, [{ seq, mac }])).faults, fault);
  });

  it('accepts an older head left by a crashed process, and the next entry repairs the head', async (t) => {
    const parts = await filled(t);
    const { _id, ...older } = await headAt(parts, 7);
    await parts.log.append(draft(8));
    await headAt(parts, 8);
    await parts.heads.updateOne({ _id: TENANT }, { $set: older });
    assert.equal(await found(parts), '');
    await parts.log.append(draft(9));
    await headAt(parts, 9);
    assert.equal(await found(parts), '');
  });

  it('accepts a log with an older head after retention removed the entries up to that head', async (t) => {
    const parts = await filled(t);
    const { _id, ...older } = await headAt(parts, 7);
    for (let nth = 8; nth <= 9; nth += 1) await parts.log.append(draft(nth));
    await headAt(parts, 9);
    await parts.heads.updateOne({ _id: TENANT }, { $set: older });
    assert.equal(await parts.log.cut(TENANT, 1_009, 100), 8);
    await parts.log.append(draft(10));
    await headAt(parts, 10);
    assert.equal(await found(parts), '');
  });

  it('accepts a log to which two nodes write concurrently', async (t) => {
    const parts = await filled(t);
    const nodes = [parts.log, auditLogIn(parts.store, KEY)];
    await Promise.all(Array.from({ length: 40 }, (_, nth) => nodes[nth % 2]?.append(draft(10 + nth))));
    await parts.log.append(draft(99));
    await headAt(parts, 48);
    assert.equal(await found(parts), '');
  });

  it('accepts a log after an erasure, a retention run or an account deletion', async (t) => {
    const parts = await filled(t);
    for (let twice = 0; twice < 2; twice += 1) await parts.log.erasePerson(TENANT, [ANNA], 9_999);
    assert.equal((await parts.rows.findOne(at(3)))?.detail, undefined);
    assert.deepEqual(await parts.log.verify(TENANT), SOUND);
    await parts.log.cut(TENANT, 9_999, 100);
    assert.equal(await found(parts), '');
    await parts.log.removeAll(OTHER);
    assert.deepEqual(await foundInAll(parts), ALL_SOUND);
    await parts.store.collection(tenantsSpec).deleteOne({ _id: OTHER });
    await parts.log.forget(OTHER);
    assert.deepEqual(await foundInAll(parts), { [TENANT]: '', [OPERATOR_LOG]: '' });
    assert.equal(await parts.heads.countDocuments({ _id: OTHER }), 0);
  });

  it('accepts a log if the process crashed while it removed the log of a deleted account', async (t) => {
    const parts = await filled(t);
    const killed = () => Promise.reject(new Error('killed'));
    const broken = auditLogIn(wrapped(parts.store, 'audit', 'deleteMany', killed), KEY);
    await assert.rejects(broken.removeAll(TENANT), { message: 'killed' });
    await parts.rows.deleteMany({ tenant_id: TENANT, seq: { $lte: 4 } });
    assert.deepEqual(await foundInAll(parts), ALL_SOUND);
  });

  it('accepts a log that is removed with its account while it is checked', async (t) => {
    const parts = await filled(t);
    let isRemoved = false;
    const removing = auditLogIn(
      wrapped(parts.store, 'audit_anchors', 'findOne', async (ask) => {
        const answer = await ask();
        if (!isRemoved) await parts.log.removeAll(TENANT);
        isRemoved = true;
        return answer;
      }),
      KEY,
    );
    assert.equal((await removing.verify(TENANT)).ok, true);
    assert.ok(isRemoved);
  });

  it('detects leftovers of a closed account, a log removed with its head, and a lost operator log', async (t) => {
    const parts = await filled(t);
    await parts.log.removeAll(OTHER);
    await parts.store.collection(tenantsSpec).deleteOne({ _id: OTHER });
    await parts.log.forget(OTHER);
    await parts.log.append(draft(8, OTHER));
    for (const gone of [TENANT, OPERATOR_LOG]) {
      await parts.rows.deleteMany({ tenant_id: gone });
      await parts.heads.deleteOne({ _id: gone });
    }
    const fresh = { ...parts, log: auditLogIn(parts.store, KEY) };
    assert.deepEqual(await foundInAll(fresh), { [TENANT]: '1 log_missing', [OTHER]: 'leftover', [OPERATOR_LOG]: '1 log_missing' });
  });

  if (kind.name === 'embedded')
    it('reports malformed JSON by sequence number, checks the other entries, and accepts new ones', async (t) => {
      const path = `${aDirectory(t)}/store.db`;
      const before = openEmbedded({ path });
      await partsOf(before);
      await before.close();
      const db = new DatabaseSync(path);
      for (const seq of [2, 7])
        db.prepare('UPDATE "audit" SET doc = substr(doc, 1, 40) WHERE "$tenant_id" = ? AND "$seq" = ?').run(TENANT, seq);
      db.prepare(
        'UPDATE audit SET doc = (SELECT doc FROM audit WHERE "$tenant_id" = ? AND "$seq" = 6) WHERE "$tenant_id" = ? AND "$seq" = 3',
      ).run(TENANT, TENANT);
      db.prepare('UPDATE "audit_heads" SET doc = ? WHERE _id = ?').run('{', OTHER);
      db.close();
      const store = openEmbedded({ path });
      t.after(() => store.close());
      const log = auditLogIn(store, KEY);
      const tenants = store.collection(tenantsSpec);
      await store.prepare();
      assert.equal(await tenants.countDocuments({}), 2);
      const parts = {
        store,
        log,
        rows: store.collection<AuditRow>(named('audit')),
        heads: store.collection<ChainHead & Doc>(named('audit_heads')),
      };
      const list = await Array.fromAsync(log.list(TENANT, {}, { limit: 4, before: null, beforeId: null }));
      assert.equal(list.map(({ seq }) => seq).join(), '6,5,4,1');
      assert.equal((await Array.fromAsync(log.all(TENANT))).map(({ seq }) => seq).join(), '1,6,4,5,6');
      await parts.rows.updateOne(at(4), { $set: { at: 7 } });
      await log.append(draft(8));
      assert.deepEqual(await foundInAll(parts), {
        [TENANT]: '2 unreadable, 3 moved, 4 changed, 7 unreadable',
        [OTHER]: '8 head_missing',
        [OPERATOR_LOG]: '',
      });
    });
});

/** The store, with something else in the place of one call. */
function wrapped(store: Store, name: string, call: string, answer: (ask: () => unknown) => Promise<unknown>): Store {
  const collection: Store['collection'] = (spec) => {
    const real = store.collection<never>(spec);
    if (spec.name !== name) return real;
    return new Proxy(real, {
      get(target, member) {
        const there: unknown = Reflect.get(target, member);
        if (typeof there !== 'function') return there;
        return (...args: unknown[]) => (member === call ? answer(() => there.apply(target, args)) : there.apply(target, args));
      },
    });
  };
  return Object.create(store, { collection: { value: collection } });
}
