import { LANES, type MessageRow, type Owner } from '../../store/messages.ts';
import type { FileReference, InboundMessage } from '../network/port.ts';
import type { Place } from '../people/people.ts';
import { partsOf } from './content.ts';

/** As it is stored, but for its id. */
export function inboundRow(
  { tenantId, sessionId, epoch }: Owner,
  message: InboundMessage,
  place: Place,
  now: number,
): Omit<MessageRow, '_id'> {
  return {
    tenant_id: tenantId,
    session_id: sessionId,
    direction: 'inbound',
    chat_id: place.chat,
    sender: place.from,
    ...(place.lid !== null && { sender_lid: place.lid }),
    sender_name: message.fromName,
    ...partsOf(message.content),
    media_r2_key: null,
    status: 'delivered',
    error: null,
    net_id: message.netId,
    quotes: message.quotes,
    lane: LANES.reply,
    priority: 0,
    epoch,
    attempts: 0,
    quota_month: null,
    owes: true,
    rev: 0,
    created_at: now,
    claimed_at: null,
    sent_at: null,
    delivered_at: now,
    read_at: null,
  };
}

/** It was sent, by nobody that this gateway knows: no call, no quota, and no second time. */
export const asOurs = ({ at }: InboundMessage) =>
  ({
    direction: 'outbound',
    from_phone: true,
    sender: null,
    sender_name: null,
    status: 'sent',
    attempts: 1,
    sent_at: at,
    delivered_at: null,
  }) as const;

/** Of a message whose file is left on the network until somebody asks for it. */
export const leftThere = (left_file: FileReference | null) => ({ error: 'media_not_fetched', left_file });
