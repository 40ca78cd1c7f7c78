import { newId } from '../../../runtime/ids.ts';
import { isRecord } from '../../../runtime/shapes.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { LANES } from '../../../store/messaging/messages.ts';
import type { ScheduledRow } from '../../../store/scheduling/scheduled.ts';
import type { SendOrder } from '../messaging/sending.ts';
import { acceptOnce, FULL_PAUSE_MS, optedOutOf, type ReleaseDeps } from './accept-once.ts';
import { fillAgain } from './fill-again.ts';
import { takeBack } from './take-back.ts';

export async function sendScheduled(deps: ReleaseDeps, row: ScheduledRow, now: number): Promise<void> {
  const { scheduled, devices, people, checkReminder } = deps;
  const verdict = row.status === 'pending' ? await checkReminder(row, now) : 'send';
  if (verdict === 'drop') return void (await scheduled.withdraw(row.tenant_id, row._id));
  if (verdict !== 'send') return scheduled.postpone(row._id, verdict);
  const claimed = row.status === 'pending' ? await scheduled.claim(row._id, newId(now), now) : row;
  if (!claimed?.message_id) return;
  // Use the claimed row, because the row, and even its recipient, may have changed since it was read.
  const chat = await people.resolve(row.tenant_id, claimed.to);
  const device = await devices.find(row.tenant_id, row.session_id);
  const refused = device ? ((await refusalOf(deps, claimed, chat)) ?? (await changedPerson(deps, device, claimed, chat))) : 'no_session';
  if (!device || refused) return void (await scheduled.ended(row._id, 'failed', refused));
  const order = await orderOf(deps, device, claimed, chat);
  if (typeof order === 'string') return void (await scheduled.ended(row._id, 'failed', order));
  const accepted = await acceptOnce(deps, device, { ...order, id: claimed.message_id }, now);
  if (accepted === null) return scheduled.postpone(row._id, now + FULL_PAUSE_MS);
  await scheduled.handedOver(row._id);
  // The customer may have bought just now, when there was no message to cancel yet. Check again.
  if (row.reminder && (await checkReminder(row, now)) === 'drop') await takeBack(deps, row.tenant_id, row._id);
}

/** People who opted out get no reminders and, with `enforce_api`, no scheduled messages at all. */
async function refusalOf(deps: ReleaseDeps, { tenant_id, reminder }: ScheduledRow, chat: string): Promise<'opted_out' | null> {
  const optedOut = await optedOutOf(deps, tenant_id, [chat]);
  if (optedOut.size === 0) return null;
  return reminder || (await deps.consentConfigs.find(tenant_id))?.config.enforce_api ? 'opted_out' : null;
}

async function changedPerson(
  { usernames, people }: ReleaseDeps,
  device: DeviceRow,
  { tenant_id, username }: ScheduledRow,
  chat: string,
): Promise<'person_changed' | null> {
  if (!username) return null;
  const isTheirs = async (lid: string): Promise<boolean> => (await people.resolve(tenant_id, lid)) === chat;
  return (await usernames.isOthers(device, username, isTheirs)) ? 'person_changed' : null;
}

async function orderOf(deps: ReleaseDeps, device: DeviceRow, row: ScheduledRow, chat: string): Promise<SendOrder | string> {
  const order = storedOrder(row, chat);
  const { template_id: id, variables } = row.asked;
  if (!row.parts.official?.template || typeof id !== 'string') return order;
  const values = isRecord(variables) ? Object.entries(variables).map(([name, value]) => [name, String(value)]) : [];
  const anew = await fillAgain(deps, device, { id, variables: Object.fromEntries(values) }, order);
  return typeof anew === 'string' ? anew : { ...order, ...anew };
}

function storedOrder(
  { _id, message_type, body, parts, media_r2_key, quotes, priority, reminder, store }: ScheduledRow,
  chat: string,
): SendOrder {
  return {
    chat,
    message_type,
    body,
    parts,
    ...(media_r2_key !== null && { media_r2_key }),
    quotes,
    lane: LANES.scheduled,
    priority,
    origin: { kind: 'scheduled', id: _id },
    ...(reminder && { isMarketing: true }),
    ...(store !== undefined && { madeBy: { kind: 'store', id: store } }),
  };
}
