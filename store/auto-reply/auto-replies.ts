import { FairSlots } from '../../runtime/fair-slots.ts';
import { insertedOf } from '../patterns/insert-missing.ts';
import type { Collection, CollectionSpec, Store } from '../port.ts';

export type TriggerType = 'any' | 'keyword' | 'contains' | 'regex';
export type ReplyType = 'text' | 'image' | 'document' | 'audio' | 'video' | 'sticker';

export interface RuleRow {
  readonly id: string;
  readonly name: string;
  readonly trigger_type: TriggerType;
  readonly trigger_text: string | null;
  readonly match_case: 0 | 1;
  readonly reply_type: ReplyType;
  readonly reply_body: string | null;
  readonly reply_r2_key: string | null;
  readonly reply_caption: string | null;
  readonly cooldown_ms: number;
  readonly priority: number;
  readonly is_active: 0 | 1;
  readonly created_at: number;
}

/** All rules are in one record, so that they change together and `rev` shows any change. */
export interface RuleSet {
  readonly _id: string;
  readonly tenant_id: string;
  readonly rev: number;
  readonly rules: readonly RuleRow[];
}

interface TurnRow {
  readonly _id: string;
  readonly of: string;
  readonly at: number;
  readonly cause: string;
  readonly since?: number;
  readonly count?: number;
  readonly expires_at: number;
}

/**
 * Claims are kept at least this long. It is unknown whether messages older than this were answered.
 */
export const CLAIMS_KEPT_MS = 86_400_000;

export interface Claim {
  /** At most one answer with this key is sent per period. */
  readonly key: string;
  readonly of: string;
  readonly cause: string;
  readonly at: number;
}

export interface AutoReplies {
  find(tenantId: string, sessionId: string): Promise<RuleSet | null>;
  revision(tenantId: string, sessionId: string): Promise<number | null>;
  change(tenantId: string, sessionId: string, decide: (rules: readonly RuleRow[]) => readonly RuleRow[]): Promise<void>;
  /** Allows one answer per `everyMs`. Returns true again if called for the same message. */
  claim(claim: Claim, everyMs: number): Promise<boolean>;
  /**
   * Allows `most` answers within `withinMs` of the first one. Returns true again if called again
   * for the last message.
   */
  claimOneOf(claim: Claim, most: number, withinMs: number): Promise<boolean>;
  forget(of: string): Promise<void>;
}

const ruleSetsSpec: CollectionSpec = { name: 'auto_replies', indexes: [] };
const turnsSpec: CollectionSpec = {
  name: 'auto_reply_turns',
  indexes: [{ name: 'of', keys: { of: 1 } }],
  expires: 'expires_at',
};

export function autoRepliesIn(store: Store): AutoReplies {
  const ruleSets: Collection<RuleSet> = store.collection<RuleSet>(ruleSetsSpec);
  const turns: Collection<TurnRow> = store.collection<TurnRow>(turnsSpec);
  // Runs the changes of a rule set one at a time, because concurrent changes would conflict and
  // have to start again.
  const changing = new FairSlots({ slots: Number.POSITIVE_INFINITY, share: 1 });

  const find = (tenant_id: string, _id: string): Promise<RuleSet | null> => ruleSets.findOne({ _id, tenant_id });

  async function save(before: RuleSet | null, next: RuleSet): Promise<boolean> {
    if (before === null) return (await insertedOf(ruleSets, [next])) === 1;
    const { _id, rev, rules } = next;
    return (await ruleSets.updateOne({ _id, rev: before.rev }, { $set: { rules, rev } })).matchedCount === 1;
  }

  return {
    find,
    revision: async (tenant_id, _id) => (await ruleSets.findOne({ _id, tenant_id }, { projection: { _id: 1, rev: 1 } }))?.rev ?? null,

    change: (tenant_id, _id, decide) =>
      changing.run(_id, async () => {
        for (;;) {
          const before = await find(tenant_id, _id);
          const next = { _id, tenant_id, rev: (before?.rev ?? 0) + 1, rules: decide(before?.rules ?? []) };
          if (await save(before, next)) return;
        }
      }),

    async claim({ key: _id, of, cause, at }, everyMs) {
      const expires_at = at + Math.max(everyMs, CLAIMS_KEPT_MS);
      if ((await insertedOf(turns, [{ _id, of, at, cause, expires_at }])) === 1) return true;
      const taken = await turns.updateOne({ _id, at: { $lte: at - everyMs }, cause: { $ne: cause } }, { $set: { at, cause, expires_at } });
      return taken.matchedCount === 1 || (await turns.findOne({ _id }))?.cause === cause;
    },

    async claimOneOf({ key: _id, of, cause, at }, most, withinMs) {
      const fresh = { of, at, cause, since: at, count: 1, expires_at: at + withinMs };
      if ((await insertedOf(turns, [{ _id, ...fresh }])) === 1) return true;
      const isNew = { _id, cause: { $ne: cause } };
      if ((await turns.updateOne({ ...isNew, since: { $lte: at - withinMs } }, { $set: fresh })).matchedCount === 1) return true;
      const one = { $set: { at, cause }, $inc: { count: 1 } };
      if ((await turns.updateOne({ ...isNew, count: { $lt: most } }, one)).matchedCount === 1) return true;
      return (await turns.findOne({ _id }))?.cause === cause;
    },

    forget: async (of) => void (await turns.deleteMany({ of })),
  };
}
