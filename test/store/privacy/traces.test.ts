import assert from 'node:assert/strict';
import { it } from 'node:test';
import { labelsIn } from '../../../store/contacts/labels.ts';
import { messagesIn } from '../../../store/messaging/messages.ts';
import type { Collection, Doc } from '../../../store/port.ts';
import { sweepTraces } from '../../../store/privacy/traces.ts';
import { aMessageRow } from '../../support/message-row.ts';
import { eachStore } from '../../support/stores.ts';

const DORA = '6281244440004';
const WHO = {
  tenantId: 'T',
  phone: DORA,
  needles: new Set([DORA]),
  devices: ['D'],
  removed: [],
  rotators: [],
  campaigns: [],
  links: [],
  counted: [],
  until: 10,
};

type Row = Doc & Readonly<Record<string, unknown>>;

eachStore('a message', (kind) => {
  it('that changes after it was read stays for now: another look is needed', async (t) => {
    const store = await kind.fresh(t);
    const messages = messagesIn(store);
    const rows = store.collection<Doc>({ name: 'messages', indexes: [] });
    await store.prepare();
    const failed = aMessageRow({
      _id: 'm',
      tenant_id: 'T',
      session_id: 'D',
      chat_id: `${DORA}@s.whatsapp.net`,
      status: 'failed',
      created_at: 1,
    });
    await messages.accept(failed);
    // Its sender tries it again.
    const requeue = async () => (await messages.requeue(failed, '2026-01')) !== null;
    assert.deepEqual(await sweepTraces(rows, 'messages', WHO, requeue), { removed: 0, isBusy: true });
    assert.equal((await messages.find('T', 'D', 'm'))?.status, 'queued');
  });

  it('whose quota is being returned stays until it is', async (t) => {
    const store = await kind.fresh(t);
    const messages = messagesIn(store);
    const rows = store.collection<Doc>({ name: 'messages', indexes: [] });
    await store.prepare();
    const chat_id = `${DORA}@s.whatsapp.net`;
    await messages.accept(
      aMessageRow({ _id: 'm', tenant_id: 'T', session_id: 'D', chat_id, status: 'cancelled', created_at: 1, refund: 'r' }),
    );
    for (const removed of [[], ['D']])
      assert.deepEqual(await sweepTraces(rows, 'messages', { ...WHO, removed }, async () => true), { removed: 0, isBusy: true });
    await messages.endRefund('r');
    assert.deepEqual(await sweepTraces(rows, 'messages', WHO, async () => true), { removed: 1, isBusy: false });
  });
});

eachStore('what is cut out of a row of others', (kind) => {
  it('leaves a change that was made meanwhile, and is cut out of it too', async (t) => {
    const store = await kind.fresh(t);
    labelsIn(store);
    const segments = store.collection<Doc>({ name: 'segments', indexes: [] });
    await store.prepare();
    const rule = (value: string) => ({ field: 'phone', value });
    const row: Row = { _id: 's', tenant_id: 'T', name: 'n', rules: { all: [rule(DORA)] }, created_at: 1 };
    await segments.insertOne(row);
    let changes = 0;
    // Somebody else changes the same field between the reading and each of the first two writings.
    const raced = new Proxy(segments, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (name !== 'updateOne') return member.bind(target);
        return async (...args: Parameters<Collection<Doc>['updateOne']>) => {
          changes += 1;
          if (changes <= 2)
            await segments.updateOne({ _id: 's' }, { $set: { rules: { all: [rule(DORA), rule(`change ${changes} of ${DORA}`)] } } });
          return segments.updateOne(...args);
        };
      },
    });
    assert.deepEqual(await sweepTraces(raced, 'segments', WHO), { removed: 0, isBusy: false });
    const left: Row = { _id: '', ...(await segments.findOne({ _id: 's' })) };
    assert.deepEqual(left['rules'], { all: [rule('erased'), rule('change 2 of erased')] });
    assert.equal(changes, 3);
  });
});
