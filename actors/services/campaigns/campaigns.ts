import type { ActorRef } from '../../../runtime/actor-system/actor.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { fairSlices } from '../../../runtime/fair-slices.ts';
import { FairSlots } from '../../../runtime/fair-slots.ts';
import { newId } from '../../../runtime/ids.ts';
import { at } from '../../../runtime/invariant.ts';
import type { Audience, CampaignDraft, CampaignRow, Campaigns } from '../../../store/campaigns/campaigns.ts';
import type { DraftReservations } from '../../../store/campaigns/draft-reservations.ts';
import type { ListedValues, RecipientRow } from '../../../store/campaigns/recipients.ts';
import { isDuplicateKey } from '../../../store/port.ts';
import type { CampaignCommand } from '../../campaign/protocol.ts';
import { CHANGED_MEANWHILE, inStatus, refusal } from '../../domain/refusals.ts';
import type { LookUp, PersonRead, PersonReader } from '../identities/person-reader.ts';
import type { Audiences } from './audiences.ts';
import { type DraftLimits, type TakenRoom, withinLimits } from './draft-limits.ts';
import { emptyLanes, type LanesDeps } from './lanes.ts';
import { invalidRecipientOf, recipientOf, UNNAMED } from './recipient-rows.ts';

/**
 * Manages drafts of campaigns and their recipients, from creation to removal. Once started, a
 * campaign is run by its actor. Invariant: a draft gets its start time only when all recipients are
 * stored, so that it cannot start with too few. Data: store/campaigns/campaigns.ts and
 * recipients.ts.
 */

/** `phone` may also be a hidden address, or a username after `@`. */
export interface Listed {
  readonly phone: string;
  readonly name?: string | null;
  readonly var1?: string | null;
  readonly var2?: string | null;
  readonly var3?: string | null;
  readonly var4?: string | null;
  readonly var5?: string | null;
}

export interface Reading {
  readonly callingCode: string;
  readonly lookUp?: LookUp;
}

export interface CampaignDeps extends LanesDeps {
  readonly campaigns: Campaigns;
  readonly audiences: Audiences;
  readonly reservations: DraftReservations;
  readonly clock: Pick<Clock, 'now' | 'after'>;
  readonly draftLists: FairSlots;
  readonly personReader: Pick<PersonReader, 'all'>;
  campaign(row: Pick<CampaignRow, 'tenant_id' | '_id'>): ActorRef<CampaignCommand>;
}

const STORED_BATCH_SIZE = 50;
const SOON_MS = 120_000;

export const createDraftLists = (): FairSlots =>
  new FairSlots({ slots: 4, share: 1, waiting: 10, full: () => refusal('OVERLOADED', { retryAfterMs: 5_000 }) });

/** Creates a draft. If an earlier call created the draft and then died, completes it. */
export function draftCampaign(
  deps: CampaignDeps,
  tenantId: string,
  limits: DraftLimits,
  ...rest: readonly [draft: CampaignDraft & { readonly _id?: string }, listed: readonly Listed[], reading: Reading, now: number]
): Promise<CampaignRow> {
  const [{ _id }, listed, , now] = rest;
  return deps.draftLists.run(tenantId, async () => {
    const there = _id === undefined ? null : await deps.campaigns.find(tenantId, _id);
    // An earlier call completed the draft, and the campaign has already started.
    if (there && there.status !== 'draft') return there;
    const more = { drafts: there ? 0 : 1, recipients: Math.max(0, listed.length - (there?.listed ?? 0)) };
    return withinLimits(deps, { tenantId, name: newId(now), limits, more, now }, (room) => storeDraft(deps, tenantId, room, ...rest));
  });
}

export function addRecipients(
  deps: CampaignDeps,
  row: CampaignRow,
  limits: DraftLimits,
  ...rest: readonly [listed: readonly Listed[], reading: Reading, now: number]
): Promise<CampaignRow> {
  const [listed, , now] = rest;
  return deps.draftLists.run(row.tenant_id, async () => {
    const more = { drafts: 0, recipients: listed.length };
    await withinLimits(deps, { tenantId: row.tenant_id, name: newId(now), limits, more, now }, (room) =>
      storeRecipients(deps, row, room, ...rest),
    );
    return counted(deps, row, now);
  });
}

async function storeDraft(
  deps: CampaignDeps,
  tenantId: string,
  room: TakenRoom,
  draft: CampaignDraft & { readonly _id?: string },
  listed: readonly Listed[],
  reading: Reading,
  now: number,
): Promise<CampaignRow> {
  const row: CampaignRow = { ...newCampaign(tenantId, now), ...draft, due_at: draft.scheduled_at };
  // Store the recipients before the start time, so that the draft cannot start with too few.
  await createUnlessThere(deps, { ...row, due_at: null });
  if (listed.length > 0) await storeRecipients(deps, row, room, listed, reading, now);
  const drafted = await counted(deps, row, now);
  if (row.due_at === null) return drafted;
  const timed = (await deps.campaigns.changeDraft(tenantId, row._id, { due_at: row.due_at })) ?? drafted;
  wakeFor(deps, timed, now);
  return timed;
}

