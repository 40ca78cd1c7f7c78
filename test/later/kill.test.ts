import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newDevice } from '../../actors/device/new-device.ts';
import { releaseDue } from '../../actors/later/release.ts';
import { plansFrom } from '../../actors/plans.ts';
import { createSending } from '../../actors/sending.ts';
import type { Store } from '../../store/collection.ts';
import { consentConfigsIn } from '../../store/consent-configs.ts';
import { consentsIn } from '../../store/consents.ts';
import { devicesIn } from '../../store/devices.ts';
import { messagesIn } from '../../store/messages.ts';
import { recurringIn } from '../../store/recurring.ts';
import { scheduledIn } from '../../store/scheduled.ts';
import { tenantsIn } from '../../store/tenants.ts';
import { usageIn } from '../../store/usage.ts';
import { eachStore, type Scope, type StoreKind } from '../support/stores.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import { mortalStore } from './mortal-store.ts';

const NOW = Date.UTC(2026, 0, 5);
const TARGETS = ['1', '2', '3'].map((nth) => `628120000000${nth}@s.whatsapp.net`);
const content = { message_type: 'text', parts: {}, media_r2_key: null } as const;
const device = newDevice('t1', null, null, NOW);

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
    consents: consentsIn(store),
    consentConfigs: consentConfigsIn(store),
    sending: createSending({ messages, quota, queueLimit: 100, hint() {} }),
    people: { canonical: (_tenant: string, address: string) => address },
    clock: new VirtualClock(NOW),
    emit() {},
  };
}

/** Two messages for a person each, and one for three, all of them due. */
async function somethingDue(scope: Scope, kind: StoreKind) {
  const store = await kind.fresh(scope);
  const ports = portsOver(store);
  const messages = messagesIn(store);
  await store.prepare();
  await ports.devices.create(device);
  for (const nth of ['A', 'B']) await ports.scheduled.create(aScheduled(nth));
  await ports.recurring.create(aRecurring);
  return {
    store,
    ports,
    sent: async () => (await messages.waiting('t1', device._id, 100)).map(({ body, chat_id }) => `${body} ${chat_id}`),
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
} as const;

/** As the actor does: again at once while something is due. A write of the dying process may still be on its way. */
async function releaseAll(ports: ReturnType<typeof portsOver>): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    const { nextAt } = await releaseDue(ports, 't1');
    if (nextAt === null || nextAt > NOW) return;
  }
  assert.fail('something stays due');
}

const EXPECTED = [`A ${TARGETS[0]}`, `B ${TARGETS[0]}`, ...TARGETS.map((target) => `R ${target}`)].toSorted();
const MOST_WRITES = 40;

eachStore('sends whose time has come', (kind) => {
  for (const isMade of [false, true])
    it(`go out once each when the process dies ${isMade ? 'after' : 'before'} any of its writes`, async (t) => {
      let deaths = 0;
      for (let write = 1; write <= MOST_WRITES; write += 1) {
        const { store, ports, sent } = await somethingDue(t, kind);
        const mortal = mortalStore(store, { write, isMade });
        await releaseDue(portsOver(mortal.store), 't1').catch(() => undefined);
        deaths += mortal.isDead() ? 1 : 0;
        await releaseAll(ports);
        assert.deepEqual((await sent()).toSorted(), EXPECTED, `at write ${write}`);
        assert.equal((await ports.recurring.find('t1', device._id, 'R'))?.run, null);
        if (!mortal.isDead()) break;
      }
      assert.ok(deaths > 10 && deaths < MOST_WRITES, `${deaths} deaths`);
    });

  it('go out once each when two owners release them at once', async (t) => {
    const { store, ports, sent } = await somethingDue(t, kind);
    await Promise.all([releaseDue(ports, 't1'), releaseDue(portsOver(store), 't1')]);
    assert.deepEqual((await sent()).toSorted(), EXPECTED);
  });
});
