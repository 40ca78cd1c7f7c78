import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import { withConsent } from '../../../../actors/services/consent/cancel-marketing.ts';
import { createOptedOut } from '../../../../actors/services/consent/opted-out.ts';
import { newDevice } from '../../../../actors/services/devices/new-device.ts';
import { createFormsOf } from '../../../../actors/services/identities/forms.ts';
import { retry } from '../../../../actors/services/messaging/retry.ts';
import { outboundRow, type SendOrder } from '../../../../actors/services/messaging/sending.ts';
import { endAbandonedRefunds, giveQuotaBack } from '../../../../actors/services/messaging/unsent-quota.ts';
import { newId } from '../../../../runtime/ids.ts';
import { usageIn } from '../../../../store/accounts/usage.ts';
import { identitiesIn } from '../../../../store/identities/identities.ts';
import { type MessageRow, messagesIn, messagesSpec, type Owner } from '../../../../store/messaging/messages.ts';
import type { Store } from '../../../../store/port.ts';
import { carryOut } from '../../../support/carry-out.ts';
import { testConsentsIn } from '../../../support/consents.ts';
import { mortalStore } from '../../../support/mortal-store.ts';
import { addRowsOfNobody } from '../../../support/rows-of-nobody.ts';
import { eachStore, embedded, type Scope, type StoreKind } from '../../../support/stores.ts';

const NOW = Date.UTC(2026, 0, 15);
/** Also after what other tests of this process may have called now: ids never go back. */
const LONG_AFTER = Date.UTC(2126, 0);
const MONTH = '2026-01';
const device = newDevice('t1', null, null, NOW);
const ANNA = '6281211110001';
const PEOPLE = [ANNA, '6281211110002', '6281211110003'];

const offer = (phone: string): SendOrder => ({
  chat: `${phone}@s.whatsapp.net`,
  message_type: 'text',
  body: 'Sale',
  parts: {},
  quotes: null,
  lane: 2,
  priority: 0,
  expiresAt: NOW + 1_000,
});

/** One life of the device's owner: what it takes of the queue, and what follows from its messages. */
function aLife(store: Store, epoch: number) {
  const owner: Owner = { tenantId: 't1', sessionId: device._id, epoch };
  const messages = messagesIn(store);
  const agreeing = withConsent(messages, {
    inTime: async (rows) => rows,
    optedOut: createOptedOut({
      consents: testConsentsIn(store),
      formsOf: createFormsOf(identitiesIn(store)),
      identities: identitiesIn(store),
    }),
  });
  const outboxHandler = giveQuotaBack({ messages, usage: usageIn(store) }, () => NOW);
  async function settle(): Promise<void> {
    const rows = await Array.fromAsync(messages.withOutbox(owner, 100));
    await carryOut(outboxHandler, rows);
    await messages.outboxProcessed(rows);
  }
  return { owner, messages, agreeing, settle };
}

/** Three messages of a campaign wait, and are paid for. */
async function threeWait(scope: Scope, kind: StoreKind) {
  const store = await kind.fresh(scope);
  const usage = usageIn(store);
  const messages = messagesIn(store);
  await store.prepare();
  await usage.takeMessages('t1', MONTH, PEOPLE.length, 1_000);
  const rows = PEOPLE.map((phone) => outboundRow(device, offer(phone), NOW, { status: 'queued', month: MONTH }));
  for (const row of rows) await messages.accept(row);
  const [first] = rows as [MessageRow];
  return { store, rows, first, used: () => usage.messages('t1', MONTH), row: () => messages.find('t1', device._id, first._id) };
}

/** Received by now, and found too late to be stopped in the queue. */
async function saysStop(store: Store): Promise<void> {
  const change = { status: 'opted_out', source: 'keyword', note: null, confirmed: { since: 0, count: 0 }, lifted_by: null } as const;
  const row = {
    _id: `t1:${ANNA}`,
    tenant_id: 't1',
    subject: ANNA,
    ...change,
    created_at: NOW,
    updated_at: NOW,
    seq: 1,
    outbox: [],
    outbox_pending: false,
  };
  await testConsentsIn(store).change('t1', [ANNA], () => row);
}

const takesAll = async ({ agreeing, owner }: ReturnType<typeof aLife>, rows: readonly MessageRow[]): Promise<readonly string[]> =>
  (await agreeing.claim(owner, rows, NOW)).map(({ chat_id }) => chat_id.split('@')[0]!);

eachStore("an unsent message's quota", (kind) => {
  it('is refunded when a STOP cancels the message just as it leaves the queue', async (t) => {
    const { store, rows, used, row } = await threeWait(t, kind);
    await saysStop(store);
    const life = aLife(store, 1);
    assert.deepEqual(await takesAll(life, rows), PEOPLE.slice(1));
    await life.settle();
    assert.deepEqual([(await row())?.error, await used()], ['opted_out', 2]);
  });

  it('is refunded when the message expires, even after a retry that charged it again', async (t) => {
    const { store, rows, first, used } = await threeWait(t, kind);
    const life = aLife(store, 1);
    await life.messages.cancelMarketing('t1', [first.chat_id]);
    await life.settle();
    assert.equal(await used(), 2);
    const usage = usageIn(store);
    const quota = { take: usage.takeMessages, used: usage.messages, giveBack: usage.giveBackMessages };
    const deps = { messages: life.messages, usage, quota, sending: { hint() {} } };
    await retry(deps, device, plansFrom({}).get('free')!, first._id, NOW);
    assert.equal(await used(), 3);
    assert.equal((await life.messages.expire(NOW + 2_000, 10)).length, rows.length);
    await life.settle();
    assert.equal(await used(), 0);
  });

  for (const isMade of [false, true])
    it(`is refunded only once, even if the process crashes ${isMade ? 'after' : 'before'} any write`, async (t) => {
      let deaths = 0;
      for (let write = 1; ; write += 1) {
        const { store, rows, used, row } = await threeWait(t, kind);
        await saysStop(store);
        const mortal = mortalStore(store, { write, isMade });
        const first = aLife(mortal.store, 1);
        await takesAll(first, rows)
          .then(() => first.settle())
          .catch(() => undefined);
        const second = aLife(store, 2);
        await second.agreeing.retake(second.owner, 10);
        await takesAll(second, rows);
        await second.settle();
        await endAbandonedRefunds({ messages: second.messages, usage: usageIn(store) }, LONG_AFTER);
        // Killed between taking and stopping it, nobody knows that it never left.
        const expected = (await row())?.error === 'unknown_outcome' ? 3 : 2;
        assert.equal(await used(), expected, `at write ${write}`);
        if (!mortal.isDead()) break;
        deaths += 1;
      }
      assert.ok(deaths >= 4, `${deaths} deaths`);
    });
});

describe('the quota of many messages whose refunds were interrupted', () => {
  it('is refunded for every one of them', async (t) => {
    const { store, used } = await threeWait(t, embedded);
    const { messages } = aLife(store, 1);
    await addRowsOfNobody(store, messagesSpec);
    await usageIn(store).takeMessages('t1', MONTH, 60, 1_000);
    for (let nth = 0; nth < 60; nth += 1) {
      const row = outboundRow(device, offer(ANNA), NOW, { status: 'queued', month: MONTH });
      await messages.accept({ ...row, status: 'cancelled' });
      await messages.claimRefund([row._id], MONTH, `${newId(NOW)}:${MONTH}`);
    }
    await endAbandonedRefunds({ messages, usage: usageIn(store) }, LONG_AFTER);
    assert.equal(await used(), PEOPLE.length);
  });
});
