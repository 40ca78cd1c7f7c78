import { join } from 'node:path';
import { createAudiences } from '../../../actors/blast/audiences.ts';
import { newBlast } from '../../../actors/blast/campaigns.ts';
import { decide, NO_TREND } from '../../../actors/blast/decide.ts';
import { recipientOf, UNNAMED } from '../../../actors/blast/gather.ts';
import { type LookPorts, lookAround } from '../../../actors/blast/look.ts';
import { type ReleasePorts, release } from '../../../actors/blast/release.ts';
import { createRoutes } from '../../../actors/blast/routes.ts';
import { newDevice } from '../../../actors/device/new-device.ts';
import { userJid } from '../../../actors/network/jid.ts';
import { plansFrom } from '../../../actors/plans.ts';
import { monthOf, outboundRow } from '../../../actors/sending.ts';
import { compile, render } from '../../../actors/tokens.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { blastMessagesIn } from '../../../store/blast-messages.ts';
import { recipientsIn } from '../../../store/blast-recipients.ts';
import { blastsIn } from '../../../store/blasts.ts';
import { consentsIn } from '../../../store/consents.ts';
import { contactsIn } from '../../../store/contacts.ts';
import { devicesIn } from '../../../store/devices.ts';
import { openEmbedded } from '../../../store/embedded.ts';
import { LANES } from '../../../store/messages.ts';
import { tenantsIn } from '../../../store/tenants.ts';
import { usageIn } from '../../../store/usage.ts';
import { wordsIn } from '../../../store/words.ts';
import { aTenant, PLENTY } from '../planted.ts';
import { scratchDirectory } from '../scratch.ts';

/** `bare|campaign N`: N recipients of one campaign, from the list into the lane of their device. */
const [way = 'bare', size = '10000'] = process.argv.slice(2);
const BATCH = 1_000;
const COUNT_MS = 1_000;
const TEXT = 'Hi {{first_name|there}}, your code is {var1}. Questions? Write to {phone}.';

const clock = systemClock;
const store = openEmbedded({ path: join(scratchDirectory(), 'store.db') });
const [blasts, recipients, blastMessages, devices, tenants] = [
  blastsIn(store),
  recipientsIn(store),
  blastMessagesIn(store),
  devicesIn(store),
  tenantsIn(store),
];
const usage = usageIn(store);
const consents = consentsIn(store);
const contacts = contactsIn(store);
const words = wordsIn(store);
await store.prepare();

const tenant = await aTenant(store);
const device = { ...newDevice(tenant._id, null, null, clock.now()), status: 'connected' as const };
await devices.create(device);
const blast = { ...newBlast(tenant._id, clock.now()), status: 'running' as const, session_id: device._id, body: TEXT };
await blasts.create(blast);
for (let from = 0; from < Number(size); from += BATCH) await recipients.add(people(from));

const cpu = process.cpuUsage();
const began = clock.monotonic();
let heap = 0;
await (way === 'bare' ? bareLoop() : campaign());
const { user, system } = process.cpuUsage(cpu);
const seconds = (clock.monotonic() - began) / 1_000;
if (await recipients.hasPending(blast._id, null)) throw new Error('error: somebody was left out');
console.log(JSON.stringify({ rate: Number(size) / seconds, cpuUs: (user + system) / Number(size), heapMb: heap / 2 ** 20 }));
process.exit(0);

function people(from: number) {
  const now = clock.now();
  return Array.from({ length: BATCH }, (_, nth) =>
    recipientOf(blast, String(6_281_200_000_000 + from + nth), { ...UNNAMED, name: `Person ${from + nth}`, var1: `C${nth}` }, now),
  );
}

async function bareLoop(): Promise<void> {
  const text = compile(TEXT);
  for (;;) {
    const now = clock.now();
    const found = await recipients.pending(blast._id, null, '', BATCH);
    if (found.length === 0) return;
    const rows = found.map(({ _id: id, phone, name, var1 }) => {
      const body = render(text, { name, var1, phone }).text;
      const order = {
        id,
        chat: userJid(phone),
        message_type: 'text' as const,
        body,
        parts: {},
        quotes: null,
        lane: LANES.blast,
        priority: 0,
      };
      return { ...outboundRow(device, order, now, { status: 'queued', month: monthOf(now) }), blast_id: blast._id };
    });
    await recipients.released(
      found.map(({ _id }) => _id),
      device._id,
    );
    await blastMessages.accept(rows);
    weigh();
  }
}

/** What the campaign's actor does between two batches, but for waiting: nobody drains the lane here, so it counts as empty. */
async function campaign(): Promise<void> {
  const plan = plansFrom({ bench: { devices: 1, messages: PLENTY, send_per_minute: 1, key_cap: 1, stores: 0, ai_replies: 0 } }).get(
    'bench',
  )!;
  const quota = { take: usage.takeMessages, used: usage.messages, giveBack: usage.giveBackMessages };
  const ports: LookPorts & ReleasePorts = {
    blasts,
    recipients,
    blastMessages,
    tenants,
    routes: createRoutes(devices, async () => []),
    quota,
    audiences: createAudiences({ contacts, words, consentsOf: consents.statusOf }),
    async optedOut(tenantId, phones) {
      const statuses = await consents.statusOf(tenantId, phones);
      return new Set([...statuses].filter(([, status]) => status === 'opted_out').map(([phone]) => phone));
    },
    hint: () => undefined,
  };
  let countedAt = 0;
  for (;;) {
    const now = clock.now();
    const count = now - countedAt >= COUNT_MS;
    if (count) countedAt = now;
    const survey = await lookAround(ports, tenant._id, blast._id, { count, compare: false, upTo: BATCH }, now);
    const action = survey && decide({ ...survey, ahead: survey.hasPending ? 0 : 1 }, BATCH, NO_TREND, now);
    if (action?.act !== 'release') return;
    await release(ports, { row: survey!.row, plan, devices: [device], zones: action.zones, limit: action.limit }, () => true, now);
    weigh();
  }
}

function weigh(): void {
  heap = Math.max(heap, process.memoryUsage().heapUsed);
}
