import { Refusal } from '../../runtime/errors.ts';
import type { ConsentConfigs } from '../../store/consent-configs.ts';
import type { ConsentRow, OwedEntry } from '../../store/consents.ts';
import type { Devices } from '../../store/devices.ts';
import { LANES } from '../../store/messages.ts';
import type { Tenants } from '../../store/tenants.ts';
import { answerId } from '../answer-id.ts';
import { type Plans, planOf } from '../plans.ts';
import type { Sending } from '../sending.ts';
import { consentConfigOf } from './config.ts';
import { addressOf } from './people.ts';

/** What a person is told, in the tenant's language, where the tenant wrote nothing of its own. */
export const CONFIRMATIONS = {
  opted_out: {
    en: 'You have been unsubscribed and will receive no more offers from us. Reply START to subscribe again.',
    id: 'Anda telah berhenti berlangganan dan tidak akan menerima penawaran lagi dari kami. Balas MULAI untuk berlangganan kembali.',
  },
  opted_in: {
    en: 'You are subscribed again. Reply STOP at any time to unsubscribe.',
    id: 'Anda berlangganan kembali. Balas STOP kapan saja untuk berhenti.',
  },
} as const;

export interface ConfirmPorts {
  readonly configs: ConsentConfigs;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly devices: Pick<Devices, 'find'>;
  readonly plans: Plans;
  readonly sending: Sending;
  readonly now: () => number;
}

/**
 * Confirms a change to the person who made it (spec.md part 3), under an id that follows from their message: however often this is done,
 * one confirmation leaves. It is a courtesy: where too much waits for the device, it is left out.
 */
export async function sendConfirmation(ports: ConfirmPorts, { tenant_id, who }: ConsentRow, entry: OwedEntry): Promise<void> {
  const { cause = '', session_id = '', status } = entry;
  const [tenant, device, config] = await Promise.all([
    ports.tenants.find(tenant_id),
    ports.devices.find(tenant_id, session_id),
    consentConfigOf(ports.configs, tenant_id),
  ]);
  if (!tenant || !device) return;
  const own = status === 'opted_out' ? config.optout_reply : config.optin_reply;
  const body = own ?? CONFIRMATIONS[status][tenant.profile.locale];
  if (body === '') return;
  const order = { chat: addressOf(who), message_type: 'text', body, parts: {}, quotes: null, lane: LANES.reply, priority: 9 } as const;
  try {
    await ports.sending.accept(device, planOf(ports.plans, tenant.plan), { ...order, id: answerId('consent', cause) }, ports.now());
  } catch (cause) {
    if (!(cause instanceof Refusal && cause.code === 'OVERLOADED')) throw cause;
  }
}
