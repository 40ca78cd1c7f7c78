import assert from 'node:assert/strict';
import { it } from 'node:test';
import { loadSnapshot, type SnapshotDeps } from '../../../actors/campaign/effects/load-snapshot.ts';
import { type ReleaseDeps, release } from '../../../actors/campaign/effects/release-messages.ts';
import { plansFrom } from '../../../actors/domain/plans.ts';
import { createAudiences } from '../../../actors/services/campaigns/audiences.ts';
import { newCampaign } from '../../../actors/services/campaigns/campaigns.ts';
import { recipientOf, UNNAMED } from '../../../actors/services/campaigns/recipient-rows.ts';
import { createRoutes } from '../../../actors/services/campaigns/routes.ts';
import { newDevice } from '../../../actors/services/devices/new-device.ts';
import { aTenant } from '../../../scripts/bench/planted.ts';
import { tenantsIn } from '../../../store/accounts/tenants.ts';
import { usageIn } from '../../../store/accounts/usage.ts';
import { campaignMessagesIn } from '../../../store/campaigns/campaign-messages.ts';
import { campaignsIn } from '../../../store/campaigns/campaigns.ts';
import { recipientsIn } from '../../../store/campaigns/recipients.ts';
import { consentsIn } from '../../../store/consent/consents.ts';
import { contactsIn } from '../../../store/contacts/contacts.ts';
import { labelsIn } from '../../../store/contacts/labels.ts';
import { devicesIn } from '../../../store/devices/devices.ts';
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

async function aCampaign(scope: Scope, kind: StoreKind, messages: number, people = PEOPLE, batch = BATCH) {
  const store = await kind.fresh(scope);
  const [campaigns, recipients, campaignMessages] = [campaignsIn(store), recipientsIn(store), campaignMessagesIn(store)];
  const [devices, tenants, usage, consents] = [devicesIn(store), tenantsIn(store), usageIn(store), consentsIn(store)];
  const [contacts, labels] = [contactsIn(store), labelsIn(store)];
  await store.prepare();
  const tenant = await aTenant(store);
  const device = { ...newDevice(tenant._id, null, null, NOW), status: 'connected' as const };
  await devices.create(device);
  const campaign = { ...newCampaign(tenant._id, NOW), status: 'running' as const, session_id: device._id, body: 'Hello' };
  await campaigns.create(campaign);
  await recipients.add(phones(people).map((phone) => recipientOf(campaign, phone, UNNAMED, NOW)));
  const plan = { ...plansFrom({}).get('free')!, messages };

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
      routes: createRoutes(devices, async () => []),
      quota: {
        take: process.writes(usage.takeMessages),
        used: usage.messages,
        giveBack: process.writes(usage.giveBackMessages),
      },
      usage: { closeBatch: process.writes(usage.closeBatch) },
      audiences: createAudiences({ contacts, labels, consentsOf: consents.statusOf }),
      requiresAttestation: async () => false,
      optedOut: async () => new Set(),
      hint: () => undefined,
    };
  }

  /** The device sends what is in its lane. */
  async function sendAll(): Promise<void> {
    const waiting = await recipients.queued(campaign._id, people);
    const messages = await campaignMessages.find(waiting.map(({ _id }) => _id));
    const sent = { status: 'sent', error: null, sent_at: NOW, delivered_at: null, read_at: null } as const;
    await recipients.cameOut(messages.map(({ _id }) => ({ _id, ...sent })));
  }

  return {
    /** What an incarnation of the campaign's actor does until nobody is left, or until it dies. */
    async run(process: Process): Promise<void> {
      const deps = depsOf(process);
      try {
        const look = () => loadSnapshot(deps, tenant._id, campaign._id, { count: false, compare: true, upTo: FIRST_LOOK }, NOW);
        for (let seen = await look(); seen && (seen.hasPending || seen.ahead > 0); seen = await look()) {
          if (seen.hasPending) await release(deps, { row: campaign, plan, devices: [device], zones: null, limit: batch }, () => true, NOW);
          await sendAll();
        }
      } catch (cause) {
        if (!process.isDead) throw cause;
      }
    },
    used: () => usage.messages(tenant._id, '2026-01'),
    async logged() {
      const everybody = await recipients.list(campaign._id, null, null, people);
      return (await campaignMessages.find(everybody.map(({ _id }) => _id))).length;
    },
  };
}

eachStore('the quota of a campaign whose process dies', (kind) => {
  for (const quota of [100, 7])
    for (const when of ['before', 'after'] as const)
      it(`counts what the log has, of a quota of ${quota}: at each write, ${when} it, and at each write of the repair`, async (t) => {
        let isOver = false;
        for (let step = 1; !isOver && step < MOST_STEPS; step += 1) {
          const campaign = await aCampaign(t, kind, quota);
          const first = new Process(step, when);
          await campaign.run(first);
          isOver = !first.isDead;
          // The repair dies, too, at its first or second write.
          await campaign.run(new Process(1 + (step % 2), when));
          await campaign.run(new Process(Number.POSITIVE_INFINITY, when));
          const wanted = Math.min(PEOPLE, quota);
          assert.deepEqual([await campaign.logged(), await campaign.used()], [wanted, wanted], `killed ${when} write ${step}`);
        }
        assert.ok(isOver, 'it was killed at all of its writes');
      });

  for (const when of ['before', 'after'] as const)
    it(`is right although one batch is more than a look of the next life: at each write, ${when} it`, async (t) => {
      for (let step = 1; step <= 4; step += 1) {
        const campaign = await aCampaign(t, kind, 100, CROWD, CROWD);
        await campaign.run(new Process(step, when));
        await campaign.run(new Process(Number.POSITIVE_INFINITY, when));
        assert.deepEqual([await campaign.logged(), await campaign.used()], [CROWD, CROWD], `killed ${when} write ${step}`);
      }
    });
});
