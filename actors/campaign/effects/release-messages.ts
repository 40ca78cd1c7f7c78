import { newId } from '../../../runtime/ids.ts';
import type { Usage } from '../../../store/accounts/usage.ts';
import type { CampaignMessages } from '../../../store/campaigns/campaign-messages.ts';
import type { CampaignRow } from '../../../store/campaigns/campaigns.ts';
import type { RecipientRow, Recipients } from '../../../store/campaigns/recipients.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { LANES, type MessageParts, type MessageRow } from '../../../store/messaging/messages.ts';
import { linkByDefault } from '../../domain/link-preview.ts';
import type { Plan } from '../../domain/plans.ts';
import { addressOf } from '../../network/subject.ts';
import type { Audiences } from '../../services/campaigns/audiences.ts';
import { lacksValue, needsMore, textOf, type Written, writerOf } from '../../services/campaigns/campaign-texts.ts';
import { batchName } from '../../services/campaigns/lanes.ts';
import type { OptedOut } from '../../services/consent/opted-out.ts';
import type { Forms, FormsOf } from '../../services/identities/forms.ts';
import type { Quota } from '../../services/messaging/quota.ts';
import { monthOf, outboundRow, type SendOrder } from '../../services/messaging/sending.ts';
import { shareOut } from '../behaviour/share-out.ts';
import { type NarrowingDeps, narrowed } from './narrow-recipients.ts';

export interface ReleaseDeps extends NarrowingDeps {
  readonly recipients: Recipients;
  readonly campaignMessages: CampaignMessages;
  readonly quota: Quota;
  readonly usage: Pick<Usage, 'closeBatch'>;
  /** Which of these people (by number) have opted out. */
  readonly optedOut: OptedOut;
  /** Who is known by more than one number. */
  readonly formsOf: FormsOf;
  /** Facts about people beyond their listed values. */
  readonly audiences: Pick<Audiences, 'known' | 'tagged'>;
  /** Rows wait for this device. */
  hint(device: DeviceRow): void;
}

export interface Release {
  readonly row: CampaignRow;
  readonly plan: Plan;
  /** At least one. */
  readonly devices: readonly DeviceRow[];
  /** Of whom; null: of anybody. */
  readonly zones: readonly string[] | null;
  readonly limit: number;
}

/**
 * Puts the next messages into the lanes of their devices. Consent is asked here, as late as it can be. Recipients are marked before their
 * messages are stored: a crash in between leaves marks without messages, which the next look takes back; the other way round a pause would
 * overlook messages. Their quota is taken in between under the name that they are marked with, so that the next look can return it. What the quota
 * does not reach is stored as failed, to be sent again once it does.
 * `isSafe` is asked before recipients, the quota or a lane are touched. Gives how many the quota refused; null: nobody could be released or settled
 * just now.
 */
