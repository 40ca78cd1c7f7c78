import type { Handset } from '../people/handset.ts';
import { bytesOf, child, children, el, isGroup, jidOf, parseJid, type Stanza, withoutDevice } from '../stanza.ts';
import type { Account } from './account.ts';
import { refusesForm } from './addressing.ts';
import { type Exchange, seconds } from './exchange.ts';
import type { Audience } from './groups.ts';
import { isVouchedFor } from './identity.ts';
import { Linked } from './linked.ts';
import { addressesOf, listHash } from './notices.ts';
import { isChannel, STORIES, statusAudience, takePost } from './posts.ts';

/** A client's message in transit to one device. */
export interface PeerMessage {
  readonly id: string;
  readonly author: Linked;
  readonly group: Audience | null;
  /** Address to which the client sent it: a person, a group, or one device. */
  readonly to: string;
  /** Recipient's address as the client wrote it: by number or hidden. */
  readonly addressed: string;
  /** The `<enc>` nodes. */
  readonly seals: readonly Stanza[];
  readonly stanza: Stanza;
}

const NOT_ACCEPTABLE = 403;
const OTHER_ADDRESSING = 421;
const RESTRICTED = 463;

/** Acknowledges or refuses a client's message, then delivers each device its part. */
export async function takeMessage(exchange: Exchange, author: Linked, stanza: Stanza): Promise<void> {
  const { id, to = '', participant } = stanza.attrs;
  if (isChannel(to)) return takePost(exchange, author, stanza);
  exchange.ledger.message(author.line, stanza);
  const audience = to === STORIES ? statusAudience(exchange, stanza) : null;
  const group = isGroup(to) ? exchange.groups.get(to) : typeof audience === 'number' ? null : audience;
  const isStranger = isGroup(to) && !group?.members.includes(author.account);
  const locked = startsChat(exchange, author, stanza) && isLocked(exchange, author) ? RESTRICTED : null;
  const refusal = exchange.faults.refusesMessage(author.account.digits);
  const error =
    refusal?.code ??
    refusesForm(exchange, author, stanza) ??
    (isStranger ? NOT_ACCEPTABLE : typeof audience === 'number' ? audience : (otherAddressing(stanza, group) ?? locked));
  const phash = error === null ? otherList(exchange, author, stanza, group) : null;
  const more = { backoff: refusal?.backoff ?? null, ...exchange.faults.ackSays(author.account.digits) };
  author.connection?.send(el('ack', { class: 'message', id, from: to, t: seconds(exchange), participant, error, phash, ...more }));
  if (error !== null) return;
  checkIdentity(exchange, author, stanza);
  const parts = sealsByDevice(exchange, author, stanza, group);
  if (!group && child(stanza, 'participants')) noteMissing(exchange, author, stanza, new Set(parts.keys()));
  for (const [addressed, seals] of parts) {
    await bring(exchange, { id: id ?? '', author, group, to, addressed, seals, stanza });
  }
}

/** Returns an error code if the author used the wrong kind of address for a group's members. */
function otherAddressing({ attrs: { addressing_mode: mode } }: Stanza, group: Audience | null): number | null {
  return group && mode !== undefined && mode !== group.addressing ? OTHER_ADDRESSING : null;
}

/**
 * Returns the hash of the devices that should get a message, if it differs from the author's; null if it matches or
 * the author sent none.
 */
function otherList(exchange: Exchange, author: Linked, stanza: Stanza, group: Audience | null): string | null {
  const { directory, journal } = exchange;
  const { attrs } = stanza;
  const { id, to = '' } = attrs;
  const other = group ? null : directory.of(to);
  const isToOneDevice = attrs['device_fanout'] === 'false' || attrs['category'] === 'peer';
  // Clients may omit the hash for a direct chat. The server then compares the parts.
  const phash = attrs['phash'] ?? (other && !isToOneDevice ? hashOfParts(exchange, author, stanza) : undefined);
  if (phash === undefined || (!group && !other)) return null;
  const by = (group ? group.addressing === 'lid' : parseJid(to).domain === 'lid') ? 'lid' : 'jid';
  const accounts = group ? group.members : [...new Set([other!, author.account])];
  const jids = accounts.flatMap((account) => addressesOf(account, by));
  const right = listHash(jids);
  if (right === phash) return null;
  if (group) journal.event('incomplete', author.line, { id, phash, right, jids });
  return right;
}

/** Returns the hash of the author's devices and the recipient's devices for which a message was encrypted. */
function hashOfParts(exchange: Exchange, author: Linked, stanza: Stanza): string | undefined {
  const isOther = (jid: string): boolean => exchange.directory.isServedAs(parseJid(jid).user);
  const named = children(child(stanza, 'participants'), 'to').map(({ attrs: { jid = '' } }) => jid);
  const parts = named.map((jid) => (isOther(jid) ? plainly(exchange, jid) : jid));
  const isHidden = parts.some((jid) => parseJid(jid).domain === 'lid');
  return parts.length > 0 ? listHash([...parts, isHidden ? author.lid : author.jid]) : undefined;
}

/** Whether this is the account's first message to a person. Records the chat. */
function startsChat({ directory }: Exchange, { account }: Linked, { attrs }: Stanza): boolean {
  const other = directory.of(attrs['to'] ?? '');
  if (!other || other === account || account.chats.has(other)) return false;
  if (!account.restriction) account.chats.add(other);
  return true;
}

function isLocked({ clock }: Exchange, { account: { restriction } }: Linked): boolean {
  return restriction !== null && (restriction.until === null || restriction.until > clock.now());
}

