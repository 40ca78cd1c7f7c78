import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import { newDevice } from '../../../../actors/services/devices/new-device.ts';
import { createSending } from '../../../../actors/services/messaging/sending.ts';
import type { ReleaseDeps } from '../../../../actors/services/scheduling/accept-once.ts';
import { updateScheduled } from '../../../../actors/services/scheduling/outbox-handler.ts';
import { releaseDue } from '../../../../actors/services/scheduling/release-due.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { tenantsIn } from '../../../../store/accounts/tenants.ts';
import { usageIn } from '../../../../store/accounts/usage.ts';
import { consentConfigsIn } from '../../../../store/consent/consent-configs.ts';
import { contactsIn } from '../../../../store/contacts/contacts.ts';
import { labelsIn } from '../../../../store/contacts/labels.ts';
import { devicesIn } from '../../../../store/devices/devices.ts';
import { type MessageRow, messagesIn } from '../../../../store/messaging/messages.ts';
import type { Store } from '../../../../store/port.ts';
import { recurringIn } from '../../../../store/scheduling/recurring.ts';
import { scheduledIn } from '../../../../store/scheduling/scheduled.ts';
import { carryOut } from '../../../support/carry-out.ts';
import { testConsentsIn } from '../../../support/consents.ts';
import { interruptedStore } from '../../../support/interrupted-store.ts';
import { mortalStore } from '../../../support/mortal-store.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

const NOW = Date.UTC(2026, 0, 5);
const TARGETS = ['1', '2', '3'].map((nth) => `628120000000${nth}@s.whatsapp.net`);
const emit: ReleaseDeps['emit'] = () => undefined;
const content = { message_type: 'text', parts: {}, media_r2_key: null } as const;
const device = newDevice('t1', null, null, NOW);

type Deps = ReturnType<typeof portsOver>;

/** What one owner of the tenant works with. */
function portsOver(store: Store) {
  const [messages, usage] = [messagesIn(store), usageIn(store)];
  const quota = { take: usage.takeMessages, used: usage.messages, giveBack: usage.giveBackMessages };
  return {
    scheduled: scheduledIn(store),
    recurring: recurringIn(store),
    devices: devicesIn(store),
    tenants: tenantsIn(store),
    plans: plansFrom({}),
    consents: testConsentsIn(store),
    consentConfigs: consentConfigsIn(store),
    labels: labelsIn(store),
    contacts: contactsIn(store),
    sending: createSending({ messages, quota, queueLimit: 100, hint() {} }),
    people: { resolve: (_tenant: string, address: string) => address },
    usernames: { isOthers: async () => false },
    clock: new VirtualClock(NOW),
    checkReminder: async () => 'send' as const,
    messages,
    hintDevice() {},
    emit,
  };
}

/** Two messages for a person each, and one for three, all of them due. */
async function somethingDue(scope: Scope, kind: StoreKind) {
  const store = await kind.fresh(scope);
  const deps = portsOver(store);
  const messages = messagesIn(store);
  await store.prepare();
  await deps.devices.create(device);
  for (const nth of ['A', 'B']) await deps.scheduled.createWithin(aScheduled(nth), 10);
  await deps.recurring.createWithin(aRecurring, 10);
  return {
    store,
    deps,
    sent: async () => (await Array.fromAsync(messages.list('t1', device._id, {}, PAGE))).map(({ body, chat_id }) => `${body} ${chat_id}`),
  };
}

const common = { tenant_id: 't1', session_id: device._id, created_at: NOW - 9_000 } as const;

const aScheduled = (nth: string) => ({
  _id: nth,
  ...common,
  ...content,
  to: TARGETS[0]!,
  chat_id: TARGETS[0]!,
  body: nth,
  asked: {},
  quotes: null,
  priority: 0,
  scheduled_at: NOW - 1,
  status: 'pending' as const,
  message_id: null,
  error: null,
  due_at: NOW - 1,
});

const aRecurring = {
  _id: 'R',
  ...common,
  ...content,
  name: 'R',
  targets: TARGETS,
  message: 'R',
  schedule_type: 'daily',
  schedule_config: { hour: 0, minute: 0 },
  timezone: 'UTC',
  since: NOW - 9_000,
  is_active: true,
  next_run_at: NOW - 1,
  last_run_at: null,
  run: null,
  accepted: [],
} as const;

const OWNER = { tenantId: 't1', sessionId: device._id, epoch: 1 };
const PAGE = { limit: 100, before: null, beforeId: null };

