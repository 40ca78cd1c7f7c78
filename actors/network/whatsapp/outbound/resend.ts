import { STORIES } from '../../jid.ts';
import type { BinaryNode } from '../library.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import type { Composed } from './compose.ts';
import { envelopeOf } from './envelope.ts';
import type { Outbound } from './outbound.ts';
import { reportingNodes } from './reporting.ts';
import { tokenNodes, tokenOf } from './tokens.ts';

const MAX_TIMES = 5;

interface Again {
  readonly netId: string;
  readonly composed: Composed;
}

interface Requester {
  readonly device: string;
  readonly chat: string;
  readonly isGroup: boolean;
  readonly isOwn: boolean;
  readonly count: number;
}

/** Sends only to the device that asked. The library would send to all devices again. */
export async function resend(context: ConnectionContext, outbound: Outbound, node: BinaryNode): Promise<void> {
  const { library, socket } = context;
  const requester = requesterOf(context, node);
  // The network repeats an unacknowledged request at the next login.
  if (!requester || !socket.ws.isOpen) return;
  const items = library.getBinaryNodeChildren(library.getBinaryNodeChild(node, 'list'), 'item').map(({ attrs }) => attrs['id']);
  // Our own devices may not record messages to each other, so renew their session in any case.
  let isRenewed = requester.isOwn;
  if (isRenewed) await renewSession(context, requester, node);
  for (const netId of [node.attrs['id'], ...items].filter((id) => id !== undefined)) {
    const sent = await outbound.sentAs(netId);
    if (!sent || !wentTo(requester, sent.to) || !(await mayHave(context, netId, requester))) continue;
    if (!isRenewed) await renewSession(context, requester, node);
    isRenewed = true;
    const composed = await sent.composed();
    if (composed) await send(context, { netId, composed }, requester);
  }
}

/** A request from a group must never get messages from another chat. */
const wentTo = ({ chat, isGroup }: Requester, to: string): boolean => (isGroup ? to === chat : !to.endsWith('@g.us'));

function requesterOf({ library, creds: { me } }: ConnectionContext, node: BinaryNode): Requester | null {
  const { from = '', participant, recipient } = node.attrs;
  const device = participant ?? from;
  const isGroup = library.isJidGroup(from) === true || from === STORIES;
  const isOwn = library.areJidsSameUser(device, me.id) || library.areJidsSameUser(device, me.lid);
  if (!from || (recipient !== undefined && !isOwn)) return null;
  const count = Number(library.getBinaryNodeChild(node, 'retry')?.attrs['count'] ?? 1);
  return { device, isGroup, isOwn, count, chat: isGroup ? from : library.jidNormalizedUser(isOwn ? (recipient ?? from) : from) };
}

async function renewSession({ library, socket }: ConnectionContext, { device: jid }: Requester, node: BinaryNode): Promise<void> {
  const session = library.extractE2ESessionFromRetryReceipt(node);
  if (session)
    await socket.signalRepository.injectE2ESession({ jid, session } as Parameters<typeof socket.signalRepository.injectE2ESession>[0]);
  else await socket.assertSessions([jid], true);
}

async function mayHave({ account: { retries } }: ConnectionContext, netId: string, { device }: Requester): Promise<boolean> {
  const key = `again ${netId} ${device}`;
  const times = ((await retries.get<number>(key)) ?? 0) + 1;
  await retries.set(key, times);
  return times <= MAX_TIMES;
}

async function send(context: ConnectionContext, { netId, composed: sent }: Again, requester: Requester): Promise<void> {
  const { library, socket, creds } = context;
  const { device, isGroup, isOwn, chat } = requester;
  const inGroup = isGroup ? await withSenderKey(context, chat, sent.message) : sent.message;
  const plain = isOwn ? { deviceSentMessage: { destinationJid: chat, message: inGroup } } : inGroup;
  const { type, ciphertext } = await socket.signalRepository.encryptMessage({ jid: device, data: library.encodeWAMessage(plain) });
  const { kind, seal } = envelopeOf(library, sent.message);
  const enc = { tag: 'enc', attrs: { v: '2', type, count: String(requester.count), ...seal }, content: ciphertext };
  const proof = { tag: 'device-identity', attrs: {}, content: library.encodeSignedDeviceIdentity(creds.account, true) };
  const meta = sent.pollType ? [{ tag: 'meta', attrs: { polltype: sent.pollType } }] : [];
  const isOther = !isGroup && !isOwn;
  const person = library.jidNormalizedUser(device);
  const lid = isOther ? await context.addressing.hiddenOf(person) : null;
  const pn = isOther && library.isLidUser(person) ? await context.addressing.numberOf(person) : null;
  const tokens = isOther ? await tokenNodes(context, lid, await tokenOf(context, person, lid)) : [];
  const report = isOwn ? [] : reportingNodes(context, { netId, to: chat, message: sent.message });
  const to = isGroup ? { to: chat, participant: device } : { to: device, device_fanout: 'false', ...(isOwn && { recipient: chat }) };
  await socket.sendNode({
    tag: 'message',
    attrs: { id: netId, type: kind, ...to, ...(pn !== null && { peer_recipient_pn: pn }), ...sent.attributes },
    content: [enc, ...(type === 'pkmsg' ? [proof] : []), ...tokens, ...report, ...meta],
  });
}

/** Adds our sender key for the group, because the device may lack it. */
async function withSenderKey(
  { socket: { signalRepository }, creds: { me } }: ConnectionContext,
  group: string,
  message: Composed['message'],
): Promise<Composed['message']> {
  for (const meId of [me.lid, me.id]) {
    if (!meId || !(await signalRepository.hasSenderKey({ group, meId }))) continue;
    const key = await signalRepository.getSenderKeyDistributionMessage({ group, meId });
    return { ...message, senderKeyDistributionMessage: { groupId: group, axolotlSenderKeyDistributionMessage: key } };
  }
  return message;
}
