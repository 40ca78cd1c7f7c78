import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newId } from '../../../../runtime/ids.ts';
import { auditLogIn } from '../../../../store/audit/audit-log.ts';
import { OPERATOR_LOG } from '../../../../store/audit/entry.ts';
import { mediaOnDisk } from '../../../../store/media/disk.ts';
import type { Collection, Doc, Store } from '../../../../store/port.ts';
import { OWNED_COLLECTIONS } from '../../../../store/privacy/belongings.ts';
import { deletionsIn } from '../../../../store/privacy/deletions.ts';
import { retentionIn } from '../../../../store/privacy/retention.ts';
import { aGateway } from '../../../support/gateway.ts';
import { aMessageRow } from '../../../support/message-row.ts';
import { aDirectory, eachStore } from '../../../support/stores.ts';
import { aReceiver } from '../webhooks/receiver.ts';
import { DORA, lived, remembering } from './erasure-fixture.ts';
import { processOn, timerless } from './jobs-fixture.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** More than a slice. */
const OLD = 600;
type Row = Doc & Readonly<Record<string, unknown>>;

async function* content(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('x');
}

/** A store as a node sees it that stalls before it removes messages, until it is let go. */
function stalling(store: Store) {
  const [stalls, mayGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  function collection<T extends Doc>(spec: Parameters<Store['collection']>[0]): Collection<T> {
    const raw = store.collection<T>(spec);
    if (spec.name !== 'messages') return raw;
    return new Proxy(raw, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (name !== 'deleteMany') return member.bind(target);
        return async (...args: unknown[]) => {
          stalls.resolve();
          await mayGo.promise;
          return member.apply(target, args);
        };
      },
    });
  }
  const slow: Store = { ...store, name: store.name, collection, prepare: () => store.prepare() };
  return { store: slow, stalls: stalls.promise, letGo: () => mayGo.resolve() };
}

eachStore('privacy jobs that a node takes over from a stalled one', (kind) => {
  it('take effect only once', async (t) => {
    const receiver = await aReceiver(t);
    const remembered = remembering(kind);
    const data_dir = aDirectory(t);
    const gateway = await aGateway(t, { kind: remembered.kind, config: { egress_allow: [receiver.place], data_dir } });
    const { tenant, device } = await lived(gateway, receiver.url);
    const { store } = gateway;
    const globex = await gateway.signUp('Globex', '+62 811-0000-8888');
    await globex.api('POST', '/v1/contacts', { phone: '+6281277770007', name: 'Hers' });
    const rowsOf = (name: string) => store.collection<Row>({ name, indexes: [] });
    const bytes = await mediaOnDisk({ directory: `${data_dir}/media`, node: 'another' });
    const names = [...remembered.opened.keys()];
    const { audit } = gateway.node.secrets;
    let now = gateway.clock.now();
    const nodeOn = (over: Store) =>
      processOn(
        over,
        names,
        audit,
        bytes,
        timerless(() => now),
      );

    /** The first node stalls in it, the second one takes it over and ends it, then the first one goes on. */
    async function takenOver(work: (node: ReturnType<typeof nodeOn>) => Promise<unknown>, laterMs: number): Promise<void> {
      const slow = stalling(store);
      const first = work(nodeOn(slow.store));
      await slow.stalls;
      now += laterMs;
      const second = nodeOn(store);
      await Promise.all([work(second), work(second)]);
      slow.letGo();
      await first;
    }

    const kept = await rowsOf('messages').countDocuments({ session_id: device.id });
    const old = now - 40 * DAY;
    const sample = { tenant_id: tenant.id, session_id: device.id, chat_id: `${DORA}@s.whatsapp.net`, status: 'read' as const };
    const rows = Array.from({ length: OLD }, (_, nth) => aMessageRow({ ...sample, _id: newId(old + nth), created_at: old + nth }));
    await rowsOf('messages').insertMany(rows.map((row) => ({ ...row, outbox_pending: false })));
    await rowsOf('privacy_retention').deleteMany({});
    const days = { messages: 30, media: 0, webhooks: 0, audit: 0 };
    await retentionIn(store).save(tenant.id, 0, { days, pending: null, due_at: now });
    await takenOver(({ retaining }) => retaining.runDue(now), 61 * MINUTE);
    assert.equal(await rowsOf('messages').countDocuments({ session_id: device.id }), kept);
    const settings = await retentionIn(store).find(tenant.id);
    assert.deepEqual(settings?.last_run?.removed, { messages: OLD, media: 0, webhooks: 0, audit: 0 });
    assert.ok(settings?.run === null && settings.due_at > now, 'it is over');
    assert.equal(await rowsOf('audit').countDocuments({ tenant_id: tenant.id, action: 'privacy.retention' }), 1);
    assert.equal((await auditLogIn(store, audit).verify(tenant.id)).ok, true);

    // What somebody wrote of an export that was gone by then, before they died.
    const export_id = newId(now);
    await bytes.write(tenant.id, 'left', content());
    const file: Row = { _id: `${export_id}:x`, tenant_id: tenant.id, export_id, name: 'x', part: '0 ', size: 1, sha256: '', blob: 'left' };
    await rowsOf('privacy_export_files').insertOne(file);

    await nodeOn(store).deletion.begin(tenant.id, now);
    await nodeOn(store).deletion.continueAll(now);
    now += 31 * MINUTE;
    const isDone = async () => (await deletionsIn(store).find(tenant.id))?.open !== true;
    await takenOver(({ deletion }) => deletion.continueAll(now), 11 * MINUTE);
    for (let passes = 0; !(await isDone()); passes += 1) {
      assert.ok(passes < 10, 'it does not come to an end');
      now += 2 * MINUTE;
      await Promise.all([nodeOn(store), nodeOn(store)].map(({ deletion }) => deletion.continueAll(now)));
    }
    for (const name of [...OWNED_COLLECTIONS, 'tenants']) {
      const texts = (await rowsOf(name).find({}).toArray()).map((row) => JSON.stringify(row));
      assert.deepEqual(
        texts.filter((text) => text.includes(tenant.id) || text.includes(device.id)),
        [],
        name,
      );
    }
    assert.deepEqual(
      (await bytes.list(null, 100)).filter((place) => place.includes(tenant.id)),
      [],
    );
    assert.equal(await rowsOf('audit').countDocuments({ tenant_id: OPERATOR_LOG, action: 'account.deleted', target_id: tenant.id }), 1);
    assert.equal((await globex.api('GET', '/v1/contacts')).body.contacts.length, 1);
  });
});
