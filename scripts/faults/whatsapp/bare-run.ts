import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { at, present } from '../../../runtime/invariant.ts';
import { type Peer, startPeer } from '../../../test/network-peer/peer.ts';
import { shelf } from '../../../test/support/shelf.ts';
import { until } from '../processes.ts';
import { factsOf, type Point, stepOfPoint } from './points.ts';
import { baseline } from './published.ts';
import type { KillPlan, Line } from './run.ts';
import { shownBy } from './traffic.ts';
import { verdictOf } from './verdict.ts';
import { COMPILED, CONTACTS, SHOP } from './world.ts';

const SENT_PER_BURST = 4;
const WRITTEN_PER_BURST = 2;
/**
 * Highest occurrence at which to kill. It is high, because a kill can cause key reuse only if keys
 * have been used before.
 */
const MAX_PASSES = 40;
const DIES_WITHIN_MS = 15_000;
const ONLINE_WITHIN_MS = 15_000;
const SETTLES_WITHIN_MS = 1_500;
/** Points that the bare library passes. It stores only its secrets, so it never passes the others. */
const ITS_OWN: ReadonlySet<Point> = new Set([
  ...(['made-message', 'before-secrets', 'after-secrets', 'before-wire-message', 'after-wire-message', 'received-ack'] as const),
  ...(['received-receipt', 'after-wire-ack', 'received-message', 'made-receipt', 'after-wire-receipt', 'any-await'] as const),
]);

/** A message counts as answered once `sendMessage` resolves. Received texts are read from a file. */
export async function bareKillRun({ points, kills, random, withinMs, onKill }: KillPlan): Promise<readonly Line[]> {
  const endsAt = performance.now() + (withinMs ?? Number.POSITIVE_INFINITY);
  const lines: Line[] = [];
  for (const point of points.filter((one) => ITS_OWN.has(one))) {
    const isOver = (done: number): boolean => done >= kills || performance.now() > endsAt;
    const order = (): string => `${stepOfPoint(point)}:${1 + Math.floor(random() * Math.max(MAX_PASSES, factsOf(point).most))}`;
    for (let done = 0; !isOver(done); done += lines.at(-1)?.kills ?? 0) {
      const world = await BareWorld.open();
      lines.push({
        point,
        ...(await world.life(
          (killed) => (isOver(done + killed) ? null : order()),
          () => onKill?.(point),
        )),
      });
    }
  }
  return lines;
}

class BareWorld {
  readonly #peer: Peer;
  readonly #directory = mkdtempSync(join(shelf, 'bare-kills-'));
  readonly #answered: string[] = [];
  readonly #written: string[] = [];
  #victim: ChildProcess | null = null;
  #serial = 0;
  #isLinked = false;

  private constructor(peer: Peer) {
    this.#peer = peer;
  }

  static async open(): Promise<BareWorld> {
    const world = new BareWorld(await startPeer({ keep: 2_000_000, givesOwnKeys: true }));
    await world.#start();
    return world;
  }

  async life(next: (killed: number) => string | null, onKill: () => void): Promise<Omit<Line, 'point'>> {
    let killed = 0;
    let lives = true;
    try {
      for (let order = next(0); order !== null && lives; order = next(killed)) {
        lives = await this.#round(order);
        killed += 1;
        onKill();
      }
      return this.#judge(killed, lives);
    } finally {
      await this.#close();
    }
  }

  async #round(order: string): Promise<boolean> {
    const victim = present(this.#victim, 'a victim');
    const isDead = (): boolean => victim.exitCode !== null || victim.signalCode !== null;
    const [answered, written] = [this.#answered.length, this.#written.length];
    const endsAt = performance.now() + DIES_WITHIN_MS;
    victim.send(order);
    while (!isDead()) {
      if (performance.now() > endsAt) return false;
      await this.#burst(victim);
    }
    if (!(await this.#start())) return false;
    const isThere = async (): Promise<boolean> => this.#missing(answered).length === 0 && this.#unheard(written).length === 0;
    await until(SETTLES_WITHIN_MS, isThere);
    return true;
  }

  #judge(kills: number, lives: boolean): Omit<Line, 'point'> {
    const { journal, ledger } = this.#peer;
    const said = {
      kills,
      linked: 0,
      linksLost: lives ? 0 : 1,
      keysUnlike: 0,
      answered: this.#answered,
      tried: [],
      written: this.#written,
      stopped: [],
    };
    const found = { onPhones: shownBy(this.#peer), left: this.#answered, inLog: this.#received(), optedOut: [], confirmed: [] };
    return verdictOf({ ...said, ...found, violations: ledger.violations, askedAgain: journal.events('unreadable').length });
  }

  async #close(): Promise<void> {
    this.#victim?.kill('SIGKILL');
    await this.#peer.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #start(): Promise<boolean> {
    const env = {
      ...process.env,
      WHATSAPP_URL: this.#peer.url,
      WHATSAPP_ROOT_KEY: this.#peer.rootKey,
      NODE_COMPILE_CACHE: COMPILED,
      DATA_DIR: this.#directory,
    };
    const bare = baseline();
    const victim = fork(join(import.meta.dirname, 'bare-victim.ts'), { execArgv: [...bare.execArgv], env: { ...env, ...bare.env } });
    this.#victim = victim;
    let isOnline = false;
    victim.on('message', (said: { qr?: string; url?: string; answered?: string }) => {
      if (said.answered) this.#answered.push(said.answered);
      if (said.qr && !this.#isLinked) void this.#peer.phone(SHOP).scans(said.qr);
      if (said.qr) this.#isLinked = true;
      if (said.url) isOnline = true;
    });
    return (await until(ONLINE_WITHIN_MS, async () => isOnline)) === true;
  }

  async #burst(victim: ChildProcess): Promise<void> {
    for (let sent = 0; sent < SENT_PER_BURST; sent += 1) {
      this.#serial += 1;
      if (victim.connected) victim.send({ to: CONTACTS[this.#serial % CONTACTS.length], text: `out ${this.#serial}` }, () => {});
    }
    for (let wrote = 0; wrote < WRITTEN_PER_BURST; wrote += 1) {
      this.#serial += 1;
      const text = `in ${this.#serial}`;
      await this.#peer.contact(at(CONTACTS, this.#serial % CONTACTS.length)).writes(SHOP, text);
      this.#written.push(text);
    }
    // Yields, so that the exit event of a dead victim can arrive.
    await pause(systemClock, 0);
    const before = this.#answered.length;
    await until(200, async () => this.#answered.length - before >= SENT_PER_BURST || !victim.connected);
  }

  #received(): readonly string[] {
    const path = join(this.#directory, 'received');
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  }

  #missing(since: number): readonly string[] {
    const shown = new Set(shownBy(this.#peer));
    return this.#answered.slice(since).filter((text) => !shown.has(text));
  }

  #unheard(since: number): readonly string[] {
    const received = new Set(this.#received());
    return this.#written.slice(since).filter((text) => !received.has(text));
  }
}
