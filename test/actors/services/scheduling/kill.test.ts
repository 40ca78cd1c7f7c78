import assert from 'node:assert/strict';
import { it } from 'node:test';
import { plansFrom } from '../../../../actors/domain/plans.ts';
import { newDevice } from '../../../../actors/services/devices/new-device.ts';
import { createSending } from '../../../../actors/services/messaging/sending.ts';
import type { ReleaseDeps } from '../../../../actors/services/scheduling/accept-once.ts';
import { releaseDue } from '../../../../actors/services/scheduling/release-due.ts';
import { VirtualClock } from '../../../../runtime/testing/virtual-clock.ts';
import { tenantsIn } from '../../../../store/accounts/tenants.ts';
import { usageIn } from '../../../../store/accounts/usage.ts';
import { consentConfigsIn } from '../../../../store/consent/consent-configs.ts';
import { consentsIn } from '../../../../store/consent/consents.ts';
import { devicesIn } from '../../../../store/devices/devices.ts';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import type { Store } from '../../../../store/port.ts';
import { recurringIn } from '../../../../store/scheduling/recurring.ts';
import { scheduledIn } from '../../../../store/scheduling/scheduled.ts';
import { mortalStore } from '../../../support/mortal-store.ts';
import { eachStore, type Scope, type StoreKind } from '../../../support/stores.ts';

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
    people: { resolve: (_tenant: string, address: string) => address },
    clock: new VirtualClock(NOW),
    checkReminder: async () => 'send' as const,
    messages,
    hintDevice() {},
    emit() {},
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
async function releaseAll(deps: ReleaseDeps): Promise<void> {
  for (let round = 0; round < 5; round += 1) {
    const { nextAt } = await releaseDue(deps, 't1');
    if (nextAt === null || nextAt > NOW) return;
  }
  assert.fail('something stays due');
}

const EXPECTED = [`A ${TARGETS[0]}`, `B ${TARGETS[0]}`, ...TARGETS.map((target) => `R ${target}`)].toSorted();
const MAX_WRITES = 40;

eachStore('sends whose time has come', (kind) => {
  for (const isMade of [false, true])
    it(`go out once each, and a run is told with its true count, when the process dies ${isMade ? 'after' : 'before'} any of its writes`, async (t) => {
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
        await releaseDue({ ...portsOver(mortal.store), emit }, 't1').catch(() => undefined);
        deaths += mortal.isDead() ? 1 : 0;
        await releaseAll({ ...deps, emit: tell });
        assert.match([...new Set(told)].join(), /^recurring.executed 3 0 \w{26}$/, `at write ${write}`);
        assert.deepEqual((await sent()).toSorted(), EXPECTED, `at write ${write}`);
        assert.equal((await deps.recurring.find('t1', device._id, 'R'))?.run, null);
        if (!mortal.isDead()) break;
      }
      assert.ok(deaths > 10 && deaths < MAX_WRITES, `${deaths} deaths`);
    });

  it('go out once each when two owners release them at once', async (t) => {
    const { store, deps, sent } = await somethingDue(t, kind);
    await Promise.all([releaseDue(deps, 't1'), releaseDue(portsOver(store), 't1')]);
    assert.deepEqual((await sent()).toSorted(), EXPECTED);
  });
});
