import { fairSlices } from '../../../runtime/fair-slices.ts';
import { inChunks } from '../../../runtime/in-chunks.ts';
import type { MemberReceipts, MemberTimes } from '../../../store/messaging/member-receipts.ts';
import type { MessageRow, Messages, Owner } from '../../../store/messaging/messages.ts';
import type { MemberReceipt } from '../../network/member-receipts.ts';
import { type Person, personAt } from '../../network/person.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import type { People } from '../people/people.ts';
import { addressesOfChats } from './receipt-chats.ts';

/**
 * Stores receipts of individual recipients, mainly of group members, in `member_receipts`. In
 * one-to-one chats, they are shown together with the times in the message itself.
 */

export interface MemberReceiptDeps {
  readonly messages: Pick<Messages, 'ours'>;
  readonly memberReceipts: MemberReceipts;
  readonly people: Pick<IdentityResolver, 'formsOf'>;
}

const LOOKED_UP_TOGETHER = 50;

/** Drops receipts for unknown messages, and those from another chat than the message's. */
export function keepMemberReceipts({ messages, memberReceipts, people }: MemberReceiptDeps) {
  return async ({ tenantId: tenant_id, sessionId: session_id }: Owner, receipts: readonly MemberReceipt[]): Promise<void> => {
    const from = receipts.map(({ chat }) => chat);
    const chats = await addressesOfChats(from, (subjects) => people.formsOf(tenant_id, subjects));
    const keep = async (net_id: string, all: readonly MemberReceipt[]): Promise<void> => {
      const message = await messages.ours(session_id, net_id);
      if (!message) return;
      const { chat_id, created_at } = message;
      const own = all.filter(({ chat }) => chats.get(chat)?.includes(chat_id));
      if (own.length > 0) await memberReceipts.add({ tenant_id, session_id, net_id, chat_id, created_at }, timesOf(own));
    };
    const byMessage = Map.groupBy(receipts, ({ netId }) => netId);
    for (const some of inChunks([...byMessage], LOOKED_UP_TOGETHER))
      await fairSlices.run(tenant_id, async () => {
        for (const [net_id, all] of some) await keep(net_id, all);
      });
  };
}

function timesOf(receipts: readonly MemberReceipt[]): ReadonlyMap<string, MemberTimes> {
  const times = new Map<string, MemberTimes>();
  for (const { member, what, at } of receipts) times.set(member, { [what]: at, ...times.get(member) });
  return times;
}

export interface ShownReceipt {
  readonly person: Person;
  readonly delivered_at: number | null;
  readonly read_at: number | null;
  readonly played_at: number | null;
}

export async function receiptsOf(
  deps: { readonly memberReceipts: Pick<MemberReceipts, 'of'>; readonly persons: People },
  message: MessageRow,
  members: readonly Person[] = [],
): Promise<readonly ShownReceipt[]> {
  const kept = await deps.memberReceipts.of(message.session_id, message.net_id);
  const all = message.chat_id.endsWith('@g.us') ? kept : withPerson(message, kept);
  const byLid = new Map(members.flatMap((member) => (member.lid === null ? [] : [[member.lid, member] as const])));
  const people = [...all.keys()].map((address) => byLid.get(address) ?? personAt(address)).map(withoutRole);
  const described = await deps.persons.describe(message.tenant_id, people);
  const merged = new Map<string, { readonly person: Person; readonly times: MemberTimes }>();
  for (const [nth, times] of [...all.values()].entries()) {
    const person = described[nth] ?? people[nth];
    if (!person) continue;
    const key = person.phone ?? person.lid ?? '';
    const before = merged.get(key);
    // The same member may appear twice, by number and by hidden address. Both entries are merged.
    merged.set(key, {
      person: { ...person, lid: person.lid ?? before?.person.lid ?? null },
      times: { ...times, ...before?.times },
    });
  }
  return [...merged.values()].map(({ person, times }) => shown(person, times)).toSorted((one, other) => latest(other) - latest(one));
}

const withoutRole = ({ phone, lid, username, name }: Person): Person => ({ phone, lid, username, name });

function withPerson(
  { chat_id, delivered_at, read_at }: MessageRow,
  kept: ReadonlyMap<string, MemberTimes>,
): ReadonlyMap<string, MemberTimes> {
  const times = Object.assign(
    {},
    ...kept.values(),
    delivered_at !== null && { delivered: delivered_at },
    read_at !== null && { read: read_at },
  );
  return Object.keys(times).length > 0 ? new Map([[chat_id, times]]) : new Map();
}

function shown(person: Person, { delivered, read, played }: MemberTimes): ShownReceipt {
  const read_at = read ?? played ?? null;
  return { person, delivered_at: delivered ?? read_at, read_at, played_at: played ?? null };
}

const latest = ({ delivered_at, read_at, played_at }: ShownReceipt): number => Math.max(delivered_at ?? 0, read_at ?? 0, played_at ?? 0);
