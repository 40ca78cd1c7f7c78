import { join } from 'node:path';
import { decide, NO_TREND } from '../../../actors/campaign/behaviour/decide-release.ts';
import { loadSnapshot, type SnapshotDeps } from '../../../actors/campaign/effects/load-snapshot.ts';
import { type ReleaseDeps, release } from '../../../actors/campaign/effects/release-messages.ts';
import { plansFrom } from '../../../actors/domain/plans.ts';
import { compile, MAX_TEXT_LENGTH, render } from '../../../actors/domain/text-tokens.ts';
import { userJid } from '../../../actors/network/jid.ts';
import { createAudiences } from '../../../actors/services/campaigns/audiences.ts';
import { newCampaign } from '../../../actors/services/campaigns/campaigns.ts';
import { recipientOf, UNNAMED } from '../../../actors/services/campaigns/recipient-rows.ts';
import { createRoutes } from '../../../actors/services/campaigns/routes.ts';
import { createOptedOut } from '../../../actors/services/consent/opted-out.ts';
import { newDevice } from '../../../actors/services/devices/new-device.ts';
import { createFormsOf } from '../../../actors/services/identities/forms.ts';
import { monthOf, outboundRow } from '../../../actors/services/messaging/sending.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { entry } from '../../../runtime/invariant.ts';
import { tenantsIn } from '../../../store/accounts/tenants.ts';
import { usageIn } from '../../../store/accounts/usage.ts';
import { campaignMessagesIn } from '../../../store/campaigns/campaign-messages.ts';
import { campaignsIn } from '../../../store/campaigns/campaigns.ts';
import { recipientsIn } from '../../../store/campaigns/recipients.ts';
import { consentsIn } from '../../../store/consent/consents.ts';
import { contactsIn } from '../../../store/contacts/contacts.ts';
import { labelsIn } from '../../../store/contacts/labels.ts';
import { devicesIn } from '../../../store/devices/devices.ts';
import { officialNumbersIn } from '../../../store/devices/official-numbers.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { identitiesIn } from '../../../store/identities/identities.ts';
import { LANES } from '../../../store/messaging/messages.ts';
import { aTenant, PLENTY } from '../planted.ts';
import { scratchDirectory } from '../scratch.ts';

/** Arguments: `bare|campaign N`. Moves N recipients from the list into the queue of their device. */
const [way = 'bare', size = '10000'] = process.argv.slice(2);
const BATCH = 1_000;
const COUNT_MS = 1_000;
const TEXT = 'Hi {{first_name|there}}, your code is {var1}. Questions? Write to {phone}.';

const clock = systemClock;
const store = openEmbedded({ path: join(scratchDirectory(), 'store.db') });
const [campaigns, recipients, campaignMessages, devices, tenants] = [
  campaignsIn(store),
  recipientsIn(store),
  campaignMessagesIn(store),
  devicesIn(store),
  tenantsIn(store),
];
const usage = usageIn(store);
const consents = consentsIn(store, (_tenantId, subject) => subject);
const contacts = contactsIn(store);
const words = labelsIn(store);
const identities = identitiesIn(store);
await store.prepare();

const tenant = await aTenant(store);
const device = { ...newDevice(tenant._id, null, null, clock.now()), status: 'connected' as const };
await devices.create(device);
const campaign = { ...newCampaign(tenant._id, clock.now()), status: 'running' as const, session_id: device._id, body: TEXT };
await campaigns.create(campaign);
for (let from = 0; from < Number(size); from += BATCH) await recipients.add(people(from));

const cpu = process.cpuUsage();
const began = clock.monotonic();
let heap = 0;
await (way === 'bare' ? bareLoop() : runCampaign());
const { user, system } = process.cpuUsage(cpu);
const seconds = (clock.monotonic() - began) / 1_000;
if (await recipients.hasPending(campaign._id, null)) throw new Error('error: somebody was left out');
console.log(JSON.stringify({ rate: Number(size) / seconds, cpuUs: (user + system) / Number(size), heapMb: heap / 2 ** 20 }));
process.exit(0);

function people(from: number) {
  const now = clock.now();
  return Array.from({ length: BATCH }, (_, nth) =>
    recipientOf(campaign, String(6_281_200_000_000 + from + nth), { ...UNNAMED, name: `Person ${from + nth}`, var1: `C${nth}` }, now),
  );
}

async function bareLoop(): Promise<void> {
  const text = compile(TEXT);
  for (;;) {
    const now = clock.now();
    const found = await recipients.pending(campaign._id, null, '', BATCH);
    if (found.length === 0) return;
    const rows = found.map(({ _id: id, phone, name, var1 }) => {
      const body = render(text, { name, var1, phone }, MAX_TEXT_LENGTH)?.text ?? null;
      const order = {
        id,
        chat: userJid(phone),
        message_type: 'text' as const,
        body,
        parts: {},
        quotes: null,
        lane: LANES.campaign,
        priority: 0,
      };
      return { ...outboundRow(device, order, now, { status: 'queued', month: monthOf(now) }), blast_id: campaign._id };
    });
    await recipients.released(
      found.map(({ _id }) => _id),
      device._id,
    );
    await campaignMessages.accept(rows);
    weigh();
  }
}

/** Runs without pauses between batches. Nothing drains the queue here, so it always counts as empty. */
async function runCampaign(): Promise<void> {
  const plans = plansFrom({ bench: { devices: 1, messages: PLENTY, send_per_minute: 1, key_cap: 1, stores: 0, ai_replies: 0 } });
  const plan = entry(plans, 'bench');
  const quota = { take: usage.takeMessages, used: usage.messages, giveBack: usage.giveBackMessages };
  const deps: SnapshotDeps & ReleaseDeps = {
    campaigns,
    recipients,
    campaignMessages,
    tenants,
    routes: createRoutes(devices, officialNumbersIn(store).liftTrouble, async () => []),
    quota,
    usage,
    audiences: createAudiences({ contacts, labels: words, consentsOf: consents.statusOf }),
    templateTrouble: async () => null,
    requiresAttestation: async () => false,
    optedOut: createOptedOut({ consents, formsOf: createFormsOf(identities), identities }),
    formsOf: createFormsOf(identities),
    hint: () => undefined,
    writtenLately: async () => [],
  };
  let countedAt = 0;
  for (;;) {
    const now = clock.now();
    const count = now - countedAt >= COUNT_MS;
    if (count) countedAt = now;
    const survey = await loadSnapshot(deps, tenant._id, campaign._id, { count, compare: false, upTo: BATCH }, now);
    const effect = survey && decide({ ...survey, ahead: survey.hasPending ? 0 : 1 }, BATCH, NO_TREND, now);
    if (effect?.do !== 'release') return;
    await release(deps, { row: effect.row, plan, devices: [device], zones: effect.zones, limit: effect.limit }, () => true, now);
    weigh();
  }
}

function weigh(): void {
  heap = Math.max(heap, process.memoryUsage().heapUsed);
}
