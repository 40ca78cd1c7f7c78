import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { pause, systemClock } from '../../runtime/clock.ts';
import { type Call, callerOf } from '../faults/caller.ts';
import { type Child, inTime, kept } from './child.ts';
import { Link } from './link.ts';
import type { Report, Sample } from './reports.ts';
import type { Timeline } from './timeline.ts';

export interface Weight {
  readonly heap: number;
  readonly rss: number;
  readonly cpuUs: number;
}

export interface Links {
  readonly redis: Link;
  readonly mongo: Link;
  readonly sandbox: Link;
  readonly peer: Link | null;
}

export interface GatewayParts {
  readonly id: string;
  readonly links: Links;
  readonly env: Readonly<Record<string, string>>;
  readonly timeline: Timeline;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly patienceMs: number;
}

interface Life {
  readonly name: string;
  readonly child: Child;
  readonly url: string;
  send(text: string): void;
}

const STARTS = 10;
const BEFORE_NEXT_START_MS = 1_000;
const VICTIM = fileURLToPath(new URL('../victims/start.js', import.meta.url));

export class Gateway {
  readonly id: string;
  readonly links: Links;
  readonly #parts: GatewayParts;
  #boots = 0;
  #life: Life | null = null;
  #frozenSince: number | null = null;
  #unheardSince: number | null = null;
  #weighed: (weight: Weight) => void = () => {};
  #sampled: (sample: Sample) => void = () => {};
  call: Call = () => Promise.reject(new Error('the node does not run'));

  constructor(parts: GatewayParts) {
    this.id = parts.id;
    this.links = parts.links;
    this.#parts = parts;
  }

  get isRunning(): boolean {
    return this.#life !== null;
  }

  get name(): string {
    return this.#life?.name ?? `${this.id}#${this.#boots}`;
  }

  async start(): Promise<void> {
    this.#boots += 1;
    const name = `${this.id}#${this.#boots}`;
    const victim = fork(VICTIM, ['chaos'], {
      execArgv: ['--expose-gc'],
      env: { ...process.env, ...this.#parts.env, NODE_ID: this.id, INCARNATION: name },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const child = kept(victim);
    void child.ended.then(() => this.#parts.timeline.died(name, systemClock.now()));
    const listening = new Promise<string>((resolve, reject) => {
      victim.on('message', (report: Report) => this.#receive(name, report, resolve));
      void child.ended.then(() => reject(new Error(`${name} ended before it listened`)));
    });
    const url = await inTime(name, listening);
    this.#life = { name, child, url, send: (text) => void victim.send(text, () => {}) };
    this.speakTo();
  }

  /** Restarts a node that exits before it is listening. Rejects after ten attempts. */
  async startSupervised(): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.start();
      } catch (cause) {
        if (tries === STARTS) throw cause;
        await pause(systemClock, BEFORE_NEXT_START_MS);
      }
    }
  }

  speakTo(): void {
    if (this.#life) this.call = callerOf(this.#life.url, this.#parts.headers(), { withinMs: this.#parts.patienceMs });
  }

  get url(): string {
    if (!this.#life) throw new Error('the node does not run');
    return this.#life.url;
  }

  callAs(headers: Readonly<Record<string, string>>): Call {
    return callerOf(this.url, headers);
  }

  async kill(): Promise<void> {
    const life = this.#life;
    this.#life = null;
    await life?.child.kill();
    this.received();
  }

  async terminate(): Promise<number | null> {
    const life = this.#life;
    this.#life = null;
    if (!life) return 0;
    life.child.signal('SIGTERM');
    return life.child.ended;
  }

  freeze(): void {
    this.#frozenSince = systemClock.now();
    this.#life?.child.signal('SIGSTOP');
  }

  thaw(): void {
    this.#life?.child.signal('SIGCONT');
    if (this.#frozenSince !== null) this.#excuse('stalled', this.#frozenSince);
    this.#frozenSince = null;
  }

  unheard(): void {
    this.#unheardSince ??= systemClock.now();
  }

  received(): void {
    if (this.#unheardSince !== null) this.#excuse('unheard', this.#unheardSince);
    this.#unheardSince = null;
  }

  weigh(isCollecting = true): Promise<Weight> {
    return new Promise((resolve) => {
      this.#weighed = resolve;
      this.#life?.send(isCollecting ? 'collect' : 'look');
    });
  }

  /** Resolves with null if the node is frozen or dead. */
  sample(withinMs: number): Promise<(Sample & { readonly name: string }) | null> {
    const { name } = this;
    return new Promise((resolve) => {
      const cancel = systemClock.after(withinMs, () => resolve(null));
      this.#sampled = (sample) => {
        cancel();
        resolve({ ...sample, name });
      };
      this.#life?.send('sample');
    });
  }

  async close(): Promise<void> {
    await this.kill();
    for (const link of Object.values(this.links)) link?.close();
  }

  #excuse(why: 'stalled' | 'unheard', from: number): void {
    this.#parts.timeline.excuse({ node: this.name, why, from, to: systemClock.now() });
  }

  #receive(name: string, report: Report, listening: (url: string) => void): void {
    const { timeline } = this.#parts;
    switch (report.is) {
      case 'listening':
        return listening(report.url);
      case 'opened':
        return timeline.opened(name, report.line, report.device, report.at);
      case 'closed':
        return timeline.closed(name, report.line, report.at);
      case 'stalled':
        return timeline.excuse({ node: name, why: 'stalled', from: report.from, to: report.until });
      case 'weight':
        return this.#weighed(report);
      case 'sample':
        return name === this.name ? this.#sampled(report) : undefined;
    }
  }
}

export async function linksTo(redisPort: number, mongo: URL, sandbox: URL, peer: URL | null = null): Promise<Links> {
  const host = '127.0.0.1';
  return {
    redis: await Link.to({ host, port: redisPort }),
    mongo: await Link.to({ host: mongo.hostname, port: Number(mongo.port || 27017) }),
    sandbox: await Link.to({ host, port: Number(sandbox.port) }),
    peer: peer && (await Link.to({ host, port: Number(peer.port) })),
  };
}
