import type { ActorRef } from '../runtime/actor.ts';
import { newId } from '../runtime/ids.ts';
import type { OwnAct } from '../store/acts.ts';
import type { DeviceRow } from '../store/devices.ts';
import type { MessageActs } from '../store/message-acts.ts';
import type { MessageRow, Messages, StoredStatus } from '../store/messages.ts';
import type { DeviceCommand } from './device/protocol.ts';
import { refusal } from './refusals.ts';
import { networkId } from './sending.ts';

export interface ActingPorts {
  readonly messages: Pick<Messages, 'find'>;
  readonly acts: Pick<MessageActs, 'reactions'>;
  device(row: Pick<DeviceRow, '_id' | 'tenant_id'>): ActorRef<DeviceCommand>;
}

/** What is to be done to a message. `value`: the emoji ('' takes it back), the new text. */
export type Wish = Pick<OwnAct, 'kind' | 'value'>;

const ON_THE_NETWORK: readonly StoredStatus[] = ['sent', 'delivered', 'read'];

/** Has it reached the network, and is it still there? */
export const isOnTheNetwork = ({ status }: MessageRow): boolean => ON_THE_NETWORK.includes(status);

/**
 * Does it, and gives the message as it is then. Refuses NOT_FOUND; CONFLICT where this message cannot be so changed, or the network refuses it;
 * NOT_CONNECTED; DEVICE_TIMEOUT: then it is still under way, and done when the network takes it.
 */
export async function actOn(ports: ActingPorts, device: DeviceRow, id: string, wish: Wish, now: number): Promise<MessageRow> {
  const found = await ports.messages.find(device.tenant_id, device._id, id);
  if (!found) throw refusal('NOT_FOUND');
  const problem = whyNot(found, wish);
  if (problem) throw refusal('CONFLICT', { reason: problem });
  if (device.status !== 'connected') throw refusal('NOT_CONNECTED');
  await ports.device(device).ask({ type: 'act', act: actFor(device, found, wish, now) });
  return (await ports.messages.find(device.tenant_id, device._id, id)) ?? found;
}

interface Reason {
  readonly en: string;
  readonly id: string;
}

const NOT_THERE: Reason = { en: 'the message is not on the network', id: 'pesan tidak ada di jaringan' };
const NOT_OURS: Reason = { en: 'somebody else wrote it', id: 'pesan ini ditulis orang lain' };
const NO_TEXT: Reason = { en: 'only text messages can be edited', id: 'hanya pesan teks yang dapat diubah' };
const NO_MESSAGE: Reason = { en: 'it is a reaction', id: 'ini sebuah reaksi' };

function whyNot(message: MessageRow, { kind }: Wish): Reason | null {
  if (message.message_type === 'reaction') return NO_MESSAGE;
  if (!isOnTheNetwork(message)) return NOT_THERE;
  if (kind === 'react') return null;
  if (message.direction === 'inbound') return NOT_OURS;
  return kind === 'edit' && message.message_type !== 'text' ? NO_TEXT : null;
}

function actFor(device: DeviceRow, message: MessageRow, wish: Wish, now: number): OwnAct {
  const id = newId(now);
  return {
    _id: id,
    tenant_id: device.tenant_id,
    session_id: device._id,
    ...wish,
    message_id: message._id,
    chat_id: message.chat_id,
    target: message.net_id,
    from: message.direction === 'inbound' ? (message.sender_lid ?? message.sender) : null,
    net_id: networkId(device.secret, id, now),
    epoch: 0,
    created_at: now,
  };
}

/** The reactions that a message has now: of each person the latest. */
export async function reactionsTo({ acts }: Pick<ActingPorts, 'acts'>, { session_id, net_id }: MessageRow): Promise<readonly MessageRow[]> {
  const latest = new Map<string | null, MessageRow>();
  for (const row of await acts.reactions(session_id, net_id)) {
    const known = latest.get(row.sender);
    if (!known || madeAt(row) >= madeAt(known)) latest.set(row.sender, row);
  }
  return [...latest.values()].filter(({ body }) => body !== '');
}

const madeAt = ({ parts }: MessageRow): number => parts.reaction?.at ?? 0;
