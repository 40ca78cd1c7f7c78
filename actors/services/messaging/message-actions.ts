import type { ActorRef } from '../../../runtime/actor-system/actor.ts';
import { newId } from '../../../runtime/ids.ts';
import { safeText } from '../../../runtime/safe-text.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { MessageAction } from '../../../store/messaging/message-actions.ts';
import type { MessageRow, Messages, StoredStatus } from '../../../store/messaging/messages.ts';
import type { ReceivedActions } from '../../../store/messaging/received-actions.ts';
import type { DeviceCommand } from '../../device/protocol.ts';
import { refusal } from '../../domain/refusals.ts';
import { STORIES } from '../../network/jid.ts';
import type { IdentityResolver } from '../identities/identities.ts';
import { networkId } from './sending.ts';

/**
 * Reacts to, edits and deletes messages. An action is first checked against the stored message, and
 * then carried out by the device.
 */

export interface MessageActionServiceDeps {
  readonly messages: Pick<Messages, 'find'>;
  readonly receivedActions: Pick<ReceivedActions, 'reactions'>;
  readonly people: Pick<IdentityResolver, 'resolve'>;
  device(row: Pick<DeviceRow, '_id' | 'tenant_id'>): ActorRef<DeviceCommand>;
}

/** `value` is the emoji ('' to remove the reaction) or the new text. */
export interface ActionRequest extends Pick<MessageAction, 'kind'> {
  readonly value: string;
}

const ON_THE_NETWORK: readonly StoredStatus[] = ['sent', 'delivered', 'read'];

export const isOnTheNetwork = ({ status }: MessageRow): boolean => ON_THE_NETWORK.includes(status);

/** Fails with NOT_FOUND, CONFLICT, NOT_CONNECTED or DEVICE_TIMEOUT (the action may still happen). */
export async function requestMessageAction(
  deps: MessageActionServiceDeps,
  device: DeviceRow,
  id: string,
  request: ActionRequest,
  now: number,
): Promise<MessageRow> {
  const found = await deps.messages.find(device.tenant_id, device._id, id);
  const isStatus = found?.chat_id === STORIES;
  if (!found || (isStatus && request.kind !== 'erase')) throw refusal('NOT_FOUND');
  const problem = whyNot(found, request);
  if (problem) throw refusal('CONFLICT', { reason: problem });
  if (device.status !== 'connected') throw refusal('NOT_CONNECTED');
  await deps.device(device).ask({ type: 'action', action: actionFor(device, found, request, now) });
  return (await deps.messages.find(device.tenant_id, device._id, id)) ?? found;
}

interface Reason {
  readonly en: string;
  readonly id: string;
}

const NOT_THERE: Reason = { en: 'the message has not reached the network', id: 'pesan belum diterima jaringan' };
const NOT_OURS: Reason = { en: 'the message was written by someone else', id: 'pesan ini ditulis orang lain' };
const NO_TEXT: Reason = { en: 'only text messages can be edited', id: 'hanya pesan teks yang dapat diubah' };
const NO_MESSAGE: Reason = { en: 'the message is a reaction', id: 'ini sebuah reaksi' };

function whyNot(message: MessageRow, { kind }: ActionRequest): Reason | null {
  if (!isOnTheNetwork(message)) return NOT_THERE;
  if (message.message_type === 'reaction') return NO_MESSAGE;
  if (kind === 'react') return null;
  if (message.direction === 'inbound') return NOT_OURS;
  return kind === 'edit' && (message.message_type !== 'text' || message.parts.invite) ? NO_TEXT : null;
}

function actionFor(device: DeviceRow, message: MessageRow, { kind, value }: ActionRequest, now: number): MessageAction {
  const id = newId(now);
  return {
    _id: id,
    tenant_id: device.tenant_id,
    session_id: device._id,
    kind,
    value: safeText(value),
    message_id: message._id,
    chat_id: message.chat_id,
    target: message.net_id,
    from: message.direction === 'inbound' ? (message.sender_lid ?? message.sender) : null,
    ...(message.server_id !== undefined && { server_id: message.server_id }),
    ...(message.parts.story && { audience: message.parts.story.audience }),
    net_id: networkId(device.secret, id, now),
    epoch: 0,
    created_at: now,
  };
}

export async function reactionsTo(
  { receivedActions, people }: Pick<MessageActionServiceDeps, 'receivedActions' | 'people'>,
  message: MessageRow,
): Promise<readonly MessageRow[]> {
  const latest = new Map<string | null, MessageRow>();
  for (const row of await receivedActions.reactions(message)) {
    const sender = row.sender === null ? null : await people.resolve(message.tenant_id, row.sender);
    const known = latest.get(sender);
    if (!known || madeAt(row) >= madeAt(known)) latest.set(sender, { ...row, sender });
  }
  return [...latest.values()].filter(({ body }) => body);
}

const madeAt = ({ parts }: MessageRow): number => parts.reaction?.at ?? 0;
