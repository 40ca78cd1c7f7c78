import { RecentCache } from '../../../../runtime/recent-cache.ts';
import { type KeyEntry, kindOf, REVS_PER_TERM, type StoredCredentials as Stored } from '../../../../store/devices/credentials.ts';
import type { CredentialStore } from '../../port.ts';
import { decode, encode, unpooled } from './codec.ts';
import type { SecretKind, SecretsById } from './secret-kind.ts';

/**
 * Holds the secrets of one device in memory and in its store. All changes of a tick are written to
 * the store at its end, with one compare-and-set. Data that depends on a change may be sent only
 * after `durable` has resolved. If a read or write fails, the buffer is disabled, because memory
 * and store may differ.
 */

interface Secret {
  readonly rev: number;
  readonly value: unknown;
  text?: string | null;
  /** Whether the store has never held a value of this name. If so, deleting the value needs no write. */
  young: boolean;
}

type Known = Pick<Secret, 'value'>;

interface PendingWrite {
  readonly rev: number;
  resolve(): void;
  reject(cause: unknown): void;
}

/** Each write contains all fresh values, so above this size, older ones move to permanent storage. */
const MANY_FRESH_CHARACTERS = 4_000;
const MAX_FRESH_CHARACTERS = 12_000;
/** Limit for deleted values among the fresh ones. The character limit does not count them. */
const MANY_GONE = 16;
const LATELY = 8;
const REMEMBERED = 32;
/** Pre-keys move to permanent storage at once, because each later write would repeat all of them. */
const STAYS_BATCH_SIZE = 'pre-key';
/** Values of this kind are usually deleted before they would move to permanent storage. */
const PASSES_THROUGH = 'inbound';

export class CredentialBuffer {
  readonly generation: string;
  readonly #credentialStore: CredentialStore;
  readonly #term: number;
  readonly #fresh = new Map<string, Secret>();
  readonly #remembered = new RecentCache<string, Known>(REMEMBERED);
  #rev: number;
  #storedRev: number;
  #waiting: PendingWrite[] = [];
  #scheduled = false;
  #writing = false;
  #settling = false;
  #reads = 0;
  #isStaying = false;
  #failure: { readonly cause: unknown } | null = null;
  readonly #onFailure: (cause: unknown) => void;

  constructor(credentialStore: CredentialStore, { generation, term, fresh }: Stored, onFailure: (cause: unknown) => void) {
    this.#credentialStore = credentialStore;
    this.generation = generation;
    this.#term = term;
    this.#rev = term * REVS_PER_TERM;
    this.#storedRev = this.#rev;
    this.#onFailure = onFailure;
    for (const { name, rev, value } of fresh) {
      this.#fresh.set(name, { rev, value: decoded(kindOf(name), value), text: value, young: false });
    }
  }

  async get<T>(kind: SecretKind<T>, ids: readonly string[]): Promise<SecretsById<T>> {
    const known = new Map(ids.map((id) => [id, this.#look(`${kind}/${id}`)]));
    const missing = ids.filter((id) => known.get(id) === undefined);
    const read = missing.length > 0 ? await this.#read(kind, missing) : NOTHING;
    // Values that were set during the read are fresh and therefore take precedence.
    const now = (id: string) => this.#fresh.get(`${kind}/${id}`) ?? known.get(id) ?? read.get(id);
    const found = ids.map((id) => [id, now(id)?.value ?? null] as const);
    return Object.fromEntries(found.filter(([, value]) => value !== null)) as SecretsById<T>;
  }

  async all<T>(kind: SecretKind<T>): Promise<ReadonlyMap<string, T>> {
    this.#reads += 1;
    try {
      const kept = await this.#trying(() => this.#credentialStore.list(this.generation, kind));
      return this.#inOrder(kind, kept) as ReadonlyMap<string, T>;
    } finally {
      this.#reads -= 1;
    }
  }

  /** Sets values under new ids. If a value is deleted soon after, the store never needs to be written. */
  add<T>(kind: SecretKind<T>, values: SecretsById<T>): void {
    this.#change(kind, values, true);
  }

  set<T>(kind: SecretKind<T>, values: SecretsById<T | null>): void {
    this.#change(kind, values, kind === PASSES_THROUGH);
  }

  #change<T>(kind: SecretKind<T>, values: SecretsById<T | null>, isNew: boolean): void {
    for (const [id, given] of Object.entries(values)) {
      const value = given instanceof Uint8Array ? unpooled(given) : given;
      const name = `${kind}/${id}`;
      const before = this.#fresh.get(name);
      this.#rev += 1;
      if (kind === STAYS_BATCH_SIZE && value !== null) this.#isStaying = true;
      if (value === null && before?.young) this.#fresh.delete(name);
      else this.#fresh.set(name, { rev: this.#rev, value, young: before ? before.young : isNew && value !== null });
    }
    this.#schedule();
  }

  get mark(): number {
    return this.#rev;
  }

  isStored(mark: number): boolean {
    return mark <= this.#storedRev && !this.#failure;
  }

  durable(): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure.cause);
    if (this.#storedRev === this.#rev) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiting.push({ rev: this.#rev, resolve, reject }));
  }

  /** Returns a kind's values in order. After a crash, a value may be both fresh and in permanent storage. */
  #inOrder(kind: string, kept: readonly KeyEntry[]): ReadonlyMap<string, unknown> {
    const all = new Map(kept.map(({ name, rev, value }) => [name, { rev, value: decoded(kind, value) }] as const));
    for (const [name, { rev, value }] of this.#fresh) if (kindOf(name) === kind) all.set(name, { rev, value });
    const found = [...all].filter(([, { value }]) => value !== null).toSorted(([, one], [, other]) => one.rev - other.rev);
    return new Map(found.map(([name, { value }]) => [name.slice(kind.length + 1), value]));
  }

  #look(name: string): Known | undefined {
    return this.#fresh.get(name) ?? this.#remembered.get(name);
  }

