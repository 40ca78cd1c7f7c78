import { isRecord } from '../../../runtime/shapes.ts';
import type { ErasureRow, Erasures } from '../../../store/privacy/erasures.ts';
import type { Holds } from '../../../store/privacy/holds.ts';
import type { HookChange } from '../../network/official/login.ts';

/**
 * Erasures that concern webhooks which still wait in the journal. A waiting webhook is sealed, so an
 * erasure cannot find a person in it. Instead, what the person wrote before their erasure was requested
 * is dropped when the webhook is read. People are compared by keyed hashes of their numbers, addresses
 * and ids at the platform. While a hold keeps an erasure from its first step, nothing of the person is
 * dropped: the erasure removes it later.
 */

export interface ErasedPeopleDeps {
  readonly erasures: Pick<Erasures, 'since'>;
  readonly holds: Pick<Holds, 'ofTenant' | 'held'>;
  readonly clock: { now(): number };
  hashOf(tenantId: string, subject: string): string;
}

/**
 * Clocks of nodes may differ by this much: an erasure with an earlier time may be stored later, and a
 * webhook with a later time may have come before the erasure.
 */
const CLOCKS_MS = 60_000;

interface Erased {
  /**
   * Whether this belongs to an erased person. `subject`: a number (digits), a hidden address, or an id at the
   * platform. `saidAt`: the platform's time, epoch ms; null if unknown.
   */
  includes(subject: string, saidAt: number | null): boolean;
}

type Erasure = Pick<ErasureRow, 'phone_hash' | 'hashes' | 'created_at'>;

const hashesIn = ({ phone_hash, hashes = [] }: Erasure): readonly string[] => [phone_hash, ...hashes];

export class ErasedPeople {
  readonly #deps: ErasedPeopleDeps;
  readonly #tenantId: string;
  /** When each hash was last erased, epoch ms. */
  readonly #erasedAt = new Map<string, number>();
  /** Erasures before their first step, by id; a hold may still stop them. */
  readonly #notBegun = new Map<string, Erasure>();
  /** Erasures from `#from` on are known; those after `#to` are read again. */
  #from = Number.POSITIVE_INFINITY;
  #to = 0;

  constructor(deps: ErasedPeopleDeps, tenantId: string) {
    this.#deps = deps;
    this.#tenantId = tenantId;
  }

  /** Returns the people to drop from a webhook that arrived at `at` (epoch ms); null if there are none. */
  async since(at: number): Promise<Erased | null> {
    const earliest = at - CLOCKS_MS;
    const unread = earliest < this.#from ? earliest : Math.max(this.#from, this.#to - CLOCKS_MS);
    const open = [...this.#notBegun.values()].map(({ created_at }) => created_at).filter((created) => created >= earliest);
    for await (const row of this.#deps.erasures.since(this.#tenantId, Math.min(unread, ...open))) this.#learn(row);
    this.#from = Math.min(this.#from, earliest);
    if (this.#to < earliest) return null;
    const soon = await this.#soonErased();
    const hashOf = (subject: string): string => this.#deps.hashOf(this.#tenantId, subject);
    return {
      includes: (subject, saidAt) => {
        const hash = hashOf(subject);
        const erasedAt = Math.max(this.#erasedAt.get(hash) ?? 0, soon.get(hash) ?? 0);
        return erasedAt >= at || (saidAt !== null && erasedAt >= Math.max(earliest, saidAt));
      },
    };
  }

  #learn({ _id, open, step, ...erasure }: Erasure & Pick<ErasureRow, '_id' | 'open' | 'step'>): void {
    this.#to = Math.max(this.#to, erasure.created_at);
    if (open && step === 0) {
      this.#notBegun.set(_id, erasure);
      return;
    }
    this.#notBegun.delete(_id);
    note(this.#erasedAt, erasure);
  }

  /** Returns when people were erased whose erasure is about to begin: no hold stops it. */
  async #soonErased(): Promise<ReadonlyMap<string, number>> {
    const soon = new Map<string, number>();
    if (this.#notBegun.size === 0) return soon;
    // A hold that ends within this time may end before the webhook's content is stored.
    const until = this.#deps.clock.now() + CLOCKS_MS;
    if (await this.#deps.holds.ofTenant(this.#tenantId, until)) return soon;
    const held = await this.#deps.holds.held(this.#tenantId, until);
    for (const erasure of this.#notBegun.values()) if (!hashesIn(erasure).some((hash) => held.has(hash))) note(soon, erasure);
    return soon;
  }
}

function note(erasedAt: Map<string, number>, erasure: Erasure): void {
  for (const hash of hashesIn(erasure)) erasedAt.set(hash, Math.max(erasure.created_at, erasedAt.get(hash) ?? 0));
}

const NUMBERS = ['from', 'to', 'wa_id', 'recipient_id'] as const;
const IDS = ['from_user_id', 'to_user_id', 'user_id', 'previous_user_id', 'recipient_user_id'] as const;

/** Returns the platform's time of an item (it gives seconds), epoch ms. */
function saidAtOf(item: Readonly<Record<string, unknown>>): number | null {
  const seconds = Number(item['timestamp']);
  return seconds > 0 ? seconds * 1_000 : null;
}

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
    if (!isRecord(item)) return false;
    const saidAt = saidAtOf(item);
    for (const part of [item, item['system']].filter(isRecord)) {
      const ids = named(part, IDS);
      const addresses = await Promise.all(ids.map(addressOf));
      if ([...named(part, NUMBERS), ...ids, ...addresses].some((one) => erased.includes(one, saidAt))) return true;
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
