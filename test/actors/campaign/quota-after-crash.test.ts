import assert from 'node:assert/strict';
import { it } from 'node:test';
import { loadSnapshot, type SnapshotDeps } from '../../../actors/campaign/effects/load-snapshot.ts';
import { type ReleaseDeps, release } from '../../../actors/campaign/effects/release-messages.ts';
import { plansFrom } from '../../../actors/domain/plans.ts';
import { createAudiences } from '../../../actors/services/campaigns/audiences.ts';
import { newCampaign } from '../../../actors/services/campaigns/campaigns.ts';
import { isOut, outcomeOf } from '../../../actors/services/campaigns/outcomes.ts';
import { recipientOf, UNNAMED } from '../../../actors/services/campaigns/recipient-rows.ts';
import { createRoutes } from '../../../actors/services/campaigns/routes.ts';
import { newDevice } from '../../../actors/services/devices/new-device.ts';
import { aTenant } from '../../../scripts/bench/planted.ts';
import { tenantsIn } from '../../../store/accounts/tenants.ts';
import { usageIn } from '../../../store/accounts/usage.ts';
import { campaignMessagesIn } from '../../../store/campaigns/campaign-messages.ts';
import { campaignsIn } from '../../../store/campaigns/campaigns.ts';
import { recipientsIn } from '../../../store/campaigns/recipients.ts';
import { contactsIn } from '../../../store/contacts/contacts.ts';
import { labelsIn } from '../../../store/contacts/labels.ts';
import { devicesIn } from '../../../store/devices/devices.ts';
import { officialNumbersIn } from '../../../store/devices/official-numbers.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import { testConsentsIn } from '../../support/consents.ts';
import { eachStore, type Scope, type StoreKind } from '../../support/stores.ts';
import { phones } from './campaign-fixture.ts';

const NOW = Date.UTC(2026, 0, 15);
const PEOPLE = 12;
const BATCH = 5;
/** A fast campaign: its batches are larger than the first look of its next life. */
const CROWD = 60;
const FIRST_LOOK = 20;
/** More steps than a whole campaign takes. */
const MOST_STEPS = 60;

/** A process that dies at one of its writes: before the write or after it. What it does then reaches nobody. */
class Process {
  readonly #diesAt: number;
  readonly #when: 'before' | 'after';
  #step = 0;

  constructor(diesAt: number, when: 'before' | 'after') {
    this.#diesAt = diesAt;
    this.#when = when;
  }

  get isDead(): boolean {
    return this.#step >= this.#diesAt;
  }

