import { newId } from '../../../runtime/ids.ts';
import type { Sealer } from '../../../runtime/sealing/seal.ts';
import type { AiChats } from '../../../store/ai-reply/chats.ts';
import type { Unanswered } from '../../../store/ai-reply/unanswered.ts';
import type { AuditLog } from '../../../store/audit/audit-log.ts';
import type { Consents } from '../../../store/consent/consents.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import type { Identities } from '../../../store/identities/identities.ts';
import type { Collection, Doc } from '../../../store/port.ts';
import type { ErasureRow, Erasures } from '../../../store/privacy/erasures.ts';
import { sweepTraces, TRACED, type Traced } from '../../../store/privacy/traces.ts';
import type { StoreLinks } from '../../../store/store-links/links.ts';
import { writtenForms } from '../../domain/phone-numbers.ts';
import { refusal } from '../../domain/refusals.ts';
import { userJid } from '../../network/jid.ts';
import type { EventLog } from '../events/event-log.ts';
import type { MediaLibrary } from '../media/library.ts';

export interface ErasureDeps {
  readonly erasures: Erasures;
  readonly consents: Pick<Consents, 'forget'>;
  readonly identities: Identities;
  readonly devices: Pick<Devices, 'list'>;
  readonly links: Pick<StoreLinks, 'list'>;
  readonly unanswered: Pick<Unanswered, 'removePerson'>;
  readonly aiChats: Pick<AiChats, 'removePerson'>;
  readonly media: Pick<MediaLibrary, 'remove'>;
  readonly auditLog: Pick<AuditLog, 'erasePerson'>;
  readonly eventLog: Pick<EventLog, 'record'>;
  readonly sealer: Sealer;
  /** Every collection of the store, by name. */
  readonly collections: Pick<ReadonlyMap<string, Collection<Doc>>, 'get'>;
  /** An erasure could not go on: it is tried again. */
  failed(cause: unknown): void;
}

/** What a step did: how many of what, and whether it has to be done again because somebody had a row in hand. */
interface Done {
  readonly counts?: Readonly<Record<string, number>>;
  readonly isBusy?: boolean;
}

type Step = (deps: ErasureDeps, who: Person) => Promise<Done>;

interface Person extends Traced {
  /** Full addresses of their 1:1 chats. */
  readonly addresses: readonly string[];
  readonly lids: readonly string[];
}

/** So long one node may work on a step before another one takes the erasure over. */
const CLAIM_MS = 5 * 60_000;
const MAX_OPEN = 1_000;

/** In this order: first the opt-out, then what is on its way, then what there is; who is who last, because every other step asks for it. */
const STEPS: readonly Step[] = [
  forgetConsent,
  ...TRACED.map((name): Step => (name === 'messages' ? forgetMessages : forgetTraces(name))),
  forgetFiles,
  forgetPurchases,
  forgetImports,
  forgetQuestions,
  async ({ auditLog }, { tenantId, phone, until }) => ({ counts: { audit: await auditLog.erasePerson(tenantId, phone, until) } }),
  async ({ collections }, { tenantId, phone }) => {
    const { deletedCount } = await opened(collections, 'identities').deleteMany({ tenant_id: tenantId, phone });
    return { counts: { identities: deletedCount } };
  },
];

const opened = (collections: ErasureDeps['collections'], name: string): Collection<Doc> => {
  const found = collections.get(name);
  if (!found) throw new Error(`there is no collection ${name}`);
  return found;
};

async function forgetConsent({ consents }: ErasureDeps, { tenantId, phone, lids, until }: Person): Promise<Done> {
  return { counts: { consents: await consents.forget(tenantId, phone, [phone, ...lids], until) } };
}

function forgetTraces(name: string): Step {
  return async ({ collections }, who) => {
    const { removed, isBusy } = await sweepTraces(opened(collections, name), name, who);
    return { counts: { [name]: removed }, isBusy };
  };
}

/** With the files that came with them, and what the list of chats shows of them. */
async function forgetMessages({ collections, media }: ErasureDeps, who: Person): Promise<Done> {
  const { tenantId } = who;
  const chats = opened(collections, 'chats');
  let files = 0;
  const { removed, isBusy } = await sweepTraces(opened(collections, 'messages'), 'messages', who, async (row) => {
    if (row['direction'] === 'inbound' && typeof row['media_r2_key'] === 'string') {
      await media.remove(tenantId, row['media_r2_key']);
      files += 1;
    }
    await chats.updateMany({ tenant_id: tenantId, last_message_id: row._id }, { $set: { last_message: null } });
  });
  return { counts: { messages: removed, media: files }, isBusy };
}

/** Of their chats, also those whose message is gone already. */
async function forgetFiles({ collections, media }: ErasureDeps, { tenantId, addresses, until }: Person): Promise<Done> {
  const filter = { tenant_id: tenantId, chat_id: { $in: addresses }, created_at: { $lte: until } };
  const files = await opened(collections, 'media').find(filter).toArray();
  for (const { _id } of files) await media.remove(tenantId, _id);
  return { counts: { media: files.length } };
}

/** What an online store told of their orders and baskets: sealed, and found by a hash of the number. */
async function forgetPurchases({ collections, sealer }: ErasureDeps, { links, phone }: Person): Promise<Done> {
  let purchases = 0;
  for (const link_id of links) {
    const filter = { link_id, phone_key: sealer.keyedHash(link_id, phone) };
    purchases += (await opened(collections, 'store_memory').deleteMany(filter)).deletedCount;
  }
  return { counts: { purchases } };
}