export async function release(deps: ReleaseDeps, order: Release, isSafe: () => boolean, now: number): Promise<number | null> {
  const found = await nextOf(deps.recipients, order);
  const forms = await deps.formsOf(
    order.row.tenant_id,
    found.map(({ phone }) => phone),
  );
  const wanted = await narrowed(deps, order.row, await withConsent(deps, order.row, found), forms, now);
  const agreed = await onlyOnce(deps, order.row, wanted, forms);
  const texts = await textsFor(deps, order.row, agreed, forms);
  const written = await withText(deps, order.row, agreed, texts);
  if (written.length === 0) return found.length > 0 ? 0 : null;
  if (!isSafe()) return null;
  const month = monthOf(now, order.plan.zone);
  const batch = batchName(month, newId(now));
  const shares = shareOut(written, order.devices);
  for (const [device, people] of shares) await deps.recipients.released(idsOf(people), device._id, batch);
  // The marks are taken back by whoever runs the campaign next.
  if (!isSafe()) return null;
  const paid = await withQuota(deps, order, written, month, batch);
  if (paid === null) return null;
  let [stored, refused] = [0, 0];
  for (const [device, people] of shares) {
    if (!isSafe()) break;
    const rows = people.map((one) =>
      messageTo(device, order, { ...one, phone: standing(forms, one) }, texts.get(one._id) ?? NOTHING, paid.has(one._id), now),
    );
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

/** Messages first: whoever has failed without one cannot be sent to again. */
async function refuse({ recipients, campaignMessages }: ReleaseDeps, { _id }: DeviceRow, rows: readonly MessageRow[]): Promise<number> {
  if (rows.length === 0) return 0;
  await campaignMessages.accept(rows);
  await recipients.settledAtOnce(idsOf(rows), 'failed', 'quota_exceeded', _id);
  return rows.length;
}

/**
 * The lease was lost while messages were on their way to the store: whoever runs the campaign by now may have found their recipients without any,
 * taken them back and returned their quota. Such messages are withdrawn, unless a device has claimed them; not those that the other one stored.
 */
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

async function withConsent(deps: ReleaseDeps, row: CampaignRow, people: readonly RecipientRow[]): Promise<readonly RecipientRow[]> {
  const out = await deps.optedOut(
    row.tenant_id,
    people.map(({ phone }) => phone),
  );
  if (out.size === 0) return people;
  const ids = people.filter(({ phone }) => out.has(phone)).map(({ _id }) => _id);
  await deps.recipients.settledAtOnce(ids, 'skipped', 'opted_out');
  return people.filter(({ phone }) => !out.has(phone));
}

/** The number, or the hidden address, that stands for a recipient. */
const standing = (forms: Forms, { phone }: RecipientRow): string => forms.get(phone)?.phone ?? phone;

/** A person who is listed by several of their numbers gets the message of the first. */
async function onlyOnce(
  { recipients }: ReleaseDeps,
  row: CampaignRow,
  people: readonly RecipientRow[],
  forms: Forms,
): Promise<readonly RecipientRow[]> {
  const several = people.filter(({ phone }) => forms.has(phone));
  if (several.length === 0) return people;
  const listed = await recipients.named(row._id, [...new Set(several.flatMap(({ phone }) => forms.get(phone)?.all ?? []))]);
  const isLater = ({ _id, phone }: RecipientRow): boolean => {
    const others = new Set(forms.get(phone)?.all);
    return listed.some((other) => other._id < _id && others.has(other.phone) && other.error !== 'opted_out');
  };
  const twice = new Set(several.filter(isLater).map(({ _id }) => _id));
  await recipients.settledAtOnce([...twice], 'skipped', 'duplicate');
  return people.filter(({ _id }) => !twice.has(_id));
}

/** The text for each recipient, by recipient id; those for whom it comes out too long have none. */
async function textsFor(
  { audiences }: ReleaseDeps,
  row: CampaignRow,
  people: readonly RecipientRow[],
  forms: Forms,
): Promise<ReadonlyMap<string, Written>> {
  const values = await audiences.known(row.tenant_id, needsMore(row) ? people.map((one) => standing(forms, one)) : []);
  const write = writerOf(row);
  const texts = new Map<string, Written>();
  for (const person of people) {
    const written = write(person, values.get(standing(forms, person)));
    if (written) texts.set(person._id, written);
  }
  return texts;
}

/** A text of nothing but tokens without values is empty: nobody gets an empty message. Nor one that is longer than a message may be. */
async function withText(
  { recipients }: ReleaseDeps,
  row: CampaignRow,
  people: readonly RecipientRow[],
  texts: ReadonlyMap<string, Written>,
): Promise<readonly RecipientRow[]> {
  const needsText = row.message_type === 'text';
  const [tooLong, blank, lacking, written]: [RecipientRow[], RecipientRow[], RecipientRow[], RecipientRow[]] = [[], [], [], []];
  for (const person of people) {
    const one = texts.get(person._id);
    if (!one) tooLong.push(person);
    else if (lacksValue(row, one)) lacking.push(person);
    else if (needsText && !one.text?.trim()) blank.push(person);
    else written.push(person);
  }
  if (lacking.length > 0) await recipients.settledAtOnce(idsOf(lacking), 'skipped', 'no_template_value');
  if (tooLong.length > 0) await recipients.settledAtOnce(idsOf(tooLong), 'skipped', 'text_too_long');
  if (blank.length > 0) await recipients.settledAtOnce(idsOf(blank), 'skipped', 'empty_text');
  return written;
}

/**
 * The ids of as many as the plan still allows this month; null: the count changed meanwhile, ask again. All of them are marked; only those that it
 * gives stay so.
 */
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
  // Before their take: never are more marked with a batch than were taken under its name.
  await recipients.takenBack(refused);
  if (left >= ids.length) return null;
  if (left > 0 && !(await take(left))) {
    await recipients.takenBack(fitting);
    return null;
  }
  return new Set(fitting);
}

const NOTHING: Written = { text: null, missing: [] };

function partsOf(row: CampaignRow, { template }: Written): MessageParts {
  const official = template && { official: { template } };
  if (row.media) return { media: row.media, ...official };
  if (official) return official;
  const url = linkByDefault(textOf(row) ?? '');
  return url === null ? {} : { preview: { url, by_default: true } };
}

function messageTo(
  device: DeviceRow,
  { row, plan }: Release,
  { _id, phone }: RecipientRow,
  written: Written,
  isPaid: boolean,
  now: number,
): MessageRow {
  const order: SendOrder = {
    id: _id,
    chat: addressOf(phone),
    message_type: row.message_type,
    body: written.text,
    parts: partsOf(row, written),
    ...(row.media_r2_key !== null && { media_r2_key: row.media_r2_key }),
    quotes: null,
    lane: LANES.campaign,
    priority: 0,
  };
  const initial = isPaid ? ({ status: 'queued', month: monthOf(now, plan.zone) } as const) : ({ status: 'failed', month: null } as const);
  return { ...outboundRow(device, order, now, initial), blast_id: row._id };
}
