import type { Clock } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { ConsentConfigs } from '../../../store/consent/consent-configs.ts';
import type { Consents } from '../../../store/consent/consents.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import type { Recurring } from '../../../store/scheduling/recurring.ts';
import type { Scheduled } from '../../../store/scheduling/scheduled.ts';
import { type Plans, planFor } from '../../domain/plans.ts';
import { isLid, phoneOf } from '../../network/jid.ts';
import type { TemplateDeps } from '../contacts/templates.ts';
import type { Sending, SendOrder } from '../messaging/sending.ts';
import type { Usernames } from '../people/usernames.ts';
import type { CheckReminder } from '../stores/reminders.ts';
import type { RunOutcomeDeps } from './run-outcome.ts';
import type { TakeBackDeps } from './take-back.ts';

export interface ReleaseDeps extends Pick<TakeBackDeps, 'hintDevice'>, Pick<RunOutcomeDeps, 'emit'>, TemplateDeps {
  readonly messages: TakeBackDeps['messages'] & RunOutcomeDeps['messages'];
  readonly scheduled: Scheduled;
  readonly recurring: Recurring;
  readonly devices: Pick<Devices, 'find'>;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly plans: Plans;
  readonly consents: Pick<Consents, 'statusOf'>;
  readonly consentConfigs: Pick<ConsentConfigs, 'find'>;
  readonly sending: Pick<Sending, 'accept'>;
  readonly usernames: Pick<Usernames, 'isOthers'>;
  readonly clock: Clock;
  readonly checkReminder: CheckReminder;
}

export const FULL_PAUSE_MS = 30_000;

export async function optedOutOf(
  { consents }: Pick<ReleaseDeps, 'consents'>,
  tenantId: string,
  chats: readonly string[],
): Promise<ReadonlySet<string>> {
  const people = chats.map((chat) => [chat, isLid(chat) ? chat : phoneOf(chat)] as const);
  const known = people.flatMap(([, who]) => who ?? []);
  const status = known.length > 0 ? await consents.statusOf(tenantId, known) : new Map();
  return new Set(people.flatMap(([chat, who]) => (who !== null && status.get(who) === 'opted_out' ? [chat] : [])));
}

/** Stores the message in the device's queue. Returns null if the queue is full. */
export async function acceptOnce(
  { tenants, plans, sending }: ReleaseDeps,
  device: DeviceRow,
  order: SendOrder & { readonly id: string },
  now: number,
): Promise<'queued' | 'failed' | null> {
  const plan = planFor(plans, await tenants.find(device.tenant_id));
  try {
    return (await sending.accept(device, plan, order, now)).status;
  } catch (cause) {
    if (cause instanceof Refusal && cause.code === 'OVERLOADED') return null;
    throw cause;
  }
}