  async #read(kind: string, ids: readonly string[]): Promise<ReadonlyMap<string, Known>> {
    const names = ids.map((id) => `${kind}/${id}`);
    this.#reads += 1;
    const kept = await this.#trying(() => this.#credentialStore.read(this.generation, names)).finally(() => {
      this.#reads -= 1;
    });
    const texts = new Map(kept.map(({ name, value }) => [name, value]));
    const read = new Map(ids.map((id) => [id, { value: decoded(kind, texts.get(`${kind}/${id}`) ?? null) }]));
    for (const [id, one] of read) this.#remembered.set(`${kind}/${id}`, one);
    return read;
  }

  #schedule(): void {
    if (this.#scheduled || this.#writing || this.#failure || this.#storedRev === this.#rev) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      if (!this.#writing) void this.#write();
    });
  }

  async #write(): Promise<void> {
    this.#writing = true;
    const upTo = this.#rev;
    try {
      await this.#keepAtOnce();
      await this.#credentialStore.commit({ generation: this.generation, term: this.#term, fresh: [...this.#fresh].map(entryOf) });
    } catch (cause) {
      return this.#fail(cause);
    }
    this.#writing = false;
    this.#storedRev = upTo;
    const served = this.#waiting.filter(({ rev }) => rev <= upTo);
    this.#waiting = this.#waiting.filter(({ rev }) => rev > upTo);
    for (const { resolve } of served) resolve();
    this.#schedule();
    void this.#settle(upTo);
  }

  async #keepAtOnce(): Promise<void> {
    if (!this.#isStaying) return;
    this.#isStaying = false;
    const many = [...this.#fresh].filter(([name, { value }]) => isOfMany(name) && value !== null);
    if (many.length > 0) await this.#keep(many);
  }

  async #settle(upTo: number): Promise<void> {
    if (this.#settling || this.#failure) return;
    let characters = 0;
    let gone = 0;
    let isStaying = false;
    for (const [name, { rev, value, text }] of this.#fresh) {
      if (rev > upTo) continue;
      characters += text?.length ?? 0;
      if (value === null) gone += 1;
      isStaying ||= isOfMany(name);
    }
    const areManyGone = gone > MANY_GONE;
    if (characters <= MANY_FRESH_CHARACTERS && !areManyGone && !isStaying) return;
    const before = characters > MAX_FRESH_CHARACTERS ? upTo : characters > MANY_FRESH_CHARACTERS ? upTo - LATELY : 0;
    const leaves = (name: string, value: unknown): boolean => isOfMany(name) || (areManyGone && value === null);
    const settled = [...this.#fresh].filter(([name, { rev, value }]) => rev <= before || (rev <= upTo && leaves(name, value)));
    if (settled.length === 0) return;
    this.#settling = true;
    try {
      await this.#keep(settled);
    } catch (cause) {
      this.#fail(cause);
    }
    this.#settling = false;
  }

  async #keep(secrets: readonly (readonly [string, Secret])[]): Promise<void> {
    for (const [, secret] of secrets) secret.young = false;
    await this.#credentialStore.keep(this.generation, secrets.map(entryOf));
    for (const [name, { rev, value }] of secrets) {
      if (this.#fresh.get(name)?.rev !== rev || this.#reads > 0) continue;
      this.#fresh.delete(name);
      if (value === null) this.#remembered.delete(name);
      else this.#remembered.set(name, { value });
    }
  }

  async #trying<T>(work: () => Promise<T>): Promise<T> {
    if (this.#failure) throw this.#failure.cause;
    try {
      return await work();
    } catch (cause) {
      this.#fail(cause);
      throw cause;
    }
  }

  #fail(cause: unknown): void {
    if (this.#failure) return;
    this.#failure = { cause };
    for (const { reject } of this.#waiting) reject(cause);
    this.#waiting = [];
    this.#onFailure(cause);
  }
}

const isOfMany = (name: string): boolean => name.startsWith(`${STAYS_BATCH_SIZE}/`);

const NOTHING: ReadonlyMap<string, Known> = new Map();
const decoded = (kind: string, text: string | null): unknown => (text === null ? null : decode(kind, text));

function entryOf([name, secret]: readonly [string, Secret]): KeyEntry {
  if (secret.text === undefined) secret.text = secret.value === null ? null : encode(kindOf(name), secret.value);
  return { name, rev: secret.rev, value: secret.text };
}