async function createUnlessThere({ campaigns }: CampaignDeps, row: CampaignRow): Promise<void> {
  try {
    await campaigns.create(row);
  } catch (cause) {
    if (!isDuplicateKey(cause)) throw cause;
  }
}

export function wakeFor({ campaign }: Pick<CampaignDeps, 'campaign'>, row: CampaignRow, now: number): void {
  if (row.scheduled_at === null || row.scheduled_at - now > SOON_MS) return;
  try {
    campaign(row).tell({ type: 'poll' });
  } catch {
    // The campaign's mailbox is full, but the next sweep starts the campaign.
  }
}

export async function counted({ campaigns, recipients, audiences }: CampaignDeps, row: CampaignRow, now: number): Promise<CampaignRow> {
  const counts = await recipients.counts(row._id, row.status);
  const more = row.audience ? await audiences.count(row.tenant_id, row.audience, row.exclude_tag_ids ?? [], now) : 0;
  return (await campaigns.noteCounts(row.tenant_id, row._id, { ...counts, total_recipients: counts.total_recipients + more })) ?? row;
}

async function storeRecipients(
  deps: CampaignDeps,
  row: CampaignRow,
  room: TakenRoom,
  listed: readonly Listed[],
  reading: Reading,
  now: number,
): Promise<void> {
  const { callingCode, lookUp } = reading;
  for (let from = 0; from < listed.length; from += STORED_BATCH_SIZE) {
    const some = listed.slice(from, from + STORED_BATCH_SIZE);
    const phones = some.map(({ phone }) => phone);
    await fairSlices.turn(row.tenant_id);
    // Not done in a time slice, because reading people may query the network.
    const reads = await deps.personReader.all({ tenantId: row.tenant_id, callingCode }, phones, lookUp);
    await fairSlices.run(row.tenant_id, async () => {
      await expectDraft(deps, row);
      const rows = some.map((one, nth) => rowOf(row, one, at(reads, nth), now));
      await addToDraft(deps, row, rows);
      const left = listed.length - from - rows.length;
      if (left > 0) await room.keep(left);
    });
  }
}

export async function expectDraft({ campaigns }: CampaignDeps, { tenant_id, _id }: CampaignRow): Promise<void> {
  if ((await campaigns.find(tenant_id, _id))?.status !== 'draft') throw refusal('CONFLICT', { reason: NO_DRAFT });
}

export async function addToDraft(
  { campaigns, recipients }: CampaignDeps,
  { tenant_id, _id }: CampaignRow,
  rows: readonly RecipientRow[],
): Promise<void> {
  const zones = new Set(rows.filter(({ status }) => status === 'pending').map(({ zone }) => zone));
  if (zones.size > 0) await campaigns.noteZones(tenant_id, _id, [...zones]);
  const count = await recipients.add(rows);
  if (count > 0 && !(await campaigns.noteListed(tenant_id, _id, count))) {
    await recipients.removeAll(_id);
    throw refusal('CONFLICT', { reason: NO_DRAFT });
  }
}

export const CAMPAIGN = { en: 'the campaign', id: 'kampanye' };
const NO_DRAFT = { en: 'the campaign is no longer a draft', id: 'kampanye ini bukan draf lagi' };

export async function removeCampaign(deps: CampaignDeps, row: CampaignRow, now: number): Promise<void> {
  const { campaigns, recipients } = deps;
  const { tenant_id, _id, status } = row;
  if (status === 'running' || status === 'paused') throw inStatus(CAMPAIGN, status);
  // A cancelled draft cannot start, so cancel it before anything is removed.
  if (status === 'draft' && !(await campaigns.abandon(tenant_id, _id, now))) throw refusal('CONFLICT', { reason: NO_DRAFT });
  // Messages left by an interrupted stop can be found only through the recipients. Remove them now.
  await emptyLanes(deps, row);
  await recipients.removeAll(_id);
  if (!(await campaigns.remove(tenant_id, _id, [status === 'draft' ? 'cancelled' : status])))
    throw refusal('CONFLICT', { reason: CHANGED_MEANWHILE });
  // Remove recipients again, because another call may have added some in the meantime.
  await recipients.removeAll(_id);
}

/** Returns the position in the audience: '' sorts before every contact. Null without an audience. */
export const gatheringOf = (audience: Audience | null): string | null => (audience ? '' : null);

function rowOf(row: CampaignRow, one: Listed, read: PersonRead, now: number): RecipientRow {
  const values = listedValues(one);
  return read.kind === 'person' ? recipientOf(row, read.subject, values, now) : invalidRecipientOf(row, one.phone, values, read, now);
}

export function listedValues({ phone: _phone, ...given }: Listed): ListedValues {
  return { ...UNNAMED, ...given };
}

export function newCampaign(tenantId: string, now: number): CampaignRow {
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