/** A number may lie across two pieces of a file, in any form: all files go, once none is being read. */
async function forgetImports({ collections }: ErasureDeps, { tenantId, until }: Person): Promise<Done> {
  const reading = await opened(collections, 'jobs').countDocuments({ tenant_id: tenantId, open: true, created_at: { $lte: until } });
  if (reading > 0) return { isBusy: true };
  const { deletedCount } = await opened(collections, 'import_files').deleteMany({ tenant_id: tenantId });
  return { counts: { import_files: deletedCount } };
}

async function forgetQuestions({ unanswered, aiChats }: ErasureDeps, { tenantId, addresses }: Person): Promise<Done> {
  const [questions, ai_chats] = [await unanswered.removePerson(tenantId, addresses), await aiChats.removePerson(tenantId, addresses)];
  return { counts: { questions, ai_chats } };
}

export interface Erasing {
  /** The erasure is durable when it resolves; it goes on by itself. Refuses CONFLICT while a hold stands, LIMIT_REACHED. */
  begin(tenantId: string, phone: string, now: number): Promise<ErasureRow>;
  /** Goes on with all that are open and in nobody's hands. */
  continueAll(now: number): Promise<void>;
  hashOf(tenantId: string, phone: string): string;
}

export function createErasing(deps: ErasureDeps): Erasing {
  const { erasures, sealer, eventLog } = deps;
  const about = (id: string): string => `erasure ${id}`;
  const hashOf = (tenantId: string, phone: string): string => sealer.keyedHash(tenantId, phone);

  async function personOf({ _id, tenant_id: tenantId, subject, created_at: until }: ErasureRow): Promise<Person> {
    const phone = sealer.open(tenantId, about(_id), subject ?? '');
    const idsIn = async (name: string): Promise<readonly string[]> =>
      (
        await opened(deps.collections, name)
          .find({ tenant_id: tenantId }, { projection: { _id: 1 } })
          .toArray()
      ).map((row) => row._id);
    const [known, rows, rotators, campaigns, links] = await Promise.all([
      deps.identities.lidsOf(tenantId, [phone]),
      deps.devices.list(tenantId, null),
      idsIn('rotators'),
      idsIn('campaigns'),
      deps.links.list(tenantId),
    ]);
    const lids = known.get(phone) ?? [];
    const devices = rows.map((device) => device._id);
    const books = await opened(deps.collections, 'auto_replies')
      .find({ _id: { $in: devices } })
      .toArray();
    const rules = books.flatMap((book) => ('rules' in book && Array.isArray(book.rules) ? book.rules.map(({ id }) => String(id)) : []));
    return {
      tenantId,
      phone,
      lids,
      needles: new Set([...writtenForms(phone), ...lids.map((lid) => lid.split('@', 1)[0] ?? lid)]),
      addresses: [userJid(phone), ...lids],
      devices,
      rotators,
      campaigns,
      links: links.map((link) => link._id),
      counted: [...devices, ...rules],
      until,
    };
  }

  async function finish(row: ErasureRow, now: number): Promise<void> {
    const { _id, tenant_id, phone_hash, created_at, counts } = row;
    const data = { request_id: _id, phone_hash };
    await eventLog.record(tenant_id, [{ session_id: null, type: 'privacy.erased', row: about(_id), occurred_at: now, data }]);
    await erasures.finish(row, now, sealer.keyedHash(tenant_id, JSON.stringify([_id, phone_hash, created_at, now, counts])));
  }

  async function goOn(claimed: ErasureRow, now: number): Promise<void> {
    const who = await personOf(claimed);
    for (let row = claimed; ; ) {
      const step = STEPS[row.step];
      if (!step) return finish(row, now);
      const { counts = {}, isBusy } = await step(deps, who);
      const sums = { ...row.counts };
      for (const [what, count] of Object.entries(counts)) sums[what] = (sums[what] ?? 0) + count;
      if (isBusy) return erasures.release(row, now + 1);
      const next = await erasures.advance(row, sums, row.claimed_until);
      if (!next) return;
      row = next;
    }
  }

  return {
    hashOf,

    async begin(tenantId, phone, now) {
      const phone_hash = hashOf(tenantId, phone);
      const hold = await erasures.holdOf(`${tenantId}:${phone_hash}`, now);
      if (hold) throw refusal('CONFLICT', { reason: heldUntil(hold.until) });
      if ((await erasures.countOpen(tenantId, MAX_OPEN)) >= MAX_OPEN) throw refusal('LIMIT_REACHED');
      const _id = newId(now);
      const row: ErasureRow = {
        _id,
        tenant_id: tenantId,
        subject: sealer.seal(tenantId, about(_id), phone),
        phone_hash,
        open: true,
        step: 0,
        claimed_until: 0,
        counts: {},
        created_at: now,
        done_at: null,
        proof: null,
      };
      await erasures.add(row);
      return row;
    },

    async continueAll(now) {
      for (;;) {
        const row = await erasures.claim(now, now + CLAIM_MS);
        if (!row) return;
        // One that fails is taken up when its claim is over; the others go on.
        await goOn(row, now).catch(deps.failed);
      }
    },
  };
}

function heldUntil(until: number) {
  const day = new Date(until).toISOString();
  return { en: `a hold stands until ${day}`, id: `data ditahan sampai ${day}` };
}
