import { isRecord } from '../../../runtime/shapes.ts';
import type { ErasureRow, Erasures } from '../../../store/privacy/erasures.ts';
import type { Holds } from '../../../store/privacy/holds.ts';
import type { HookChange } from '../../network/official/login.ts';

/**
 * Applies erasures to webhooks that are waiting in the journal. Such a webhook is sealed, so an
 * erasure cannot find a person in it. Instead, it is checked when it is read: messages from before
 * the erasure request are dropped. People are compared by keyed hashes of their numbers, addresses
 * and platform ids. If a legal hold blocks an erasure before its first step, the person's messages
 * are kept, and the erasure removes them later.
 */

export interface ErasedPeopleDeps {
  readonly erasures: Pick<Erasures, 'since'>;
  readonly holds: Pick<Holds, 'ofTenant' | 'held'>;
  readonly clock: { now(): number };
  hashOf(tenantId: string, subject: string): string;
}

const CLOCKS_MS = 60_000;

interface Erased {
  /** `subject` is a number, hidden address or platform id. `saidAt` is the platform's time. */
  includes(subject: string, saidAt: number | null): boolean;
}

type Erasure = Pick<ErasureRow, 'phone_hash' | 'hashes' | 'created_at'>;

const hashesIn = ({ phone_hash, hashes = [] }: Erasure): readonly string[] => [phone_hash, ...hashes];

export class ErasedPeople {
  readonly #deps: ErasedPeopleDeps;
  readonly #tenantId: string;
  readonly #erasedAt = new Map<string, number>();
  /** Erasures whose first step has not begun, by id. A legal hold can still block them. */
  readonly #notBegun = new Map<string, Erasure>();
  /** All erasures since `#from` are known. Those after `#to` are read again, as new ones may exist. */
  #from = Number.POSITIVE_INFINITY;
  #to = 0;

  constructor(deps: ErasedPeopleDeps, tenantId: string) {
    this.#deps = deps;
    this.#tenantId = tenantId;
  }

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

  /** Returns the erasures that no legal hold can block anymore, as their times by hash. */
  async #soonErased(): Promise<ReadonlyMap<string, number>> {
    const soon = new Map<string, number>();
    if (this.#notBegun.size === 0) return soon;
    // Ignore legal holds that end this soon: they may end before the webhook's content is stored.
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

function saidAtOf(item: Readonly<Record<string, unknown>>): number | null {
  const seconds = Number(item['timestamp']);
  return seconds > 0 ? seconds * 1_000 : null;
}

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
