import type { Clock } from '../../runtime/clock.ts';
import { Refusal } from '../../runtime/errors.ts';
import type { ConsentConfigs } from '../../store/consent-configs.ts';
import type { Consents } from '../../store/consents.ts';
import type { DeviceRow, Devices } from '../../store/devices.ts';
import type { Recurring } from '../../store/recurring.ts';
import type { Scheduled } from '../../store/scheduled.ts';
import type { Tenants } from '../../store/tenants.ts';
import { isLid, phoneOf } from '../network/jid.ts';
import type { People } from '../people/people.ts';
import { type Plans, planOf } from '../plans.ts';
import type { Sending, SendOrder } from '../sending.ts';
import type { StreamOnly } from '../stream/types.ts';

export interface ReleasePorts {
  readonly scheduled: Scheduled;
  readonly recurring: Recurring;
  readonly devices: Pick<Devices, 'find'>;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly plans: Plans;
  readonly consents: Pick<Consents, 'statusOf'>;
  readonly consentConfigs: Pick<ConsentConfigs, 'find'>;
  readonly sending: Pick<Sending, 'accept'>;
  readonly people: Pick<People, 'canonical'>;
  readonly clock: Clock;
  /** Tells whoever looks on at that moment. */
  emit(tenantId: string, sessionId: string, event: StreamOnly): void;
}

/** A device whose queue is full is asked again after this. */
export const FULL_PAUSE_MS = 30_000;

/** Who of these (full addresses) asked to be left alone; groups and channels never do. */
export async function optedOutOf(
  { consents }: Pick<ReleasePorts, 'consents'>,
  tenantId: string,
  chats: readonly string[],
): Promise<ReadonlySet<string>> {
  const people = chats.map((chat) => [chat, isLid(chat) ? chat : phoneOf(chat)] as const);
  const known = people.flatMap(([, who]) => who ?? []);
  const status = known.length > 0 ? await consents.statusOf(tenantId, known) : new Map();
  return new Set(people.flatMap(([chat, who]) => (who !== null && status.get(who) === 'opted_out' ? [chat] : [])));
}

/** Stores one message under its id; null: its device's queue is full. */
export async function acceptOnce(
  { tenants, plans, sending }: ReleasePorts,
  device: DeviceRow,
  order: SendOrder & { readonly id: string },
  now: number,
): Promise<'queued' | 'failed' | null> {
  const plan = planOf(plans, (await tenants.find(device.tenant_id))?.plan ?? 'free');
  try {
    return (await sending.accept(device, plan, order, now)).status;
  } catch (cause) {
    if (cause instanceof Refusal && cause.code === 'OVERLOADED') return null;
    throw cause;
  }
}
