import type { Safe } from '../../../runtime/safe-text.ts';
import type { MessageRow, Owner } from '../../../store/messaging/messages.ts';
import { newMessage } from '../../../store/messaging/new-message.ts';
import type { MessageAddress } from '../../domain/message-address.ts';
import type { FileReference, InboundMessage } from '../../network/port.ts';
import { extrasOf, partsOf } from './content.ts';

/** If a message is delivered at least this late, its row also stores when it was written (`told_at`). */
const OLD_MS = 60_000;

export function inboundRow(
  id: string,
  { tenantId, sessionId, epoch }: Owner,
  message: Safe<InboundMessage>,
  place: MessageAddress,
  now: number,
): MessageRow {
  const { message_type, body, parts } = partsOf(message.content);
  const beside = extrasOf(message);
  return newMessage({
    _id: id,
    tenant_id: tenantId,
    session_id: sessionId,
    direction: 'inbound',
    chat_id: place.chat,
    sender: place.from,
    ...(place.lid !== null && { sender_lid: place.lid }),
    sender_name: message.fromName,
    ...(message.fromUsername && { sender_username: message.fromUsername }),
    message_type,
    body,
    parts: { ...parts, ...beside },
    // A sender with a wrong clock can shorten a message's lifetime, but not extend it.
    ...(beside.ephemeral !== undefined && { vanishes_at: Math.min(message.at, now) + beside.ephemeral * 1_000 }),
    status: 'delivered',
    net_id: message.netId,
    quotes: message.quotes,
    epoch,
    outbox_pending: true,
    created_at: now,
    ...(now - message.at > OLD_MS && { told_at: message.at }),
    ...(message.windowUntil !== undefined && { window_until: message.windowUntil }),
    delivered_at: now,
  });
}

/** Returns the fields of a message sent from the phone, which uses no quota and is never resent. */
export const asOurs = ({ at, list }: Safe<InboundMessage>) =>
  ({
    direction: 'outbound',
    from_phone: true,
    ...(list !== undefined && { list }),
    sender: null,
    sender_name: null,
    status: 'sent',
    attempts: 1,
    sent_at: at,
    delivered_at: null,
  }) as const;

export const deferMedia = (deferred_media: FileReference | null) => ({ error: 'media_not_fetched', deferred_media });
