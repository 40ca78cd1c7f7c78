import { isRecord } from '../../../runtime/shapes.ts';
import type { Erasures } from '../../../store/privacy/erasures.ts';
import type { HookChange } from '../../network/official/login.ts';

/**
 * Erasures that concern webhooks which still wait in the journal. A waiting webhook is sealed, so an
 * erasure cannot find a person in it. Instead, what the person wrote before their erasure was requested
 * is dropped when the webhook is read. People are compared by keyed hashes of their numbers and
 * addresses.
 */

/** Clocks of nodes may differ by this much; an erasure with an earlier time may be stored later. */
const CLOCKS_MS = 60_000;

interface Erased {
  /** Whether this number (digits) or hidden address belongs to an erased person. */
  includes(subject: string): boolean;
}

export class ErasedPeople {
  readonly #erasures: Pick<Erasures, 'since'>;
  readonly #hashOf: (tenantId: string, subject: string) => string;
  readonly #tenantId: string;
  /** When each hash was last erased, epoch ms. */
  readonly #erasedAt = new Map<string, number>();
  /** Erasures from `#from` on are known; those after `#to` are read again. */
  #from = Number.POSITIVE_INFINITY;
  #to = 0;

  constructor(erasures: Pick<Erasures, 'since'>, hashOf: (tenantId: string, subject: string) => string, tenantId: string) {
    this.#erasures = erasures;
    this.#hashOf = hashOf;
    this.#tenantId = tenantId;
  }

  /** Returns the people who were erased at `at` (epoch ms) or later; null if there are none. */
  async since(at: number): Promise<Erased | null> {
    const from = at < this.#from ? at : Math.max(this.#from, this.#to - CLOCKS_MS);
    for await (const { phone_hash, hashes = [], created_at } of this.#erasures.since(this.#tenantId, from)) {
      for (const hash of [phone_hash, ...hashes]) this.#erasedAt.set(hash, Math.max(created_at, this.#erasedAt.get(hash) ?? 0));
      this.#to = Math.max(this.#to, created_at);
    }
    this.#from = Math.min(this.#from, at);
    if (this.#to < at) return null;
    return { includes: (subject) => (this.#erasedAt.get(this.#hashOf(this.#tenantId, subject)) ?? 0) >= at };
  }
}

const NUMBERS = ['from', 'to', 'wa_id', 'recipient_id'] as const;
const IDS = ['from_user_id', 'to_user_id', 'user_id', 'previous_user_id', 'recipient_user_id'] as const;

/** `addressOf`: the local address of a person whom the platform names by an id. */
export async function withoutErased(
  changes: readonly HookChange[],
  erased: Erased | null,
  addressOf: (userId: string) => Promise<string>,
): Promise<readonly HookChange[]> {
  if (!erased) return changes;
  const named = (part: Readonly<Record<string, unknown>>, names: readonly string[]): readonly string[] =>
    names.flatMap((name) => (typeof part[name] === 'string' ? [part[name]] : []));
  const isErased = async (item: unknown): Promise<boolean> => {
    for (const part of (isRecord(item) ? [item, item['system']] : []).filter(isRecord)) {
      const addresses = await Promise.all(named(part, IDS).map(addressOf));
      if ([...named(part, NUMBERS), ...addresses].some((one) => erased.includes(one))) return true;
    }
    return false;
  };
  const left: HookChange[] = [];
  for (const { field, value } of changes) {
    if (!isRecord(value)) continue;
    const kept: Record<string, unknown> = { ...value };
    for (const [name, list] of Object.entries(value)) {
      if (!Array.isArray(list)) continue;
      const others: unknown[] = [];
      for (const item of list) if (!(await isErased(item))) others.push(item);
      kept[name] = others;
    }
    left.push({ field, value: kept });
  }
  return left;
}
