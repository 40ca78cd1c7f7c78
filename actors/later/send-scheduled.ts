import { newId } from '../../runtime/ids.ts';
import { LANES } from '../../store/messages.ts';
import type { ScheduledRow } from '../../store/scheduled.ts';
import type { SendOrder } from '../sending.ts';
import { acceptOnce, FULL_PAUSE_MS, optedOutOf, type ReleasePorts } from './handing.ts';

/** Hands one scheduled message whose time has come to its device; it is `sent` or `failed` when its message is (follow-scheduled.ts). */
export async function sendScheduled(ports: ReleasePorts, row: ScheduledRow, now: number): Promise<void> {
  const { scheduled, devices, people } = ports;
  const claimed = row.status === 'pending' ? await scheduled.claim(row._id, newId(now), now) : row;
  if (!claimed?.message_id) return;
  const chat = await people.canonical(row.tenant_id, row.to);
  const device = await devices.find(row.tenant_id, row.session_id);
  const refused = device ? await refusalOf(ports, row.tenant_id, chat) : 'no_session';
  if (!device || refused) return void (await scheduled.ended(row._id, 'failed', refused));
  const accepted = await acceptOnce(ports, device, { ...orderOf(claimed, chat), id: claimed.message_id }, now);
  if (accepted === null) await scheduled.postpone(row._id, now + FULL_PAUSE_MS);
  else await scheduled.handedOver(row._id);
}

/** api.md "Sends that come later": only where the tenant's settings refuse it. */
async function refusalOf(ports: ReleasePorts, tenantId: string, chat: string): Promise<'opted_out' | null> {
  const optedOut = await optedOutOf(ports, tenantId, [chat]);
  if (optedOut.size === 0) return null;
  return (await ports.consentConfigs.find(tenantId))?.config.enforce_api ? 'opted_out' : null;
}

/** `chat` stands by now for the person that it was scheduled for. */
function orderOf({ _id, message_type, body, parts, media_r2_key, quotes, priority }: ScheduledRow, chat: string): SendOrder {
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
  };
}
