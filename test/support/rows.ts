import { safeText } from '../../runtime/safe-text.ts';
import type { MessageAction } from '../../store/messaging/message-actions.ts';
import type { MessageRow } from '../../store/messaging/messages.ts';
import { aMessageRow } from './message-row.ts';

/** Returns an own reaction whose network id equals its id. */
export const actOf = (id: string): MessageAction => ({
  _id: id,
  tenant_id: 't',
  session_id: 's',
  kind: 'react',
  value: safeText('👍'),
  message_id: 'A',
  chat_id: '6281211110001@s.whatsapp.net',
  target: 'A',
  from: null,
  net_id: id,
  epoch: 0,
  created_at: 0,
});

export const rowOf = (id: string, created_at: number): MessageRow => aMessageRow({ _id: id, created_at });
