import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../../../../scripts/faults/processes.ts';
import { shelf } from '../../../support/shelf.ts';
import { type Peer, startPeer } from '../../peer/peer.ts';
import { factsOf, type Point, stepOfPoint } from './points.ts';
import type { KillPlan, Line } from './run.ts';
import { shownBy } from './traffic.ts';
import { verdictOf } from './verdict.ts';
import { COMPILED, CONTACTS, SHOP } from './world.ts';

const SENT_A_BURST = 4;
const WRITTEN_A_BURST = 2;
const SETTLES_WITHIN_MS = 3_000;
/** What the library passes too: it has no store but that of its secrets. */
const ITS_OWN: ReadonlySet<Point> = new Set([
  ...(['made-message', 'before-secrets', 'after-secrets', 'before-wire-message', 'after-wire-message', 'heard-ack'] as const),
  ...(['heard-receipt', 'after-wire-ack', 'heard-message', 'made-receipt', 'after-wire-receipt', 'any-await'] as const),
]);

/** The same kills for the library alone: answered is what its `sendMessage` resolved, and what it heard is in a file. */
export async function bareKillRun({ points, kills, chance, withinMs, onKill }: KillPlan): Promise<readonly Line[]> {
  const endsAt = performance.now() + (withinMs ?? Number.POSITIVE_INFINITY);
  const lines: Line[] = [];
  for (const point of points.filter((one) => ITS_OWN.has(one))) {
    if (performance.now() > endsAt) break;
    const world = await BareWorld.open();
    try {
      let done = 0;
      for (; done < kills && performance.now() < endsAt; done += 1) {
        await world.round(`${stepOfPoint(point)}:${1 + Math.floor(chance() * factsOf(point).most)}`);
        onKill?.(point);
      }
      lines.push({ point, ...world.judge(done) });
    } finally {
      await world.close();
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
    const world = new BareWorld(await startPeer({ keep: 2_000_000 }));
    await world.#start();
    return world;
  }

  async round(order: string): Promise<void> {
    const victim = this.#victim!;
    const died = once(victim, 'exit');
    victim.send(order);
    while (victim.exitCode === null && victim.signalCode === null) await this.#burst(victim);
    await died;
    await this.#start();
    await until(SETTLES_WITHIN_MS, async () => this.#missing().length === 0 && this.#unheard().length === 0);
  }

  judge(kills: number): Omit<Line, 'point'> {
    const { journal, ledger } = this.#peer;
    const said = { kills, linked: 0, linksLost: 0, answered: this.#answered, written: this.#written, stopped: [] };
    const found = { onPhones: shownBy(this.#peer), left: this.#answered, inLog: this.#heard(), optedOut: [], confirmed: [] };
    return verdictOf({ ...said, ...found, violations: ledger.violations, askedAgain: journal.events('unreadable').length });
  }

  async close(): Promise<void> {
    this.#victim?.kill('SIGKILL');
    await this.#peer.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Resolves when it is online. */
  async #start(): Promise<void> {
    const env = {
      ...process.env,
      WHATSAPP_URL: this.#peer.url,
      WHATSAPP_ROOT_KEY: this.#peer.rootKey,
      NODE_COMPILE_CACHE: COMPILED,
      DATA_DIR: this.#directory,
    };
    const victim = fork(join(import.meta.dirname, 'bare-victim.ts'), { execArgv: [], env });
    this.#victim = victim;
    await new Promise<void>((resolve, reject) => {
      victim.on('exit', () => reject(new Error('the library did not come online')));
      victim.on('message', (said: { qr?: string; url?: string; answered?: string }) => {
        if (said.answered) this.#answered.push(said.answered);
        if (said.qr && !this.#isLinked) void this.#peer.phone(SHOP).scans(said.qr);
        if (said.qr) this.#isLinked = true;
        if (said.url) resolve();
      });
    });
  }

  async #burst(victim: ChildProcess): Promise<void> {
    for (let sent = 0; sent < SENT_A_BURST; sent += 1) {
      this.#serial += 1;
      if (victim.connected) victim.send({ to: CONTACTS[this.#serial % CONTACTS.length], text: `out ${this.#serial}` }, () => {});
    }
    for (let wrote = 0; wrote < WRITTEN_A_BURST; wrote += 1) {
      this.#serial += 1;
      const text = `in ${this.#serial}`;
      await this.#peer.contact(CONTACTS[this.#serial % CONTACTS.length]!).writes(SHOP, text);
      this.#written.push(text);
    }
    const before = this.#answered.length;
    await until(200, async () => this.#answered.length - before >= SENT_A_BURST || !victim.connected);
  }

  #heard(): readonly string[] {
    const path = join(this.#directory, 'heard');
    return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
  }

  #missing(): readonly string[] {
    const shown = new Set(shownBy(this.#peer));
    return this.#answered.filter((text) => !shown.has(text));
  }

  #unheard(): readonly string[] {
    const heard = new Set(this.#heard());
    return this.#written.filter((text) => !heard.has(text));
  }
}
