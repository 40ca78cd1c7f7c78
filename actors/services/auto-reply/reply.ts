import { Refusal } from '../../../runtime/errors.ts';
import type { TenantRow } from '../../../store/accounts/tenants.ts';
import type { AutoReplies } from '../../../store/auto-reply/auto-replies.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import { LANES, type MessageRow } from '../../../store/messaging/messages.ts';
import { type Plans, planFor } from '../../domain/plans.ts';
import { refusal } from '../../domain/refusals.ts';
import { compile, MAX_CAPTION_LENGTH, MAX_TEXT_LENGTH, render, type TokenValues } from '../../domain/text-tokens.ts';
import type { ConsentCheck } from '../consent/check.ts';
import type { MediaLibrary } from '../media/library.ts';
import type { PreparedFiles } from '../media/prepared-files.ts';
import { answerId } from '../messaging/answer-id.ts';
import type { Sending, SendOrder } from '../messaging/sending.ts';
import type { Answer } from './answers.ts';

export interface ReplyDeps {
  readonly autoReplies: AutoReplies;
  readonly devices: Pick<Devices, 'find'>;
  readonly media: Pick<MediaLibrary, 'get'> & Pick<PreparedFiles, 'prepare'>;
  readonly consentCheck: ConsentCheck;
  readonly plans: Plans;
  readonly sending: Sending;
  readonly now: () => number;
  valuesOf(tenantId: string, chatId: string): Promise<TokenValues>;
  failed(cause: Refusal, row: MessageRow): void;
}

/** If a chat gets more replies in an hour, two machines are probably talking to each other. */
const MAX_PER_HOUR = 30;
const HOUR_MS = 3_600_000;

/** Sends a reply, and only one even if called again. A reply that cannot be sent is skipped. */
export async function reply(deps: ReplyDeps, row: MessageRow, answer: Answer, tenant: TenantRow): Promise<void> {
  const { tenant_id, session_id, chat_id, _id: cause, created_at: at } = row;
  const turn = { key: `hour:${session_id}:${chat_id}`, of: session_id, cause, at };
  if (!(await deps.autoReplies.claimOneOf(turn, MAX_PER_HOUR, HOUR_MS))) return;
  try {
    await deps.consentCheck.admit(tenant_id, chat_id, session_id);
    const device = await deps.devices.find(tenant_id, session_id);
    const order = device && (await orderFor(deps, row, answer));
    if (order) await deps.sending.accept(device, planFor(deps.plans, tenant), order, deps.now());
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    deps.failed(cause, row);
  }
}

async function orderFor({ media, valuesOf }: ReplyDeps, row: MessageRow, answer: Answer): Promise<SendOrder | null> {
  const { tenant_id, chat_id: chat, _id } = row;
  const { reply_type: message_type, reply_body, reply_caption, reply_r2_key } = answer;
  const [written, maxLength] = message_type === 'text' ? [reply_body, MAX_TEXT_LENGTH] : [reply_caption, MAX_CAPTION_LENGTH];
  const rendered = written ? render(compile(written), await valuesOf(tenant_id, chat), maxLength) : { text: written };
  if (!rendered) throw refusal('VALIDATION_FAILED');
  const body = rendered.text;
  const order = {
    chat,
    message_type,
    body,
    quotes: null,
    lane: LANES.reply,
    priority: 0,
    id: answerId('auto', _id),
    isAutomatic: true,
    madeBy: { kind: 'rule', id: null },
  } as const;
  // A text of placeholders alone is empty if none of them has a value.
  if (message_type === 'text') return body?.trim() ? { ...order, parts: {} } : null;
  const file = await media.get(tenant_id, reply_r2_key ?? '');
  const prepared = await media.prepare(file, { type: message_type });
  return { ...order, media_r2_key: file._id, message_type: prepared.type, parts: { media: prepared.media } };
}