async function bring(exchange: Exchange, envelope: PeerMessage): Promise<void> {
  const device = deviceAt(exchange, envelope.addressed);
  if (device instanceof Linked) device.deliver(stanzaFor(exchange, device, envelope));
  else if (device) await exchange.people.receive(device, envelope);
  else exchange.journal.event('violation', envelope.author.line, { what: 'no such device', jid: envelope.addressed });
}

function deviceAt({ directory }: Exchange, jid: string): Handset | Linked | null {
  const account = directory.of(jid);
  const { device } = parseJid(jid);
  return account?.handsets.get(device) ?? account?.linked.get(device) ?? null;
}

/** Verifies, as a recipient does, that the phone vouches for the computer that starts a session. */
function checkIdentity({ journal }: Exchange, { account, identity, line }: Linked, stanza: Stanza): void {
  const proof = child(stanza, 'device-identity');
  if (proof && !isVouchedFor(identity, account.phone.keys.identity.public, bytesOf(proof)))
    journal.event('violation', line, { what: 'device identity without its phone’s signature' });
}

/** Records devices that a client left out because its device list is outdated. */
function noteMissing({ directory, journal }: Exchange, author: Linked, { attrs }: Stanza, addressed: ReadonlySet<string>): void {
  const other = directory.of(attrs['to'] ?? '');
  const there = other?.onNetwork ? devicesOf([...new Set([other, author.account])]) : [];
  const missing = there.filter((jid) => jid !== author.jid && !addressed.has(jid));
  if (missing.length) journal.event('incomplete', author.line, { id: attrs['id'], missing });
}

/** Returns the parts by device address, in the order in which the device must decrypt them. */
function sealsByDevice(exchange: Exchange, author: Linked, stanza: Stanza, group: Audience | null): ReadonlyMap<string, readonly Stanza[]> {
  const parts = new Map<string, Stanza[]>();
  const add = (jid: string, seals: readonly Stanza[]): void => void parts.set(jid, [...(parts.get(jid) ?? []), ...seals]);
  for (const to of children(child(stanza, 'participants'), 'to')) add(plainly(exchange, to.attrs['jid'] ?? ''), children(to, 'enc'));
  const shared = children(stanza, 'enc');
  if (!shared.length) return parts;
  const isForAll = group && shared.some(({ attrs }) => attrs['type'] === 'skmsg');
  const { to = '', participant = to } = stanza.attrs;
  const devices = isForAll ? devicesOf(group.members).filter((jid) => jid !== author.jid) : [plainly(exchange, participant)];
  for (const jid of devices) add(jid, shared);
  return parts;
}

/**
 * Returns the address by number, so that each device has one key however it was addressed. Addresses of unknown people
 * stay unchanged.
 */
function plainly({ directory }: Exchange, jid: string): string {
  const account = directory.of(jid);
  return account ? jidOf(account.digits, parseJid(account.jid).domain, parseJid(jid).device) : jid;
}

function devicesOf(members: readonly Account[]): readonly string[] {
  return members.flatMap(({ handsets, linked }) => [...handsets.values(), ...linked.values()].map(({ jid }) => jid));
}

/** Returns the stanza of a message from one client to another. */
function stanzaFor(exchange: Exchange, to: Linked, envelope: PeerMessage): Stanza {
  const { author, stanza, seals } = envelope;
  const { id, type, edit, category } = stanza.attrs;
  const proof = child(stanza, 'device-identity');
  const attrs = { id, type, edit, category, t: seconds(exchange), notify: author.account.name, ...addresses(exchange, to, envelope) };
  exchange.people.remember(envelope);
  return el('message', attrs, [...asTheyArrive(exchange, to, seals), ...(proof ? [proof] : [])]);
}

/** Returns the parts as they arrive, possibly corrupted by a fault. */
export function asTheyArrive({ faults }: Exchange, { account }: Linked, seals: readonly Stanza[]): readonly Stanza[] {
  const isSpoilt = faults.spoils(account.digits);
  return isSpoilt ? seals.map((seal) => (isSpoilt(seal.attrs['type']) ? damaged(seal) : seal)) : seals;
}

/**
 * Offset of the byte to damage. It lies before the trailing numbers of a session's first message, which readers do not
 * need.
 */
const IN_WHAT_IS_SEALED = -12;

function damaged(seal: Stanza): Stanza {
  const bytes = Buffer.from(bytesOf(seal));
  bytes[bytes.length + IN_WHAT_IS_SEALED]! ^= 1;
  return el(seal.tag, seal.attrs, bytes);
}

function addresses({ directory }: Exchange, to: Linked, { author, group, to: chat }: PeerMessage) {
  if (group?.addressing === 'lid')
    return { from: group.jid, participant: author.lid, participant_pn: author.account.jid, addressing_mode: 'lid' };
  if (group) return { from: group.jid, participant: author.jid, participant_lid: author.account.lidJid, addressing_mode: 'pn' };
  const isHidden = parseJid(chat).domain === 'lid';
  const mode = isHidden ? 'lid' : 'pn';
  const from = isHidden ? author.lid : author.jid;
  const number = author.account.hasNumber ? author.account.jid : null;
  if (to.account !== author.account)
    return { from, ...(isHidden ? { sender_pn: number } : { sender_lid: author.account.lidJid }), addressing_mode: mode };
  const other = directory.of(chat);
  const alt = isHidden ? { peer_recipient_pn: other?.jid } : { peer_recipient_lid: other?.lidJid };
  return { from, recipient: withoutDevice(chat), ...alt, addressing_mode: mode };
}
