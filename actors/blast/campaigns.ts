import type { ActorRef } from '../../runtime/actor.ts';
import { newId } from '../../runtime/ids.ts';
import type { ListedValues, RecipientRow, Recipients } from '../../store/blast-recipients.ts';
import type { Audience, BlastDraft, BlastRow, Blasts } from '../../store/blasts.ts';
import { resolveNumber } from '../phone-numbers.ts';
import { refusal } from '../refusals.ts';
import type { Audiences } from './audiences.ts';
import { invalidRecipientOf, recipientOf, UNNAMED } from './gather.ts';
import type { BlastCommand } from './protocol.ts';

/** Somebody a campaign goes to, as a caller lists them (api.md "Blasts"). */
export interface Listed {
  readonly phone: string;
  readonly name?: string | null;
  readonly var1?: string | null;
  readonly var2?: string | null;
  readonly var3?: string | null;
  readonly var4?: string | null;
  readonly var5?: string | null;
}

export interface CampaignPorts {
  readonly blasts: Blasts;
  readonly recipients: Recipients;
  readonly audiences: Audiences;
  blast(row: Pick<BlastRow, 'tenant_id' | '_id'>): ActorRef<BlastCommand>;
}

/** Numbers read in one go: longer lists let others run in between. */
const READ_AT_ONCE = 500;
const SOON_MS = 120_000;

/** Stores a draft and those it lists. */
export async function draftBlast(
  ports: CampaignPorts,
  tenantId: string,
  draft: BlastDraft,
  listed: readonly Listed[],
  callingCode: string,
  now: number,
): Promise<BlastRow> {
  const row: BlastRow = { ...newBlast(tenantId, now), ...draft, due_at: draft.scheduled_at };
  // Its recipients first would leave orphans; a draft that was created without some of its recipients would be sent to too few.
  await ports.blasts.create({ ...row, due_at: null });
  if (listed.length > 0) await addRecipients(ports, row, listed, callingCode, now);
  const drafted = await counted(ports, row, now);
  if (row.due_at === null) return drafted;
  const timed = (await ports.blasts.changeDraft(tenantId, row._id, { due_at: row.due_at })) ?? drafted;
  wakeFor(ports, timed, now);
  return timed;
}

/** A draft that begins before anybody looks for such ones again: its actor is woken now. Should that fail, it begins a little late. */
export function wakeFor({ blast }: Pick<CampaignPorts, 'blast'>, row: BlastRow, now: number): void {
  if (row.scheduled_at === null || row.scheduled_at - now > SOON_MS) return;
  try {
    blast(row).tell({ type: 'look' });
  } catch {
    // Refused by a full mailbox: see above.
  }
}

/** A draft with its counts. An audience is read when the campaign starts: until then its size is what it would be now. */
export async function counted({ blasts, recipients, audiences }: CampaignPorts, row: BlastRow, now: number): Promise<BlastRow> {
  const counts = await recipients.counts(row._id);
  const more = row.audience ? await audiences.count(row.tenant_id, row.audience, now) : 0;
  return (await blasts.noteCounts(row.tenant_id, row._id, { ...counts, total_recipients: counts.total_recipients + more })) ?? row;
}

/** Adds people whose number a draft does not have yet; numbers that cannot be read are listed as invalid. Refuses CONFLICT once it is no draft. */
export async function addRecipients(
  ports: CampaignPorts,
  row: BlastRow,
  listed: readonly Listed[],
  callingCode: string,
  now: number,
): Promise<BlastRow> {
  const { blasts, recipients } = ports;
  if (row.status !== 'draft') throw refusal('CONFLICT');
  for (let from = 0; from < listed.length; from += READ_AT_ONCE) {
    const rows = listed.slice(from, from + READ_AT_ONCE).map((one) => rowOf(row, one, callingCode, now));
    const zones = new Set(rows.filter(({ status }) => status === 'pending').map(({ zone }) => zone));
    if (zones.size > 0) await blasts.noteZones(row.tenant_id, row._id, [...zones]);
    await recipients.add(rows);
    await new Promise(setImmediate);
  }
  return counted(ports, row, now);
}

/** Removes a campaign that does not run, with its recipients. Refuses CONFLICT for one that does. */
export async function removeBlast({ blasts, recipients }: CampaignPorts, row: BlastRow): Promise<void> {
  if (row.status === 'running' || row.status === 'paused') throw refusal('CONFLICT');
  await recipients.removeAll(row._id);
  if (!(await blasts.remove(row.tenant_id, row._id, [row.status]))) throw refusal('CONFLICT');
}

/** `gathering` of a draft that goes to an audience: from its first contact. */
export const gatheringOf = (audience: Audience | null): string | null => (audience ? '' : null);

function rowOf(row: BlastRow, one: Listed, callingCode: string, now: number): RecipientRow {
  const values = valuesOf(one);
  try {
    return recipientOf(row, resolveNumber(one.phone, callingCode), values, now);
  } catch {
    return invalidRecipientOf(row, one.phone, values, now);
  }
}

function valuesOf({ phone: _phone, ...given }: Listed): ListedValues {
  return { ...UNNAMED, ...given };
}

/** A draft that says nothing to nobody yet. */
export function newBlast(tenantId: string, now: number): BlastRow {
  const content = { message_type: 'text', body: null, template_id: null, media_r2_key: null, media: null, caption: null } as const;
  const untouched = { started_at: null, completed_at: null, resumes_at: null, pause_reason: null, error: null };
  const times = { created_at: now, scheduled_at: null, consent_attested_at: null, due_at: null };
  const counts = { total_recipients: 0, sent_count: 0, failed_count: 0, skipped_count: 0 };
  const whom = { session_id: null, rotator_id: null, audience: null, gathering: null, zones: [] };
  const owner = { epoch: 0, node: null };
  return {
    _id: newId(now),
    tenant_id: tenantId,
    name: '',
    status: 'draft',
    ...content,
    ...whom,
    ...times,
    ...untouched,
    ...counts,
    ...owner,
  };
}
