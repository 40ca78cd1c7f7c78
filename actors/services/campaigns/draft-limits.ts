import { whileClaimed } from '../../../runtime/claims.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Refusal } from '../../../runtime/errors.ts';
import type { Campaigns } from '../../../store/campaigns/campaigns.ts';
import type { DraftReservations, DraftRoom } from '../../../store/campaigns/draft-reservations.ts';
import type { Plan } from '../../domain/plans.ts';
import { refusal } from '../../domain/refusals.ts';

/** The limits of a plan on drafts. */
export type DraftLimits = Pick<Plan, 'open_drafts' | 'draft_recipients'>;

export interface DraftLimitDeps {
  readonly campaigns: Pick<Campaigns, 'drafts'>;
  readonly reservations: DraftReservations;
  readonly clock: Pick<Clock, 'now' | 'after'>;
}

/** Room that is taken until what it is for is stored. */
export interface TakenRoom {
  /** So many recipients are still to be stored; the draft itself is. */
  keep(recipients: number): Promise<void>;
}

/** Others of one tenant get in between so often, then it is refused. */
const MAX_TRIES = 30;

/** How many drafts of a tenant are open, and how many recipients they list. */
export async function draftsUsed({ campaigns }: Pick<DraftLimitDeps, 'campaigns'>, tenantId: string): Promise<DraftRoom> {
  const open = await campaigns.drafts(tenantId);
  return { drafts: open.length, recipients: open.reduce((sum, { listed = 0 }) => sum + listed, 0) };
}

/**
 * Stores something in drafts within the limits, however many nodes do so at once: its room is taken in one conditional write before, and given back
 * after, when its rows count themselves. Refuses LIMIT_REACHED, OVERLOADED when others never pause, and as `store` does.
 * `name`: nobody else's; `now`: epoch ms.
 */
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
    // What stays behind is forgotten after a while: what was stored must not be refused for it.
    await reservations.release(tenantId, name).catch(() => undefined);
  }

  async function take(): Promise<void> {
    let refused: Refusal | null = null;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const reserved = await reservations.reserved(tenantId, now);
      const stored = sum(await draftsUsed(deps, tenantId), more);
      refused = excess(sum(stored, reserved), limits);
      if (!refused && (await reservations.reserve(tenantId, name, more, reserved.rev, now))) return;
      // What others are storing at this moment may count twice: it is looked at again, unless there is no room without it either.
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
  en: `the drafts of this plan may list ${most} recipients in all: start or delete some first`,
  id: `draf pada paket ini boleh memuat total ${most} penerima: mulai atau hapus sebagian dahulu`,
});
