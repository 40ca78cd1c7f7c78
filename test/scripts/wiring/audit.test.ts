import assert from 'node:assert/strict';
import { it } from 'node:test';
import { systemDraft } from '../../../actors/services/audit/audit-trail.ts';
import { AuditHeads, headPublisher } from '../../../scripts/wiring/audit.ts';
import { auditLogIn } from '../../../store/audit/audit-log.ts';
import { aLog } from '../../support/log.ts';
import { eachStore, type Scope } from '../../support/stores.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 0, 10);

eachStore('the published audit log heads', (kind) => {
  async function aPublisher(scope: Scope) {
    const store = await kind.fresh(scope);
    const auditLog = auditLogIn(store, Buffer.alloc(32, 1));
    await store.prepare();
    const { log, lines } = aLog();
    const failing = new Set<string>();
    const auditHeads = new AuditHeads();
    const record = async (tenant: string): Promise<void> => {
      if (failing.has(tenant)) throw new Error('as told');
    };
    const publish = headPublisher({ auditLog, log, auditHeads, record });
    const append = (tenant: string, at: number) => auditLog.append(systemDraft(tenant, 'key.create', { kind: 'key', id: 'k' }, at));
    const published = (): unknown[] => lines('audit.head').map(({ tenant, seq }) => `${tenant} ${seq}`);
    return { publish, append, published, failing, auditHeads, store, lines };
  }

  it('include every log that has grown since the last daily round, even if the round is late', async (t) => {
    const { publish, append, published } = await aPublisher(t);
    await publish(NOW);
    await append('t1', NOW + 1);
    await publish(NOW + MINUTE_MS);
    assert.deepEqual(published(), [], 'once a day');
    await publish(NOW + DAY_MS + MINUTE_MS);
    assert.deepEqual(published(), ['t1 1']);
  });

  it('are published as soon as a failure ends, and a failure delays other logs by at most one sweep', async (t) => {
    const { publish, append, published, failing } = await aPublisher(t);
    for (const tenant of ['t1', 't2', 't3']) await append(tenant, NOW - 1);
    failing.add('t1');
    await assert.rejects(publish(NOW), { message: 'as told' });
    await assert.rejects(publish(NOW + MINUTE_MS), { message: 'as told' });
    assert.deepEqual(published().toSorted(), ['t2 1', 't3 1']);
    failing.clear();
    await publish(NOW + 2 * MINUTE_MS);
    assert.deepEqual(published().toSorted(), ['t1 1', 't2 1', 't3 1']);
    await publish(NOW + 3 * MINUTE_MS);
    assert.equal(published().length, 3);
  });

  it('reveal missing entries, which are counted and logged', async (t) => {
    const { publish, append, auditHeads, store, lines } = await aPublisher(t);
    for (let nth = 0; nth < 3; nth += 1) await append('t1', NOW + nth);
    await append('t2', NOW);
    await publish(NOW + 10);
    await store
      .collection<{ _id: string; tenant_id: string; seq: number }>({ name: 'audit', indexes: [] })
      .deleteMany({ tenant_id: 't1', seq: { $gte: 2 } });
    for (const tenant of ['t1', 't2']) await append(tenant, NOW + DAY_MS);
    await publish(NOW + DAY_MS + MINUTE_MS);
    assert.deepEqual([auditHeads.published, auditHeads.fallen], [4, 1]);
    assert.deepEqual(
      lines('audit.head_fell').map(({ tenant, seq, before }) => [tenant, seq, before]),
      [['t1', 2, 3]],
    );
  });
});
