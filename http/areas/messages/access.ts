import { refusal } from '../../../actors/domain/refusals.ts';
import { isPublic } from '../../../actors/network/channels.ts';
import { STORIES } from '../../../actors/network/jid.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { MessageRow, Messages } from '../../../store/messaging/messages.ts';
import type { Caller } from '../../core/row.ts';

export const CHANGES_MESSAGE = {
  deviceKeys: true,
  agents: true,
  scope: 'send',
  audit: { none: 'the message log records the message' },
} as const;

interface Finding {
  readonly messages: Pick<Messages, 'find'>;
}

interface AtMessage {
  readonly caller: Pick<Caller, 'role'>;
  readonly device: DeviceRow;
  readonly params: { readonly messageId: string };
}

/** Fails with NOT_FOUND for a status post, because it is not part of the log. */
export async function messageAt({ messages }: Finding, { device, params }: Omit<AtMessage, 'caller'>): Promise<MessageRow> {
  const found = await messages.find(device.tenant_id, device._id, params.messageId);
  if (!found || found.chat_id === STORIES) throw refusal('NOT_FOUND');
  return found;
}

/** Fails with FORBIDDEN if an agent tries to change a channel post. */
export async function messageToChange(services: Finding, call: AtMessage): Promise<MessageRow> {
  const found = await messageAt(services, call);
  if (call.caller.role === 'agent' && isPublic(found.chat_id)) throw refusal('FORBIDDEN');
  return found;
}
