import type { Clock } from '../../../../runtime/clock.ts';

export type Broken = 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'sent twice' | 'lost' | 'nobody runs it';

/** A login as the network sees it, with what only the model knows of it. */
export interface Login {
  readonly device: string;
  readonly epoch: number;
  readonly who: string;
  /** Its process runs, and has neither closed it nor learned that it is closed. */
  readonly isInUse: boolean;
}

export class Violation extends Error {
  readonly broken: Broken;

  constructor(broken: Broken, what: string) {
    super(`${broken}: ${what}`);
    this.broken = broken;
  }
}

const RETURNS_WINDOW_MS = 30_000;
const MAX_RETURNS = 5;

/** Sees everything that is accepted anywhere and remembers the first broken promise. */
export class Oracle {
  violation: Violation | null = null;
  /** What happened, for a replay. */
  readonly story: string[] = [];
  /** Received when a node becomes an owner. */
  onOwned: (node: string) => void = () => {};
  readonly #time: Clock;
  readonly #epochs = new Map<string, number>();
  readonly #loginEpochs = new Map<string, number>();
  readonly #returns = new Map<string, number[]>();
  readonly #replaced = new Set<string>();
  readonly #accepted = new Map<string, string>();
  #excusedUntil = 0;

  constructor(time: Clock) {
    this.#time = time;
  }

  /** Redis forgot its promises without knowing: two may believe for a while that they own the same device. */
  excuse(ms: number): void {
    this.#excusedUntil = this.#time.monotonic() + ms;
  }

  note(what: string): void {
    this.story.push(`${this.#time.monotonic()} ${what}`);
  }

  /** I4. */
  owned(device: string, epoch: number, node: string): void {
    this.note(`${node} owns ${device} since ${epoch}`);
    const last = this.#epochs.get(device) ?? 0;
    if (epoch <= last) this.#broken('I4', `${device} got epoch ${epoch} after ${last}`);
    this.#epochs.set(device, epoch);
    this.onOwned(node);
  }

  /** I5: `theirs` is the epoch in whose name it was written, `stored` the one that stood there. */
  wrote(what: string, theirs: number, stored: number): void {
    if (theirs < stored) this.#broken('I5', `${what} of epoch ${stored} was written in the name of ${theirs}`);
  }

  /** I1, I2 and I3. */
  loggedIn(login: Login, evicted: Login | null): void {
    const { device, epoch, who } = login;
    this.note(`${who} logs ${device} in, epoch ${epoch}${evicted ? `, evicts ${evicted.who}` : ''}`);
    const last = this.#loginEpochs.get(device) ?? 0;
    if (epoch < last && !this.#isExcused) this.#broken('I1', `a login of ${device} with epoch ${epoch} after ${last}`);
    this.#loginEpochs.set(device, Math.max(last, epoch));
    if (this.#replaced.delete(device) && epoch <= last) this.#countReturn(device);
    if (evicted?.isInUse && evicted.epoch !== epoch && !this.#isExcused)
      this.#broken('I2', `${who} threw out ${evicted.who}, which was using ${device}`);
  }

  /** Somebody else's login ended one. */
  replaced(device: string): void {
    this.#replaced.add(device);
  }

  accepted(device: string, row: string, netId: string): void {
    this.note(`the network has ${row} of ${device} as ${netId}`);
    const earlier = this.#accepted.get(row);
    if (earlier !== undefined) this.#broken('sent twice', `${row} as ${earlier} and as ${netId}`);
    this.#accepted.set(row, netId);
  }

  hasAccepted(row: string): boolean {
    return this.#accepted.has(row);
  }

  unfinished(broken: 'lost' | 'nobody runs it', what: string): void {
    this.#broken(broken, what);
  }

  get #isExcused(): boolean {
    return this.#time.monotonic() < this.#excusedUntil;
  }

  /** A new owner's first login is no sign of a fight; coming back again and again after somebody else's login is. */
  #countReturn(device: string): void {
    const now = this.#time.monotonic();
    const recent = (this.#returns.get(device) ?? []).filter((at) => now - at < RETURNS_WINDOW_MS);
    recent.push(now);
    this.#returns.set(device, recent);
    if (recent.length > MAX_RETURNS) this.#broken('I3', `${device} came back ${recent.length} times within ${RETURNS_WINDOW_MS} ms`);
  }

  #broken(broken: Broken, what: string): void {
    this.note(`!!! ${broken}: ${what}`);
    this.violation ??= new Violation(broken, what);
  }
}
