import type { MessageRow } from '../../store/messages.ts';
import type { Tenants } from '../../store/tenants.ts';
import type { Listeners } from '../consent/config.ts';
import { whoOf } from '../consent/people.ts';
import type { FollowUp } from '../follow-ups.ts';
import type { Answers } from './answers.ts';
import { type ReplyPorts, reply } from './reply.ts';

export interface AutoReplyPorts extends ReplyPorts {
  readonly answers: Answers;
  readonly listeners: Listeners;
  readonly tenants: Pick<Tenants, 'find'>;
}

/** Answers what people write in chats of two (spec.md 4.4), but for what they say about consent, which has its own answer. */
export function followAutoReply(ports: AutoReplyPorts): FollowUp {
  async function answer(row: MessageRow): Promise<void> {
    const tenant = await ports.tenants.find(row.tenant_id);
    if (!tenant || tenant.suspended) return;
    const hear = await ports.listeners.of(row.tenant_id);
    if (row.body !== null && hear(row.body) !== null) return;
    const found = await ports.answers.to(row, tenant);
    if (found) await reply(ports, row, found, tenant);
  }

  return {
    name: 'auto-replies',
    async run(rows) {
      for (const row of rows) if (isAnswered(row)) await answer(row);
    },
  };
}

const isAnswered = ({ direction, message_type, chat_id, status }: MessageRow): boolean =>
  direction === 'inbound' && message_type !== 'reaction' && status !== 'deleted' && whoOf(chat_id) !== null;
