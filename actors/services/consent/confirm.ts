import { Refusal } from '../../../runtime/errors.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { ConsentConfig, ConsentConfigs } from '../../../store/consent/consent-configs.ts';
import type { ConsentRow, OutboxEntry } from '../../../store/consent/consent-row.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import { LANES } from '../../../store/messaging/messages.ts';
import { type Plans, planFor } from '../../domain/plans.ts';
import { addressOf } from '../../network/subject.ts';
import { answerId } from '../messaging/answer-id.ts';
import type { Sending } from '../messaging/sending.ts';
import { consentConfigOf } from './config.ts';

type Locale = 'en' | 'id';
type Status = ConsentRow['status'];

const TEXTS: Readonly<Record<Status, Readonly<Record<Locale, readonly [done: string, undo: (word: string) => string]>>>> = {
  opted_out: {
    en: ['You have been unsubscribed and will receive no more offers from us.', (word) => ` Reply ${word} to subscribe again.`],
    id: [
      'Anda telah berhenti berlangganan dan tidak akan menerima penawaran lagi dari kami.',
      (word) => ` Balas ${word} untuk berlangganan kembali.`,
    ],
  },
  opted_in: {
    en: ['You are subscribed again.', (word) => ` Reply ${word} at any time to unsubscribe.`],
    id: ['Anda berlangganan kembali.', (word) => ` Balas ${word} kapan saja untuk berhenti.`],
  },
};

const WORDS: Readonly<Record<Status, Readonly<Record<Locale, string>>>> = {
  opted_out: { en: 'START', id: 'MULAI' },
  opted_in: { en: 'STOP', id: 'STOP' },
};

export function confirmationOf(status: Status, locale: Locale, config: Pick<ConsentConfig, 'optout_keywords' | 'optin_keywords'>): string {
  const words = status === 'opted_out' ? config.optin_keywords : config.optout_keywords;
  const usual = WORDS[status][locale];
  const isTaken = words.some((word) => word.trim().toUpperCase() === usual);
  const word = isTaken ? usual : words[0]?.trim().toUpperCase();
  const [done, undo] = TEXTS[status][locale];
  return word ? done + undo(word) : done;
}

export interface ConfirmDeps {
  readonly configs: ConsentConfigs;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly devices: Pick<Devices, 'find'>;
  readonly plans: Plans;
  readonly sending: Sending;
  readonly now: () => number;
  fill(tenantId: string, chat: string, text: string): Promise<string>;
}

const SKIPPED: ReadonlySet<string> = new Set(['OVERLOADED', 'LIMIT_REACHED']);

/** Sends at most one confirmation; none if the queue is full or the quota is used up. */
export async function sendConfirmation(deps: ConfirmDeps, { tenant_id, subject }: ConsentRow, entry: OutboxEntry): Promise<void> {
  const { cause = '', session_id = '', status } = entry;
  const [tenant, device, config] = await Promise.all([
    deps.tenants.find(tenant_id),
    deps.devices.find(tenant_id, session_id),
    consentConfigOf(deps.configs, tenant_id),
  ]);
  if (!tenant || !device) return;
  const own = status === 'opted_out' ? config.optout_reply : config.optin_reply;
  const chat = addressOf(subject);
  const written = own ?? confirmationOf(status, tenant.profile.locale, config);
  const body = await deps.fill(tenant_id, chat, written);
  if (body.trim() === '') return;
  const order = { chat, message_type: 'text', body, parts: {}, quotes: null, lane: LANES.reply, priority: 9 } as const;
  try {
    await deps.sending.accept(
      device,
      planFor(deps.plans, tenant),
      { ...order, id: answerId('consent', cause), isAutomatic: true },
      deps.now(),
    );
  } catch (cause) {
    if (!(cause instanceof Refusal && SKIPPED.has(cause.code))) throw cause;
  }
}