  writes<A extends unknown[], R>(write: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
    return async (...args) => {
      if (this.isDead) throw new Error('it is dead');
      this.#step += 1;
      if (!this.isDead) return write(...args);
      if (this.#when === 'after') await write(...args);
      throw new Error('it died');
    };
  }
}

interface Setup {
  /** The quota of the month. */
  readonly messages: number;
  readonly people?: number;
  readonly batch?: number;
  readonly lanes?: number;
}

async function aCampaign(scope: Scope, kind: StoreKind, { messages, people = PEOPLE, batch = BATCH, lanes = 1 }: Setup) {
  const store = await kind.fresh(scope);
  const [campaigns, recipients, campaignMessages] = [campaignsIn(store), recipientsIn(store), campaignMessagesIn(store)];
  const [devices, tenants, usage, consents] = [devicesIn(store), tenantsIn(store), usageIn(store), testConsentsIn(store)];
  const [contacts, labels] = [contactsIn(store), labelsIn(store)];
  await store.prepare();
  const tenant = await aTenant(store);
  const connected = Array.from({ length: lanes }, () => ({ ...newDevice(tenant._id, null, null, NOW), status: 'connected' as const }));
  for (const device of connected) await devices.create(device);
  const campaign = { ...newCampaign(tenant._id, NOW), status: 'running' as const, session_id: connected[0]!._id, body: 'Hello' };
  await campaigns.create(campaign);
  await recipients.add(phones(people).map((phone) => recipientOf(campaign, phone, UNNAMED, NOW)));
  const plan = { ...plansFrom({}).get('free')!, messages };
  const order = { row: campaign, plan, devices: connected, zones: null, limit: batch };

  function depsOf(process: Process): SnapshotDeps & ReleaseDeps {
    return {
      campaigns,
      tenants,
      recipients: {
        ...recipients,
        released: process.writes(recipients.released),
        takenBack: process.writes(recipients.takenBack),
        settledAtOnce: process.writes(recipients.settledAtOnce),
      },
      campaignMessages: { ...campaignMessages, accept: process.writes(campaignMessages.accept) },
      routes: createRoutes(devices, officialNumbersIn(store).liftTrouble, async () => []),
      quota: {
        take: process.writes(usage.takeMessages),
        used: usage.messages,
        giveBack: process.writes(usage.giveBackMessages),
      },
      usage: { closeBatch: process.writes(usage.closeBatch) },
      audiences: createAudiences({ contacts, labels, consentsOf: consents.statusOf }),
      templateTrouble: async () => null,
      requiresAttestation: async () => false,
      optedOut: async () => new Set(),
      formsOf: async () => new Map(),
      hint: () => undefined,
      writtenLately: async () => [],
    };
  }

  const look = (deps: SnapshotDeps) => loadSnapshot(deps, tenant._id, campaign._id, { count: false, compare: true, upTo: FIRST_LOOK }, NOW);

  /** The devices send what is in their lanes. */
  async function sendAll(): Promise<void> {
    const waiting = await recipients.queued(campaign._id, people);
    const messages = await campaignMessages.find(waiting.map(({ _id }) => _id));
    const sent = { status: 'sent', error: null, sent_at: NOW, delivered_at: null, read_at: null } as const;
    await recipients.cameOut(
      messages.filter(({ status }) => status === 'queued').map(({ _id, session_id }) => ({ _id, session_id, ...sent })),
    );
  }

  return {
    /** What an incarnation of the campaign's actor does until nobody is left, or until it dies. */
    async run(process: Process): Promise<void> {
      const deps = depsOf(process);
      try {
        for (let seen = await look(deps); seen && (seen.hasPending || seen.ahead > 0); seen = await look(deps)) {
          if (seen.hasPending) await release(deps, order, () => true, NOW);
          await sendAll();
        }
      } catch (cause) {
        if (!process.isDead) throw cause;
      }
    },
    /** An owner whose process stalls in its write `at`, and finds afterwards that it is the owner no more. `meanwhile`: what others do. */
    async stalls(at: 'take' | 'accept', meanwhile: () => Promise<void>): Promise<void> {
      const deps = depsOf(new Process(Number.POSITIVE_INFINITY, 'after'));
      let isOwner = true;
      async function stalled<R>(write: () => Promise<R>): Promise<R> {
        if (isOwner) await meanwhile();
        isOwner = false;
        return write();
      }
      const { take } = deps.quota;
      const { accept } = deps.campaignMessages;
      const stalling =
        at === 'take'
          ? { ...deps, quota: { ...deps.quota, take: (...of: Parameters<typeof take>) => stalled(() => take(...of)) } }
          : {
              ...deps,
              campaignMessages: { ...deps.campaignMessages, accept: (rows: Parameters<typeof accept>[0]) => stalled(() => accept(rows)) },
            };
      await release(stalling, order, () => isOwner, NOW - 1);
    },
    /** Its owner releases a batch, and devices note what became of each message before the owner goes on. */
    async releasedUnderFastDevices(): Promise<void> {
      const deps = depsOf(new Process(Number.POSITIVE_INFINITY, 'after'));
      const accept = async (rows: readonly MessageRow[]): Promise<number> => {
        const stored = await campaignMessages.accept(rows);
        await recipients.cameOut(rows.map(outcomeOf).filter(isOut));
        return stored;
      };
      await release({ ...deps, campaignMessages: { ...campaignMessages, accept } }, order, () => true, NOW);
    },
    /** Its next owner looks at it for the first time. */
    async next(): Promise<void> {
      await look(depsOf(new Process(Number.POSITIVE_INFINITY, 'after')));
    },
    cancelled: () => recipients.skipPending(campaign._id, 'cancelled', people + 1),
    used: () => usage.messages(tenant._id, '2026-01'),
    /** Messages in the log that are paid for. */
    async logged() {
      const everybody = await Array.fromAsync(recipients.list(campaign._id, { status: null }, null, people));
      return (await campaignMessages.find(everybody.map(({ _id }) => _id))).filter(({ quota_month }) => quota_month !== null).length;
    },
    /** Recipients who failed, and how many of them have no message that could be sent again, on the device that they name. */
    async failed() {
      const all = await Array.fromAsync(recipients.list(campaign._id, { status: 'failed' }, null, people));
      const lanes = new Map((await campaignMessages.find(all.map(({ _id }) => _id))).map(({ _id, session_id }) => [_id, session_id]));
      return [all.length, all.filter(({ _id, session_id }) => session_id === null || lanes.get(_id) !== session_id).length];
    },
  };
}

eachStore('the quota used by a campaign after a crash', (kind) => {
  for (const quota of [100, 7])
    for (const when of ['before', 'after'] as const)
      it(`equals the number of logged messages (quota ${quota}, crash ${when} each write and during recovery)`, async (t) => {
        let isOver = false;
        for (let step = 1; !isOver && step < MOST_STEPS; step += 1) {
          const campaign = await aCampaign(t, kind, { messages: quota });
          const first = new Process(step, when);
          await campaign.run(first);
          isOver = !first.isDead;
          // The repair dies, too, at its first or second write.
          await campaign.run(new Process(1 + (step % 2), when));
          await campaign.run(new Process(Number.POSITIVE_INFINITY, when));
          const wanted = Math.min(PEOPLE, quota);
          assert.deepEqual([await campaign.logged(), await campaign.used()], [wanted, wanted], `killed ${when} write ${step}`);
          assert.deepEqual(await campaign.failed(), [PEOPLE - wanted, 0], `killed ${when} write ${step}`);
        }
        assert.ok(isOver, 'it was killed at all of its writes');
      });

  for (const when of ['before', 'after'] as const)
    it(`equals the number of logged messages even if one batch takes several polls to recover (crash ${when} each write)`, async (t) => {
      for (let step = 1; step <= 4; step += 1) {
        const campaign = await aCampaign(t, kind, { messages: 100, people: CROWD, batch: CROWD });
        await campaign.run(new Process(step, when));
        await campaign.run(new Process(Number.POSITIVE_INFINITY, when));
        assert.deepEqual([await campaign.logged(), await campaign.used()], [CROWD, CROWD], `killed ${when} write ${step}`);
      }
    });
});

eachStore('a campaign that exceeds its message quota', (kind) => {
  it('shows which device each message was queued on, even if a message fails while others are still being queued', async (t) => {
    const campaign = await aCampaign(t, kind, { messages: 0, batch: PEOPLE, lanes: 2 });
    await campaign.releasedUnderFastDevices();
    assert.deepEqual(await campaign.failed(), [PEOPLE, 0]);
  });
});

const TWO_LANES: Setup = { messages: 100, batch: PEOPLE, lanes: 2 };

eachStore('a campaign whose owner stalls until another node takes over', (kind) => {
  it('has no queued messages and uses no quota once the new owner cancels it', async (t) => {
    const campaign = await aCampaign(t, kind, TWO_LANES);
    await campaign.stalls('accept', async () => {
      await campaign.next();
      await campaign.cancelled();
    });
    assert.deepEqual([await campaign.logged(), await campaign.used()], [0, 0]);
  });

  it('counts its queued messages against the quota even if the new owner polls late', async (t) => {
    const campaign = await aCampaign(t, kind, TWO_LANES);
    await campaign.stalls('accept', async () => undefined);
    await campaign.next();
    assert.deepEqual([await campaign.logged(), await campaign.used()], [PEOPLE / 2, PEOPLE / 2]);
  });

  it('refunds the quota of recipients that the new owner has already cancelled', async (t) => {
    const campaign = await aCampaign(t, kind, TWO_LANES);
    await campaign.stalls('take', campaign.next);
    assert.deepEqual([await campaign.logged(), await campaign.used()], [0, 0]);
  });

  it('messages and counts each recipient once if the new owner continues immediately', async (t) => {
    const campaign = await aCampaign(t, kind, TWO_LANES);
    const next = new Process(Number.POSITIVE_INFINITY, 'after');
    await campaign.stalls('accept', () => campaign.run(next));
    await campaign.run(next);
    assert.deepEqual([await campaign.logged(), await campaign.used()], [PEOPLE, PEOPLE]);
  });
});
