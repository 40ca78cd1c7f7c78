import type { OwnAct } from '../../store/acts.ts';
import type { MessageRow } from '../../store/messages.ts';

/** A reaction of ours; its id is its network id too. */
export const actOf = (id: string): OwnAct => ({
  _id: id,
  tenant_id: 't',
  session_id: 's',
  kind: 'react',
  value: '👍',
  message_id: 'A',
  chat_id: '6281211110001@s.whatsapp.net',
  target: 'A',
  from: null,
  net_id: id,
  epoch: 0,
  created_at: 0,
});

/** A message that waits in the store; its id is its network id too. */
export const rowOf = (id: string, created_at: number): MessageRow => ({
  _id: id,
  tenant_id: 't',
  session_id: 's',
  direction: 'outbound',
  chat_id: '6281211110001@s.whatsapp.net',
  sender: null,
  sender_name: null,
  message_type: 'text',
  body: id,
  parts: {},
  media_r2_key: null,
  status: 'queued',
  error: null,
  net_id: id,
  quotes: null,
  lane: 0,
  priority: 0,
  epoch: 0,
  attempts: 0,
  quota_month: null,
  owes: false,
  rev: 0,
  created_at,
  claimed_at: null,
  sent_at: null,
  delivered_at: null,
  read_at: null,
});
