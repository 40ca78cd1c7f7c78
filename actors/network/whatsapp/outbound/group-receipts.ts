import { createHash } from 'node:crypto';
import type { GroupMetadata } from '@whiskeysockets/baileys';
import { userOf } from '../../jid.ts';
import type { CredentialBuffer } from '../keys/credential-buffer.ts';
import type { SecretKind } from '../keys/secret-kind.ts';
import type { ConnectionContext } from '../session/connection-context.ts';

type Status = 'delivered' | 'read';

type Roster = readonly (readonly string[])[];

/** The members who have not received or read a message, as indexes into the list of members. */
interface Spread {
  readonly at: number;
  /** Id of the list of members, which many messages share. A receipt then changes only one bit. */
  readonly roster: string;
  /** Hex digits with one bit per member. */
  readonly delivered: string;
  readonly read: string;
}

const SPREAD: SecretKind<Spread> = 'spread';
const ROSTER: SecretKind<Roster> = 'roster';
const WAITED_FOR_MS = 7 * 86_400_000;
const ID_LENGTH = 22;

/** Call this before the send. Otherwise, the receipt of the last recipient could arrive too early. */
export function expect(context: ConnectionContext, netId: string, group: string): void {
  const { account, credentialBuffer, clock } = context;
  const { id, roster } = rosterOf(context, account.groups.get(group)?.participants ?? []);
  const noted = notedIn(credentialBuffer);
  if (!noted.has(id)) credentialBuffer.set(ROSTER, { [id]: roster });
  noted.add(id);
  const all = bitsFor(roster.length);
  credentialBuffer.add(SPREAD, { [netId]: { at: clock.now(), roster: id, delivered: all, read: all } });
}

interface Missing {
  readonly spread: Spread;
  readonly places: ReadonlyMap<string, number>;
  readonly bits: Readonly<Record<Status, Uint8Array>>;
  hasChanged: boolean;
}

export class Spreads {
  readonly #context: ConnectionContext;
  readonly #missing: ReadonlyMap<string, Missing>;

  private constructor(context: ConnectionContext, missing: ReadonlyMap<string, Missing>) {
    this.#context = context;
    this.#missing = missing;
  }

  static async of(context: ConnectionContext, netIds: readonly string[]): Promise<Spreads> {
    if (netIds.length === 0) return new Spreads(context, new Map());
    const { credentialBuffer } = context;
    const known = Object.entries(await credentialBuffer.get(SPREAD, [...new Set(netIds)]));
    const rosters = await credentialBuffer.get(ROSTER, [...new Set(known.map(([, { roster }]) => roster))]);
    return new Spreads(context, new Map(known.map(([netId, spread]) => [netId, missingOf(spread, rosters[spread.roster] ?? [])])));
  }

  /** Returns the messages that have reached all members, even for a repeated receipt after a lost report. */
  deliveredTo(by: string, netIds: readonly string[], status: Status): readonly string[] {
    const user = userOf(by) ?? '';
    return netIds.filter((netId) => {
      const missing = this.#missing.get(netId);
      if (!missing) return false;
      const place = missing.places.get(user);
      const isNew = place !== undefined && clear(missing.bits[status], place);
      if (isNew && status === 'read') clear(missing.bits.delivered, place);
      missing.hasChanged ||= isNew;
      return isNobody(missing.bits[status]);
    });
  }

  keep(): void {
    const changed = [...this.#missing].filter(([, { hasChanged }]) => hasChanged);
    if (changed.length === 0) return;
    this.#context.credentialBuffer.set(SPREAD, Object.fromEntries(changed.map(([netId, missing]) => [netId, spreadOf(missing)])));
  }

  /** Call this once the report about all members is stored. */
  forget(netIds: readonly string[]): void {
    const known = netIds.filter((netId) => this.#missing.has(netId));
    if (known.length > 0) this.#context.credentialBuffer.set(SPREAD, Object.fromEntries(known.map((netId) => [netId, null])));
  }
}

function missingOf(spread: Spread, roster: Roster): Missing {
  const bits = { delivered: Buffer.from(spread.delivered, 'hex'), read: Buffer.from(spread.read, 'hex') };
  return { spread, places: placesIn(roster), bits, hasChanged: false };
}

const hexOf = (bits: Uint8Array): string => Buffer.from(bits).toString('hex');

const spreadOf = ({ spread, bits: { delivered, read } }: Missing): Spread => ({
  ...spread,
  delivered: hexOf(delivered),
  read: hexOf(read),
});

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

function bitsFor(members: number): string {
  const bytes = Buffer.alloc(Math.ceil(members / 8), 255);
  if (members % 8 > 0) bytes[bytes.length - 1] = (1 << (members % 8)) - 1;
  return bytes.toString('hex');
}

function clear(bits: Uint8Array, place: number): boolean {
  const before = bits[place >> 3] ?? 0;
  const after = before & ~(1 << (place & 7));
  if (after === before) return false;
  bits[place >> 3] = after;
  return true;
}

const isNobody = (bits: Uint8Array): boolean => bits.every((eight) => eight === 0);
