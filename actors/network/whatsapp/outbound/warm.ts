import { randomInt } from 'node:crypto';
import type { GroupMetadata } from '@whiskeysockets/baileys';
import { at } from '../../../../runtime/invariant.ts';
import type { Holders } from '../keys/key-holders.ts';
import type { BinaryNode, Library, proto } from '../library.ts';
import type { Sealed } from '../libsignal/session.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { type DeviceName, HIDDEN } from '../signal/warm-seals.ts';
import type { Composed } from './compose.ts';
import { reportingNodes } from './reporting.ts';
import { tokenNodes, tokenOf } from './tokens.ts';

interface Written {
  readonly netId: string;
  readonly to: string;
  /** The number of the person whose hidden address is `to`. */
  readonly recipient: string | null;
  readonly composed: Composed;
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(['messageContextInfo', 'conversation', 'extendedTextMessage']);
/** Device number of the network's own computers. They are never in groups. */
const HOSTED = 99;
const MAX_PADDING = 16;

/** Sends a text if all devices, sessions and keys for it are already known. Otherwise returns false. */
export async function writeWarm(context: ConnectionContext, written: Written): Promise<boolean> {
  if (!isPlainText(written.composed)) return false;
  const stanza = written.to.endsWith('@g.us') ? await toGroup(context, written) : await toPerson(context, written);
  if (!stanza) return false;
  await context.socket.sendNode(stanza);
  return true;
}

function isPlainText({ message, attributes, pollType }: Composed): boolean {
  // Exclude texts with a link preview, which are another kind of message (envelopeOf).
  if (attributes || pollType || message.extendedTextMessage?.matchedText) return false;
  for (const name in message) if (!TEXT_FIELDS.has(name)) return false;
  return true;
}

async function toPerson(context: ConnectionContext, { netId, to, recipient, composed: { message } }: Written): Promise<BinaryNode | null> {
  const { library, signal, creds } = context;
  const them = library.jidDecode(to);
  const me = library.jidDecode(them?.server === HIDDEN ? creds.me.lid : creds.me.id);
  if (!them || !me || isOurs(context, them.user)) return null;
  const [own, others] = [devicesOf(context, me.user), devicesOf(context, them.user)];
  const tokens = others && others.length > 0 ? await tokensFor(context, them) : null;
  if (!own || !others || !tokens) return null;
  const forOwn = encoded(library, { deviceSentMessage: { destinationJid: to, message } });
  const forOthers = encoded(library, message);
  const letters = [
    ...own.filter((device) => !isThisDevice(context, device)).map((device) => ({ to: device, plain: forOwn })),
    ...others.map((device) => ({ to: device, plain: forOthers })),
  ];
  const sealed = await signal.seals.seal(letters);
  if (!sealed) return null;
  const participants = sealed.map((part, nth) => addressed(at(letters, nth).to, part));
  const report = reportingNodes(context, { netId, to, message, padded: forOthers });
  const isNew = sealed.some(({ type }) => type === 'pkmsg');
  const proof = { tag: 'device-identity', attrs: {}, content: library.encodeSignedDeviceIdentity(creds.account, true) };
  return {
    tag: 'message',
    attrs: { to, id: netId, type: 'text', ...(recipient !== null && { peer_recipient_pn: recipient }) },
    content: [{ tag: 'participants', attrs: {}, content: participants }, ...(isNew ? [proof] : []), ...tokens, ...report],
  };
}

/** Encodes and pads as the library does, but with `randomInt`, which draws random bytes for many calls at once. */
function encoded({ proto: { Message } }: Library, message: proto.IMessage): Buffer {
  const padding = randomInt(1, MAX_PADDING + 1);
  return Buffer.concat([Message.encode(message).finish(), Buffer.alloc(padding, padding)]);
}

const addressed = (to: DeviceName, { type, ciphertext }: Sealed): BinaryNode => ({
  tag: 'to',
  attrs: { jid: jidOf(to) },
  content: [{ tag: 'enc', attrs: { v: '2', type }, content: ciphertext }],
});

async function toGroup(context: ConnectionContext, { netId, to, composed: { message } }: Written): Promise<BinaryNode | null> {
  const { account, library, signal, creds, keyHolders } = context;
  const group = account.groups.get(to);
  if (!group) return null;
  const holders = await keyHolders.of(to);
  if (!membersIn(context, group).every((user) => haveKey(devicesOf(context, user), holders))) return null;
  const mode = group.addressingMode ?? HIDDEN;
  const me = mode === HIDDEN && creds.me.lid ? creds.me.lid : creds.me.id;
  const padded = encoded(library, message);
  const ciphertext = await signal.seals.sealForGroup(to, me, padded);
  if (!ciphertext) return null;
  return {
    tag: 'message',
    attrs: { to, id: netId, type: 'text', addressing_mode: mode },
    content: [
      { tag: 'enc', attrs: { v: '2', type: 'skmsg' }, content: ciphertext },
      ...reportingNodes(context, { netId, to, message, padded }),
    ],
  };
}

const haveKey = (devices: readonly DeviceName[] | null, holders: Holders): boolean =>
  devices?.every((one) => one.device === HOSTED || one.server.startsWith('hosted') || holders[jidOf(one)]) ?? false;

const members = new WeakMap<GroupMetadata['participants'], readonly string[]>();

function membersIn({ library }: ConnectionContext, { participants }: GroupMetadata): readonly string[] {
  const known = members.get(participants) ?? participants.map(({ id }) => library.jidDecode(id)?.user ?? '');
  members.set(participants, known);
  return known;
}

const devicesOf = ({ account }: ConnectionContext, user: string): readonly DeviceName[] | null =>
  account.devices.get<readonly DeviceName[]>(user) ?? null;

/** Null if we have not issued a token recently. The library then sends the message and issues one. */
async function tokensFor(
  context: ConnectionContext,
  them: { readonly user: string; readonly server: string },
): Promise<readonly BinaryNode[] | null> {
  const user = context.signal.seals.hidden(them);
  if (user === null) return null;
  const lid = `${user}@${HIDDEN}`;
  const kept = await tokenOf(context, lid, lid);
  return !kept || context.library.tokens.shouldSendNewTcToken(kept.senderTimestamp) ? null : tokenNodes(context, lid, kept);
}

function isOurs({ library, creds: { me } }: ConnectionContext, user: string): boolean {
  return user === library.jidDecode(me.id)?.user || user === library.jidDecode(me.lid)?.user;
}

const isThisDevice = ({ creds: { me } }: ConnectionContext, device: DeviceName): boolean => {
  const jid = jidOf(device);
  return jid === me.id || jid === me.lid;
};

const jidOf = ({ user, server, device }: DeviceName): string => `${user}${device ? `:${device}` : ''}@${server}`;
