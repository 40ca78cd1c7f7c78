import { whileClaimed } from '../../../runtime/claims.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Refusal } from '../../../runtime/errors.ts';
import type { Campaigns } from '../../../store/campaigns/campaigns.ts';
import type { DraftReservations, DraftRoom } from '../../../store/campaigns/draft-reservations.ts';
import type { Plan } from '../../domain/plans.ts';
import { refusal } from '../../domain/refusals.ts';

export type DraftLimits = Pick<Plan, 'open_drafts' | 'draft_recipients'>;

export interface DraftLimitDeps {
  readonly campaigns: Pick<Campaigns, 'drafts'>;
  readonly reservations: DraftReservations;
  readonly clock: Pick<Clock, 'now' | 'after'>;
}

export interface TakenRoom {
  /** Keeps the reservation for the given number of recipients, which have not been stored yet. */
  keep(recipients: number): Promise<void>;
}

const MAX_TRIES = 30;

export async function draftsUsed({ campaigns }: Pick<DraftLimitDeps, 'campaigns'>, tenantId: string): Promise<DraftRoom> {
  const open = await campaigns.drafts(tenantId);
  return { drafts: open.length, recipients: open.reduce((sum, { listed = 0 }) => sum + listed, 0) };
}

/** Reserves capacity across all nodes. Fails with LIMIT_REACHED, or OVERLOADED after many conflicts. */
export async function withinLimits<T>(
  deps: DraftLimitDeps,
  { tenantId, name, limits, more, now }: { tenantId: string; name: string; limits: DraftLimits; more: DraftRoom; now: number },
  store: (room: TakenRoom) => Promise<T>,
): Promise<T> {
  const { reservations, clock } = deps;
  await take();
  try {
    const room: TakenRoom = { keep: (recipients) => reservations.keep(tenantId, name, { drafts: 0, recipients }, clock.now()) };
    const renew = (): Promise<boolean> => reservations.renew(tenantId, name, clock.now());
    return await whileClaimed(clock, renew, () => store(room));
  } finally {
    // Ignore a failed release, because the draft is stored and the reservation expires by itself.
    await reservations.release(tenantId, name).catch(() => undefined);
  }

  async function take(): Promise<void> {
    let refused: Refusal | null = null;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const reserved = await reservations.reserved(tenantId, now);
      const stored = sum(await draftsUsed(deps, tenantId), more);
      refused = excess(sum(stored, reserved), limits);
      if (!refused && (await reservations.reserve(tenantId, name, more, reserved.rev, now))) return;
      // Recipients being stored may be counted twice. Retry if the stored ones alone are within the limits.
      if (refused && excess(stored, limits)) throw refused;
      await new Promise(setImmediate);
    }
    throw refused ?? refusal('OVERLOADED', { retryAfterMs: 5_000 });
  }
}

const sum = (one: DraftRoom, other: DraftRoom): DraftRoom => ({
  drafts: one.drafts + other.drafts,
  recipients: one.recipients + other.recipients,
});

function excess({ drafts, recipients }: DraftRoom, limits: DraftLimits): Refusal | null {
  if (drafts > limits.open_drafts) return refusal('LIMIT_REACHED', { reason: openDrafts(limits.open_drafts) });
  if (recipients > limits.draft_recipients) return refusal('LIMIT_REACHED', { reason: draftRecipients(limits.draft_recipients) });
  return null;
}

const openDrafts = (most: number) => ({
  en: `the plan allows ${most} drafts: start or delete some first`,
  id: `paket mengizinkan ${most} draf: mulai atau hapus sebagian dahulu`,
});
const draftRecipients = (most: number) => ({
  en: `the drafts on this plan can have ${most} recipients in total: start or delete some first`,
  id: `draf pada paket ini boleh memuat total ${most} penerima: mulai atau hapus sebagian dahulu`,
});