/** As the device does: the network takes all but one, and what follows from that is carried out until it is. */
async function sendAll(deps: Deps): Promise<void> {
  const { messages } = deps;
  await messages.claim(OWNER, await Array.fromAsync(messages.waiting('t1', device._id, null, 100)), NOW);
  const onTheWire = await messages.retake(OWNER, 100);
  const [refused, taken] = [onTheWire.filter(isRefused), onTheWire.filter((row) => !isRefused(row))];
  await messages.mark(OWNER, [{ status: 'sent', ids: taken.map(({ _id }) => _id), at: NOW }]);
  for (const { net_id } of refused) await messages.markFailed(OWNER, net_id, 'not_on_network');
  const rows = await Array.fromAsync(messages.withOutbox(OWNER, 100));
  await carryOut(updateScheduled(deps), rows);
  await messages.outboxProcessed(rows);
}

const isRefused = ({ body, chat_id }: MessageRow): boolean => body === 'R' && chat_id === TARGETS[0];

/** A process that may die does all there is to do; the next one does the rest. */
async function releaseAndSend(mortal: { isDead(): boolean }, dying: Deps, next: Deps): Promise<void> {
  await releaseDue(dying, 't1')
    .then(() => sendAll(dying))
    .catch(() => undefined);
  await releaseAll(next);
  if (mortal.isDead()) await sendAll(next);
  // Whoever died in telling is waited for.
  await releaseAll({ ...next, clock: new VirtualClock(NOW + 2 * 60_000) });
}

/** Like the actor, repeats immediately while something is due. Writes of the dying process may still be in progress. */
async function releaseAll(deps: ReleaseDeps): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    const { nextAt } = await releaseDue(deps, 't1');
    if (nextAt === null || nextAt > NOW) return;
  }
  assert.fail('something stays due');
}

const EXPECTED = [`A ${TARGETS[0]}`, `B ${TARGETS[0]}`, ...TARGETS.map((target) => `R ${target}`)].toSorted();
const MAX_WRITES = 40;

eachStore('due messages', (kind) => {
  for (const isMade of [false, true])
    it(`are each sent once and counted correctly, even if the process crashes ${isMade ? 'after' : 'before'} any write`, async (t) => {
      let deaths = 0;
      for (let write = 1; write <= MAX_WRITES; write += 1) {
        const { store, deps, sent } = await somethingDue(t, kind);
        const mortal = mortalStore(store, { write, isMade });
        const told: string[] = [];
        const tell: ReleaseDeps['emit'] = (_tenant, _session, { type, data }, id) => {
          if ('recurring_id' in data) told.push(`${type} ${data.sent} ${data.failed} ${id}`);
        };
        // The dead tell nobody anything.
        const emit: ReleaseDeps['emit'] = (...what) => (mortal.isDead() ? undefined : tell(...what));
        await releaseAndSend(mortal, { ...portsOver(mortal.store), emit }, { ...deps, emit: tell });
        deaths += mortal.isDead() ? 1 : 0;
        assert.match([...new Set(told)].join(), /^recurring.executed 2 1 \w{26}$/, `at write ${write}`);
        assert.deepEqual((await sent()).toSorted(), EXPECTED, `at write ${write}`);
        const { run, accepted } = (await deps.recurring.find('t1', device._id, 'R'))!;
        assert.deepEqual([run, accepted], [null, []]);
        if (!mortal.isDead()) break;
      }
      assert.ok(deaths > 10 && deaths < MAX_WRITES, `${deaths} deaths`);
    });

  it('are each sent once, even if two owners release them at the same time', async (t) => {
    const { store, deps, sent } = await somethingDue(t, kind);
    await Promise.all([releaseDue(deps, 't1'), releaseDue(portsOver(store), 't1')]);
    assert.deepEqual((await sent()).toSorted(), EXPECTED);
  });

  it('use the latest recipient and text, even if both change just before the send', async (t) => {
    const { store, deps, sent } = await somethingDue(t, kind);
    const row = (await deps.scheduled.find('t1', device._id, 'A'))!;
    const changed = () => deps.scheduled.change(row, { to: TARGETS[1]!, body: 'A for another' });
    await releaseDue(portsOver(interruptedStore(store, { name: 'scheduled', reading: 'find' }, changed)), 't1');
    const expected = EXPECTED.map((one) => (one === `A ${TARGETS[0]}` ? `A for another ${TARGETS[1]}` : one));
    assert.deepEqual((await sent()).toSorted(), expected.toSorted());
  });
});
