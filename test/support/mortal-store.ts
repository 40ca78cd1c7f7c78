import type { Collection, CollectionSpec, Doc, Store } from '../../store/port.ts';

/** Collection methods that write. */
export const WRITES: ReadonlySet<string> = new Set([
  'insertOne',
  'insertMany',
  'updateOne',
  'updateMany',
  'findOneAndUpdate',
  'findOneAndDelete',
  'deleteOne',
  'deleteMany',
]);

interface Death {
  readonly write: number;
  /** Whether the write takes effect before the process dies. */
  readonly isMade: boolean;
}

/**
 * A store as seen by a process that dies at its nth write, before or just after the write. All later operations fail.
 */
export function mortalStore(store: Store, at: Death): { store: Store; isDead(): boolean } {
  const life = new Life(at);
  return { store: mortal(store, life), isDead: () => life.isDead };
}

/** A store for a series of processes. `arm` sets the write at which the current process dies; null if it survives. */
export function storeOfLives(): { over(store: Store): Store; arm(at: Death | null): void; isDead(): boolean } {
  const life = new Life(null);
  return { over: (store) => mortal(store, life), arm: (at) => life.arm(at), isDead: () => life.isDead };
}

class Life {
  isDead = false;
  #at: Death | null;
  #writes = 0;
  /** Set while writes that are stored together are issued, because they count as one write. */
  #together: { isLast: boolean } | null = null;

  constructor(at: Death | null) {
    this.#at = at;
  }

  arm(at: Death | null): void {
    this.#at = at;
    this.#writes = 0;
    this.isDead = false;
  }

  together<R>(issue: () => R): R {
    if (!this.isDead) this.#together = { isLast: this.#isLast() };
    try {
      return issue();
    } finally {
      if (this.#together?.isLast) this.isDead = true;
      this.#together = null;
    }
  }

  async lived(isWrite: boolean, work: () => Promise<unknown>): Promise<unknown> {
    if (this.isDead) return dead();
    if (!isWrite) return work();
    if (!(this.#together ? this.#together.isLast : this.#isLast())) return work();
    if (!this.#together) this.isDead = true;
    if (this.#at?.isMade) await work();
    return dead();
  }

  #isLast(): boolean {
    this.#writes += 1;
    return this.#at !== null && this.#writes >= this.#at.write;
  }
}

const dead = () => Promise.reject(new Error('the process is dead'));

function mortal(store: Store, life: Life): Store {
  const collection = <T extends Doc>(spec: CollectionSpec): Collection<T> =>
    new Proxy(store.collection<T>(spec), {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        if (name === 'find') return member.bind(target);
        return (...args: unknown[]) => life.lived(WRITES.has(String(name)), () => member.apply(target, args));
      },
    });
  return {
    name: store.name,
    collection,
    ...(store.together && {
      together: <R>(issue: () => R, isStrict?: boolean): R => life.together(() => store.together?.(issue, isStrict) ?? issue()),
    }),
    ...(store.soon && { soon: () => store.soon?.() ?? Promise.resolve() }),
    ...(store.writesTo && { writesTo: (of: string): number => store.writesTo?.(of) ?? 0 }),
    prepare: () => store.prepare(),
    ping: () => store.ping(),
    ...(store.isAway && { isAway: () => store.isAway?.() ?? false }),
    sweep: (now) => store.sweep(now),
    close: () => store.close(),
  };
}
