import { newId } from '../../../runtime/ids.ts';
import { entry } from '../../../runtime/invariant.ts';
import type { Usage } from '../../../store/accounts/usage.ts';
import type { CampaignMessages } from '../../../store/campaigns/campaign-messages.ts';
import type { CampaignRow } from '../../../store/campaigns/campaigns.ts';
import type { RecipientRow, Recipients } from '../../../store/campaigns/recipients.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { LANES, type MessageParts, type MessageRow } from '../../../store/messaging/messages.ts';
import { linkByDefault } from '../../domain/link-preview.ts';
import type { Plan } from '../../domain/plans.ts';
import { addressOf } from '../../network/subject.ts';
import { textOf, type Written } from '../../services/campaigns/campaign-texts.ts';
import { batchName } from '../../services/campaigns/lanes.ts';
import { type Judged, judged, type LeftOutDeps } from '../../services/campaigns/left-out.ts';
import type { Forms } from '../../services/identities/forms.ts';
import type { Quota } from '../../services/messaging/quota.ts';
import { monthOf, outboundRow, type SendOrder } from '../../services/messaging/sending.ts';
import { shareOut } from '../behaviour/share-out.ts';

export interface ReleaseDeps extends LeftOutDeps {
  readonly recipients: Recipients;
  readonly campaignMessages: CampaignMessages;
  readonly quota: Quota;
  readonly usage: Pick<Usage, 'closeBatch'>;
  hint(device: DeviceRow): void;
}

export interface Release {
  readonly row: CampaignRow;
  readonly plan: Plan;
  readonly devices: readonly DeviceRow[];
  readonly zones: readonly string[] | null;
  readonly limit: number;
}

/**
 * Marks recipients, then takes quota, then stores messages, so that the next poll can undo a
 * partial batch. Returns how many messages the quota refused; null if none could be released.
 */
export async function release(deps: ReleaseDeps, order: Release, isSafe: () => boolean, now: number): Promise<number | null> {
  const found = await nextOf(deps.recipients, order);
  const texts = await toWrite(deps, order.row, found, now);
  const written = found.filter(({ _id }) => texts.has(_id));
  if (written.length === 0) return found.length > 0 ? 0 : null;
  if (!isSafe()) return null;
  const month = monthOf(now, order.plan.zone);
  const batch = batchName(month, newId(now));
  const shares = shareOut(written, order.devices);
  for (const [device, people] of shares) await deps.recipients.released(idsOf(people), device._id, batch);
  if (!isSafe()) return null;
  const paid = await withQuota(deps, order, written, month, batch);
  if (paid === null) return null;
  let [stored, refused] = [0, 0];
  for (const [device, people] of shares) {
    if (!isSafe()) break;
    const rows = people.map((one) => messageTo(device, order, entry(texts, one._id), paid.has(one._id), now));
    const [queued, failed] = [rows.filter(({ status }) => status === 'queued'), rows.filter(({ status }) => status === 'failed')];
    stored += await deps.campaignMessages.accept(queued);
    refused += await refuse(deps, device, failed);
    deps.hint(device);
  }
  if (paid.size === 0) return refused;
  if (!isSafe()) await withdrawUnmarked(deps, order.row, [...paid], batch, now);
  await deps.usage.closeBatch(order.row.tenant_id, month, batch, paid.size - stored);
  return refused;
}

/** Stores the messages first, because a failed recipient without a message could never be retried. */
async function refuse({ recipients, campaignMessages }: ReleaseDeps, { _id }: DeviceRow, rows: readonly MessageRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  await campaignMessages.accept(rows);
  await recipients.settledAtOnce(idsOf(rows), 'failed', 'quota_exceeded', _id);
  return rows.length;
}

/** Withdraws unclaimed messages whose recipients were unmarked while the messages were stored. */
async function withdrawUnmarked(
  { recipients, campaignMessages }: ReleaseDeps,
  { _id }: CampaignRow,
  ids: readonly string[],
  batch: string,
  storedAt: number,
): Promise<void> {
  const marked = new Set((await recipients.queued(_id, null)).filter((one) => one.batch === batch).map((one) => one._id));
  const own = (await campaignMessages.find(ids)).filter(({ created_at }) => created_at === storedAt);
  await campaignMessages.withdraw(idsOf(own).filter((id) => !marked.has(id)));
}

