import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAuditTrail, systemDraft } from '../../../actors/services/audit/audit-trail.ts';
import { auditLogIn } from '../../../store/audit/audit-log.ts';
import { auditedStore } from '../../../store/audit/audited-store.ts';
import { auditIntentsIn } from '../../../store/audit/intents.ts';
import type { Collection, Doc } from '../../../store/port.ts';
import { holdsIn } from '../../../store/privacy/holds.ts';
import { eachStore } from '../../support/stores.ts';

const NOW = 1_000_000;
const TENANT = 'T1';
const ANNA = 'hash-of-anna';

interface Tag extends Doc {
  readonly tenant_id: string;
  readonly key: string;
}

eachStore('a store with pending audit entries', (kind) => {
  async function aTrail(scope: Parameters<typeof kind.fresh>[0]) {
    const base = await kind.fresh(scope);
    const auditLog = auditLogIn(base, Buffer.alloc(32, 1));
    const log = { isThere: true };
    const store = auditedStore(base, async (draft) => {
      if (!log.isThere) throw new Error('the log cannot be written');
      await auditLog.append(draft);
    });
    const holds = holdsIn(store);
    const tags: Collection<Tag> = store.collection<Tag>({
      name: 'tags',
      indexes: [{ name: 'by_key', keys: { tenant_id: 1, key: 1 }, unique: true }],
    });
    const trail = createAuditTrail({ auditLog, intents: auditIntentsIn(base), carriers: store, failed: () => {} });
    await store.prepare();
    const written = async () => (await auditLog.after(TENANT, 0, 100)).map(({ action }) => action);
    return { log, holds, tags, trail, written };
  }

  const draftOf = (action: string) => systemDraft(TENANT, action, { kind: 'person', id: ANNA }, NOW);

  it('keeps a hold that is placed while the removal of the previous hold is pending', async (t) => {
    const { log, holds, trail, written } = await aTrail(t);
    const put = (until: number) =>
      trail.act(draftOf('privacy.hold'), { collection: 'privacy_holds' }, () => holds.put(TENANT, ANNA, { reason: 'court', until }, NOW));
    const end = () =>
      trail.act(draftOf('privacy.end_hold'), { collection: 'privacy_holds', kinds: ['delete'] }, () => holds.end(TENANT, ANNA));
    await put(NOW + 1);
    log.isThere = false;
    await assert.rejects(end());
    log.isThere = true;
    await put(NOW + 2);
    await trail.recover(NOW);
    assert.equal((await holds.of(TENANT, ANNA, NOW))?.until, NOW + 2);
    assert.deepEqual(await written(), ['privacy.hold', 'privacy.end_hold', 'privacy.hold']);
  });

  it('keeps a record that is recreated while the removal of the previous record is pending', async (t) => {
    const { log, tags, trail, written } = await aTrail(t);
    const make = (action: string, _id: string) =>
      trail.act(draftOf(action), { collection: 'tags' }, () => tags.insertOne({ _id, tenant_id: TENANT, key: 'vip' }));
    await make('tag.create', 'one');
    log.isThere = false;
    await assert.rejects(trail.act(draftOf('tag.delete'), { collection: 'tags' }, () => tags.deleteOne({ _id: 'one' })));
    log.isThere = true;
    await make('tag.create_again', 'another');
    await trail.recover(NOW);
    assert.equal((await tags.findOne({ _id: 'another' }))?.key, 'vip');
    assert.deepEqual(await written(), ['tag.create', 'tag.delete', 'tag.create_again']);
    await assert.rejects(make('tag.create_twice', 'a third'));
  });

  it('keeps a recreated record while the removal of many other records is pending', async (t) => {
    const { log, tags, trail } = await aTrail(t);
    const keys = Array.from({ length: 102 }, (_, nth) => String(100 + nth));
    await Promise.all(keys.map((key) => tags.insertOne({ _id: key, tenant_id: TENANT, key })));
    log.isThere = false;
    for (const _id of keys) await assert.rejects(trail.act(draftOf('tag.delete'), { collection: 'tags' }, () => tags.deleteOne({ _id })));
    log.isThere = true;
    const anew = { _id: '201', tenant_id: TENANT, key: '200' };
    await tags.insertOne(anew);
    assert.deepEqual(await tags.findOne({ _id: '201' }), anew);
  });

  it('writes pending audit entries before it removes many records', async (t) => {
    const { log, tags, trail, written } = await aTrail(t);
    log.isThere = false;
    for (const _id of ['a', 'b', 'c'])
      await trail.act(draftOf(`tag.create_${_id}`), { collection: 'tags' }, () => tags.insertOne({ _id, tenant_id: TENANT, key: _id }));
    log.isThere = true;
    assert.equal((await tags.deleteMany({ tenant_id: TENANT })).deletedCount, 3);
    assert.deepEqual((await written()).toSorted(), ['tag.create_a', 'tag.create_b', 'tag.create_c']);
  });
});
