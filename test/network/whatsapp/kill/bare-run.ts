import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../../scripts/faults/processes.ts';
import { type Peer, startPeer } from '../../peer/peer.ts';
import { CONTACTS, type KillPlan, shownBy, tally, type Verdict } from './run.ts';
import { SHOP } from './world.ts';

const MOST_PASSES = 40;
const SENT_A_BURST = 6;
const WRITTEN_A_BURST = 3;
const SETTLES_WITHIN_MS = 5_000;

/** The same kills for the library alone: answered is what its `sendMessage` resolved, and what it heard is in a file. */
export async function bareKillRun({ points, kills, chance, onKill }: KillPlan): Promise<Verdict> {
  const world = await BareWorld.open();
  try {
    for (const point of points) {
      for (let kill = 0; kill < kills; kill += 1) {
        await world.round(`${point}:${1 + Math.floor(chance() * MOST_PASSES)}`);
        onKill?.(point);
      }
    }
    return world.judge(points.length * kills);
  } finally {
    await world.close();
  }
}

class BareWorld {
  readonly #peer: Peer;
  readonly #directory = mkdtempSync(join(tmpdir(), 'bare-kills-'));
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
    await this.#burst(victim);
    victim.send(order);
    while (victim.exitCode === null && victim.signalCode === null) await this.#burst(victim);
    await died;
    await this.#start();
    await until(SETTLES_WITHIN_MS, async () => this.#missing().length === 0 && this.#unheard().length === 0);
  }

  judge(kills: number): Verdict {
    const [onPhones, heard] = [tally(shownBy(this.#peer)), tally(this.#heard())];
    return {
      kills,
      answered: this.#answered.length,
      lost: this.#missing().length,
      doubled: [...onPhones.values()].filter((count) => count > 1).length,
      written: this.#written.length,
      inboundLost: this.#unheard().length,
      inboundDoubled: [...heard.values()].filter((count) => count > 1).length,
      violations: this.#peer.ledger.violations,
      askedAgain: this.#peer.journal.events('unreadable').length,
    };
  }

  async close(): Promise<void> {
    this.#victim?.kill('SIGKILL');
    await this.#peer.stop();
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Resolves when it is online. */
  async #start(): Promise<void> {
    const env = { ...process.env, WHATSAPP_URL: this.#peer.url, WHATSAPP_ROOT_KEY: this.#peer.rootKey, DATA_DIR: this.#directory };
    const victim = fork(join(import.meta.dirname, 'bare-victim.ts'), { execArgv: ['--import', 'tsx'], env });
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