const idsOf = (rows: readonly { readonly _id: string }[]): readonly string[] => rows.map(({ _id }) => _id);

async function nextOf(recipients: Recipients, { row, zones, limit }: Release): Promise<readonly RecipientRow[]> {
  if (zones === null) return recipients.pending(row._id, null, '', limit);
  const found: RecipientRow[] = [];
  for (const zone of zones) {
    if (found.length >= limit) break;
    found.push(...(await recipients.pending(row._id, zone, '', limit - found.length)));
  }
  return found;
}

async function toWrite(
  deps: ReleaseDeps,
  row: CampaignRow,
  people: readonly RecipientRow[],
  now: number,
): Promise<ReadonlyMap<string, Judged<RecipientRow>>> {
  const listedBefore = (some: readonly RecipientRow[], forms: Forms) => listedTwice(deps, row, some, forms);
  const all = await judged(deps, { tenantId: row.tenant_id, content: row, listedBefore }, people, now);
  const [out, wanted] = [all.filter(({ reason }) => reason !== null), all.filter(({ reason }) => reason === null)];
  for (const [reason, some] of Map.groupBy(out, ({ reason }) => reason ?? ''))
    await deps.recipients.settledAtOnce(idsOf(some.map(({ person }) => person)), 'skipped', reason);
  return new Map(wanted.map((one) => [one.person._id, one]));
}

/** If a person is listed under several numbers, only their first entry gets the message. */
async function listedTwice(
  { recipients }: ReleaseDeps,
  row: CampaignRow,
  people: readonly RecipientRow[],
  forms: Forms,
): Promise<ReadonlySet<RecipientRow>> {
  const several = people.filter(({ phone }) => forms.has(phone));
  const listed = await recipients.named(row._id, [...new Set(several.flatMap(({ phone }) => forms.get(phone)?.all ?? []))]);
  const isLater = ({ _id, phone }: RecipientRow): boolean => {
    const others = new Set(forms.get(phone)?.all);
    return listed.some((other) => other._id < _id && others.has(other.phone) && other.error !== 'opted_out');
  };
  return new Set(several.filter(isLater));
}

/** Returns the recipients who remain marked, or null if the caller must retry. */
async function withQuota(
  { quota, recipients }: ReleaseDeps,
  { row, plan }: Release,
  people: readonly RecipientRow[],
  month: string,
  batch: string,
): Promise<ReadonlySet<string> | null> {
  const ids = idsOf(people);
  const limit = plan.overage ? null : plan.messages;
  const take = (count: number): Promise<boolean> => quota.take(row.tenant_id, month, count, limit, undefined, batch);
  if (await take(ids.length)) return new Set(ids);
  const left = Math.max(0, (limit ?? 0) - (await quota.used(row.tenant_id, month)));
  const [fitting, refused] = left < ids.length ? [ids.slice(0, left), ids.slice(left)] : [[], ids];
  // Unmark the recipients first, because a batch must never have more marked recipients than quota.
  await recipients.takenBack(refused);
  if (left >= ids.length) return null;
  if (left > 0 && !(await take(left))) {
    await recipients.takenBack(fitting);
    return null;
  }
  return new Set(fitting);
}

function partsOf(row: CampaignRow, written: Written | null): MessageParts {
  const template = written?.template;
  const official = template && { official: { template } };
  if (row.media) return { media: row.media, ...official };
  if (official) return official;
  const url = linkByDefault(textOf(row) ?? '');
  return url === null ? {} : { preview: { url, by_default: true } };
}

function messageTo(
  device: DeviceRow,
  { row, plan }: Release,
  { person, standing, written }: Judged<RecipientRow>,
  isPaid: boolean,
  now: number,
): MessageRow {
  const order: SendOrder = {
    id: person._id,
    chat: addressOf(standing),
    message_type: row.message_type,
    body: written?.text ?? null,
    parts: partsOf(row, written),
    ...(row.media_r2_key !== null && { media_r2_key: row.media_r2_key }),
    quotes: null,
    lane: LANES.campaign,
    priority: 0,
  };
  const initial = isPaid ? ({ status: 'queued', month: monthOf(now, plan.zone) } as const) : ({ status: 'failed', month: null } as const);
  return { ...outboundRow(device, order, now, initial), blast_id: row._id };
}
