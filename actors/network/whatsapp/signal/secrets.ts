import type { CredentialBuffer } from '../keys/credential-buffer.ts';
import type { SecretKind, SecretsById } from '../keys/secret-kind.ts';

export interface Secrets {
  get<T>(kind: SecretKind<T>, ids: readonly string[]): Promise<SecretsById<T>>;
  set<T>(kind: SecretKind<T>, values: SecretsById<T | null>): void;
  alone<T>(name: string, work: () => Promise<T>): Promise<T>;
}

export class Locks {
  readonly #tails = new Map<string, Promise<void>>();

  async take(name: string): Promise<() => void> {
    const before = this.#tails.get(name);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tails.set(name, promise);
    await before;
    return () => {
      resolve();
      if (this.#tails.get(name) === promise) this.#tails.delete(name);
    };
  }

  /** Locks all names once all are free. Holds no locks while it waits, so it cannot deadlock. */
  async takeAll(names: readonly string[]): Promise<() => void> {
    for (let busy = this.#busy(names); busy.length > 0; busy = this.#busy(names)) await Promise.all(busy);
    const releases = await Promise.all(names.map((name) => this.take(name)));
    return () => {
      for (const release of releases) release();
    };
  }

  #busy(names: readonly string[]): readonly Promise<void>[] {
    return names.flatMap((name) => this.#tails.get(name) ?? []);
  }
}

export function openSecrets(credentialBuffer: CredentialBuffer, locks: Locks): Secrets {
  return {
    get: (kind, ids) => credentialBuffer.get(kind, ids),
    set: (kind, values) => credentialBuffer.set(kind, values),
    async alone(name, work) {
      const release = await locks.take(name);
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}

/** Collects changes. Changed values stay locked until `release`, so that no task uses outdated ones. */
export class Draft implements Secrets {
  readonly #credentialBuffer: CredentialBuffer;
  readonly #locks: Locks;
  readonly #values = new Map<string, Map<string, unknown>>();
  readonly #held = new Map<string, Promise<() => void>>();

  constructor(credentialBuffer: CredentialBuffer, locks: Locks) {
    this.#credentialBuffer = credentialBuffer;
    this.#locks = locks;
  }

  async get<T>(kind: SecretKind<T>, ids: readonly string[]): Promise<SecretsById<T>> {
    const own = this.#values.get(kind);
    if (!own) return this.#credentialBuffer.get(kind, ids);
    const missing = ids.filter((id) => !own.has(id));
    const kept: SecretsById<unknown> = missing.length > 0 ? await this.#credentialBuffer.get(kind, missing) : {};
    const found = ids.map((id) => [id, own.has(id) ? own.get(id) : (kept[id] ?? null)] as const);
    return Object.fromEntries(found.filter(([, value]) => value !== null)) as SecretsById<T>;
  }

  set<T>(kind: SecretKind<T>, values: SecretsById<T | null>): void {
    const own = this.#values.get(kind) ?? new Map<string, unknown>();
    for (const [id, value] of Object.entries(values)) own.set(id, value);
    this.#values.set(kind, own);
  }

  async alone<T>(name: string, work: () => Promise<T>): Promise<T> {
    const held = this.#held.get(name) ?? this.#locks.take(name);
    this.#held.set(name, held);
    await held;
    return work();
  }

  keep(): void {
    for (const [kind, values] of this.#values) this.#credentialBuffer.set(kind, Object.fromEntries(values));
  }

  release(): void {
    for (const held of this.#held.values()) void held.then((release) => release());
  }
}
