import { fairSlices } from '../../../runtime/fair-slices.ts';
import { newId } from '../../../runtime/ids.ts';
import { at } from '../../../runtime/invariant.ts';
import type { CampaignRow } from '../../../store/campaigns/campaigns.ts';
import type { RecipientRow } from '../../../store/campaigns/recipients.ts';
import { isDuplicateKey } from '../../../store/port.ts';
import { invalidField, refusal } from '../../domain/refusals.ts';
import { addToDraft, type CampaignDeps, counted, expectDraft, newCampaign } from './campaigns.ts';
import { type DraftLimits, type TakenRoom, withinLimits } from './draft-limits.ts';
import { recipientOf } from './recipient-rows.ts';

/**
 * Creates a draft for the recipients that a campaign failed to reach. An index of the store allows
 * only one such draft per campaign, and `resent_in` is set on a recipient before they are added.
 * Two drafts therefore never reach the same person. If the draft is deleted, its recipients can be
 * added to another. After a crash, the same call completes the draft.
 */

export interface Resend {
  readonly row: CampaignRow;
  readonly isNew: boolean;
}

const BATCH = 50;

/** Fails with CONFLICT (still a draft, or a resend is open), VALIDATION_FAILED or LIMIT_REACHED. */
export function resendDraft(
  deps: CampaignDeps,
  source: CampaignRow,
  limits: DraftLimits,
  reasons: readonly string[],
  now: number,
): Promise<Resend> {
  const { tenant_id: tenantId } = source;
  return deps.draftLists.run(tenantId, async () => {
    if (source.status === 'draft') throw refusal('CONFLICT', { reason: IS_DRAFT });
    const open = await deps.campaigns.openResend(tenantId, source._id);
    if (open && !isSame(open.resend_reasons ?? [], reasons)) throw refusal('CONFLICT', { reason: OTHER_OPEN });
    const count = await countOf(deps, source, reasons, open);
    if (!open && count === 0) throw invalidField('reasons', NOBODY);
    const more = { drafts: open ? 0 : 1, recipients: Math.max(0, count - (open?.listed ?? 0)) };
    return withinLimits(deps, { tenantId, name: newId(now), limits, more, now }, async (room) => {
      const row = open ?? (await created(deps, source, reasons, now));
      await fill(deps, source, row, room, count, now);
      return { row: await counted(deps, (await deps.campaigns.find(tenantId, row._id)) ?? row, now), isNew: open === null };
    });
  });
}

const isSame = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every((one) => others.includes(one));

async function created(deps: CampaignDeps, source: CampaignRow, reasons: readonly string[], now: number): Promise<CampaignRow> {
  const { session_id, rotator_id, name, message_type, body, template_id, media_r2_key, media, caption, official } = source;
  const { exclude_tag_ids, skip_if_messaged_within_hours } = source;
  const content = {
    session_id,
    rotator_id,
    name,
    message_type,
    body,
    template_id,
    media_r2_key,
    media,
    caption,
    ...(official && { official }),
  };
  const narrowing = {
    ...(exclude_tag_ids && { exclude_tag_ids }),
    ...(skip_if_messaged_within_hours && { skip_if_messaged_within_hours }),
  };
  const row = { ...newCampaign(source.tenant_id, now), ...content, ...narrowing, resend_of: source._id, resend_reasons: reasons };
  try {
    await deps.campaigns.create(row);
    return row;
  } catch (cause) {
    const other = isDuplicateKey(cause) ? await deps.campaigns.openResend(source.tenant_id, source._id) : null;
    if (!other) throw cause;
    if (!isSame(other.resend_reasons ?? [], reasons)) throw refusal('CONFLICT', { reason: OTHER_OPEN });
    return other;
  }
}

/** Counts the recipients first, because the plan's limit must be checked before the draft is stored. */
async function countOf(deps: CampaignDeps, source: CampaignRow, reasons: readonly string[], open: CampaignRow | null): Promise<number> {
  let count = 0;
  for await (const some of unsent(deps, source, reasons, open?._id ?? null)) count += some.length;
  return count;
}

async function fill(deps: CampaignDeps, source: CampaignRow, row: CampaignRow, room: TakenRoom, count: number, now: number): Promise<void> {
  let left = count;
  for await (const some of unsent(deps, source, row.resend_reasons ?? [], row._id)) {
    await expectDraft(deps, row);
    await deps.recipients.resent(
      some.map(({ _id }) => _id),
      row._id,
    );
    await addToDraft(
      deps,
      row,
      some.map((one) => recipientOf(row, one.phone, valuesIn(one), now)),
    );
    left -= some.length;
    if (left > 0) await room.keep(left);
  }
}

async function* unsent(
  { campaigns, recipients }: CampaignDeps,
  { tenant_id, _id }: CampaignRow,
  reasons: readonly string[],
  own: string | null,
): AsyncGenerator<readonly RecipientRow[]> {
  for (let after = ''; ; ) {
    const from = after;
    const some = await fairSlices.run(tenant_id, () => recipients.failedFor(_id, reasons, from, BATCH));
    const taken = new Set(some.flatMap(({ resent_in }) => (resent_in === undefined || resent_in === own ? [] : [resent_in])));
    const there = await campaigns.existing(tenant_id, [...taken]);
    const free = some.filter(({ resent_in }) => resent_in === undefined || !there.has(resent_in));
    if (free.length > 0) yield free;
    if (some.length < BATCH) return;
    after = at(some, -1)._id;
  }
}

const valuesIn = ({ name, var1, var2, var3, var4, var5 }: RecipientRow) => ({ name, var1, var2, var3, var4, var5 });

const IS_DRAFT = { en: 'the campaign has not been sent yet', id: 'kampanye ini belum dikirim' };
const OTHER_OPEN = {
  en: 'a draft that resends for other reasons already exists: start it or delete it first',
  id: 'draf kirim ulang untuk alasan lain sudah ada: mulai atau hapus draf itu dahulu',
};
const NOBODY = { en: 'no recipient failed for these reasons', id: 'tidak ada penerima yang gagal karena alasan ini' };
