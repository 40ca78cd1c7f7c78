import { createHash } from 'node:crypto';
import type { GroupMetadata } from '@whiskeysockets/baileys';
import type { CredentialBuffer } from '../keys/credential-buffer.ts';
import type { SecretKind } from '../keys/secret-kind.ts';
import type { ConnectionContext } from '../session/connection-context.ts';

type Status = 'delivered' | 'read';

/** The members of a group but for ourselves, each with the users of all of their addresses. */
type Roster = readonly (readonly string[])[];

/** How far a message to a group came: which members, by their places in the roster, have not got it, and have not read it. */
interface Spread {
  readonly at: number;
  /** Its id: many messages share one, so that a receipt rewrites a bit for each member and not their addresses. */
  readonly roster: string;
  /** A bit for each member, in hex. */
  readonly delivered: string;
  readonly read: string;
}

const SPREAD: SecretKind<Spread> = 'spread';
const ROSTER: SecretKind<Roster> = 'roster';
/** Members who have not read a message by then are not waited for. */
const WAITED_FOR_MS = 7 * 86_400_000;
const ID_LENGTH = 22;

/** Before a message goes to a group, its recipients are recorded, so that the receipt of the last one can be reported. */
export function expect(context: ConnectionContext, netId: string, group: string): void {
  const { account, credentialBuffer, clock } = context;
  const { id, roster } = rosterOf(context, account.groups.get(group)?.participants ?? []);
  const noted = notedIn(credentialBuffer);
  if (!noted.has(id)) credentialBuffer.set(ROSTER, { [id]: roster });
  noted.add(id);
  const all = bitsFor(roster.length);
  credentialBuffer.set(SPREAD, { [netId]: { at: clock.now(), roster: id, delivered: all, read: all } });
}

/**
 * Those of these messages that the last member (`by`: an address) has now got, or read; the others are only noted. Asked for one receipt after
 * the other. What is noted is on its way to the store then: no frame of ours leaves before it is there, and so no ack of the receipt.
 */
export async function deliveredTo(
  { credentialBuffer, library }: ConnectionContext,
  by: string,
  netIds: readonly string[],
  status: Status,
): Promise<readonly string[]> {
  const known = await credentialBuffer.get(SPREAD, netIds);
  const rosters = await credentialBuffer.get(ROSTER, [...new Set(Object.values(known).map(({ roster }) => roster))]);
  const user = library.jidDecode(by)?.user ?? '';
  return netIds.filter((netId) => {
    const before = known[netId];
    if (!before) return false;
    const member = placesIn(rosters[before.roster] ?? []).get(user);
    const after = without(before, member, status);
    if (after !== before) credentialBuffer.set(SPREAD, { [netId]: isEmpty(after.read) ? null : after });
    return isEmpty(after[status]);
  });
}

function without(before: Spread, member: number | undefined, status: Status): Spread {
  if (member === undefined) return before;
  const delivered = cleared(before.delivered, member);
  const read = status === 'read' ? cleared(before.read, member) : before.read;
  return delivered === before.delivered && read === before.read ? before : { ...before, delivered, read };
}

/** Forgets messages that were never read by all, and rosters without messages. */
export async function forgetOld({ credentialBuffer, clock }: ConnectionContext): Promise<void> {
  const noted = notedIn(credentialBuffer);
  const needed = new Set<string>();
  for (const [netId, kept] of await credentialBuffer.all(SPREAD)) {
    const { at, roster } = kept;
    if (at < clock.now() - WAITED_FOR_MS || !roster) credentialBuffer.set(SPREAD, { [netId]: null });
    else needed.add(roster);
  }
  for (const id of (await credentialBuffer.all(ROSTER)).keys())
    if (!needed.has(id) && !noted.has(id)) credentialBuffer.set(ROSTER, { [id]: null });
}

type Participants = GroupMetadata['participants'];

const rosters = new WeakMap<Participants, { readonly id: string; readonly roster: Roster }>();

/** Built once from the known members of a group. */
function rosterOf(
  { library, creds: { me } }: ConnectionContext,
  participants: Participants,
): { readonly id: string; readonly roster: Roster } {
  const made = rosters.get(participants);
  if (made) return made;
  const userOf = (jid: string | undefined): string | undefined => library.jidDecode(jid)?.user;
  const own = new Set([userOf(me?.id), userOf(me?.lid)]);
  const roster = participants
    .map(({ id, phoneNumber, lid }) => [...new Set([id, phoneNumber, lid].map(userOf).filter((user) => user !== undefined))])
    .filter((users) => !users.some((user) => own.has(user)));
  const id = createHash('sha256').update(JSON.stringify(roster)).digest('base64url').slice(0, ID_LENGTH);
  rosters.set(participants, { id, roster });
  return { id, roster };
}

const noted = new WeakMap<CredentialBuffer, Set<string>>();

/** The rosters that this process put into a credential buffer: they stay there as long as it may write messages to them. */
function notedIn(credentialBuffer: CredentialBuffer): Set<string> {
  const ids = noted.get(credentialBuffer) ?? new Set<string>();
  noted.set(credentialBuffer, ids);
  return ids;
}

const places = new WeakMap<Roster, ReadonlyMap<string, number>>();

function placesIn(roster: Roster): ReadonlyMap<string, number> {
  const made = places.get(roster) ?? new Map(roster.flatMap((users, place) => users.map((user) => [user, place] as const)));
  places.set(roster, made);
  return made;
}

/** Ones for so many members. */
function bitsFor(members: number): string {
  const bytes = Buffer.alloc(Math.ceil(members / 8), 255);
  if (members % 8 > 0) bytes[bytes.length - 1] = (1 << (members % 8)) - 1;
  return bytes.toString('hex');
}

function cleared(bits: string, member: number): string {
  const bytes = Buffer.from(bits, 'hex');
  bytes[member >> 3]! &= ~(1 << (member & 7));
  return bytes.toString('hex');
}

const isEmpty = (bits: string): boolean => !/[^0]/.test(bits);
