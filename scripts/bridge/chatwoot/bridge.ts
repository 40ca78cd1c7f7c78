import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import { asError } from '../../../runtime/errors.ts';
import { GatewayError } from '../../client/client.ts';
import { ChatwootRefusal } from './api.ts';
import type { Bridge, Work } from './context.ts';
import { forget } from './forget.ts';
import { deleted, edited, label, reaction, received, sent, status } from './inbound.ts';
import { changed, look } from './outbound.ts';
import { Puller } from './puller.ts';
import { receive } from './receiver.ts';
import { BridgeRefused, TryAgain } from './refused.ts';
import type { Job } from './state.ts';

/**
 * The running bridge: pulls the gateway's events, receives Chatwoot's webhooks, rereads Chatwoot's
 * conversations every minute, and runs the stored jobs. Jobs of one chat run in order; a few chats
 * run in parallel. A failed job is retried until it succeeds or is permanently refused.
 */

export interface Pace {
  readonly pollMs: number;
  /** Interval for reading conversations to find replies whose webhook was lost. */
  readonly sweepMs: number;
  readonly firstRetryMs: number;
  readonly tidyMs: number;
}

export interface Listening {
  readonly port: number;
  readonly host: string;
  readonly secret: string | null;
  readonly publicUrl: string;
}

const LANES = 4;
/** Above this number of stored jobs, the pull stops and webhooks are refused. */
const MAX_JOBS = 5_000;
const MAX_RETRY_MS = 60_000;
/**
 * Each read starts this much before the last one, because Chatwoot's clock may differ and its list
 * may lag behind.
 */
const OVERLAP_MS = 5 * 60_000;
const KEPT_MS = 30 * 86_400_000;
const MAX_PAGES = 1_000;

export class RunningBridge {
  readonly #bridge: Bridge;
  readonly #pace: Pace;
  readonly #busy = new Map<string, Promise<void>>();
  readonly #running = new Set<number>();
  readonly #puller: Puller;
  #server: Server | null = null;
  #point: (() => Promise<void>) | null = null;
  #isOver = false;
  readonly #broken = Promise.withResolvers<Error>();
  #alarm: () => void = () => {};
  readonly #timers = new Set<() => void>();
  readonly #loops = new Set<Promise<void>>();

  private constructor(bridge: Bridge, pace: Pace) {
    this.#bridge = bridge;
    this.#pace = pace;
    this.#puller = new Puller(bridge);
  }

  /** Rejects with BridgeRefused if the inbox cannot be used. */
  static async start(bridge: Bridge, pace: Pace, listening: Listening): Promise<RunningBridge> {
    const { state, clock, settings } = bridge;
    const running = new RunningBridge(bridge, pace);
    const path = state.setting('path') ?? randomBytes(32).toString('base64url');
    state.transaction(() => {
      state.set('path', path);
      // Rounds down to a whole second, because Chatwoot's times are in seconds.
      if (state.setting('since') === null) state.set('since', String(Math.floor(clock.now() / 1_000) * 1_000));
    });
    await running.#puller.begin();
    const take = (work: Work): boolean => running.#take(work);
    running.#server = await receive({ ...listening, path, inbox: settings.inbox, clock, take }, listening.port, listening.host);
    running.#point = () => pointInbox(bridge, `${listening.publicUrl}/${path}`, listening.publicUrl);
    await running.#pointed().catch(async (cause: unknown) => {
      if (!(cause instanceof BridgeRefused)) return bridge.say(`${asError(cause).message}: cannot reach Chatwoot yet`);
      await running.stop();
      throw cause;
    });
    running.#repeat(pace.pollMs, () => running.#pull());
    running.#repeat(pace.sweepMs, () => running.#sweep());
    running.#repeat(pace.tidyMs, async () => running.#tidy());
    running.#work();
    return running;
  }

  /** Resolves if the bridge cannot continue, for example because its state file cannot be written. */
  get broken(): Promise<Error> {
    return this.#broken.promise;
  }

  #break(cause: unknown): void {
    this.#isOver = true;
    this.#broken.resolve(asError(cause));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#alarm();
    for (const wake of this.#timers) wake();
    this.#server?.close();
    this.#server?.closeAllConnections();
    await Promise.allSettled([...this.#busy.values(), ...this.#loops]);
    this.#bridge.state.close();
  }

  #take(work: Work): boolean {
    const { state, clock } = this.#bridge;
    if (this.#isOver || state.jobs() >= MAX_JOBS * 2) return false;
    if (work.kind === 'look' || work.kind === 'changed') state.add(jobFor(this.#bridge, work), clock.now());
    this.#work();
    return true;
  }

  #repeat(everyMs: number, work: () => Promise<void>): void {
    const loop = async (): Promise<void> => {
      for (let failures = 0; !this.#isOver; ) {
        try {
          await work();
          failures = 0;
        } catch (cause) {
          if (this.#isOver) return;
          failures += 1;
          this.#bridge.say(`${asError(cause).message}: will be retried`);
        }
        await this.#pause(failures === 0 ? everyMs : this.#retryMs(failures));
      }
    };
    const running = loop().finally(() => this.#loops.delete(running));
    this.#loops.add(running);
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        cancel();
        this.#timers.delete(wake);
        resolve();
      };
      const cancel = this.#bridge.clock.after(ms, wake);
      this.#timers.add(wake);
      if (this.#isOver) wake();
    });
  }

  #retryMs(failures: number): number {
    return Math.min(MAX_RETRY_MS, this.#pace.firstRetryMs * 2 ** Math.min(failures - 1, 10));
  }

  async #pull(): Promise<void> {
    while (!this.#isOver && this.#bridge.state.jobs() < MAX_JOBS && (await this.#puller.pull())) this.#work();
    this.#work();
  }

  async #pointed(): Promise<void> {
    await this.#point?.();
    this.#point = null;
  }

  async #sweep(): Promise<void> {
    const { state, chatwoot, settings, clock } = this.#bridge;
    await this.#pointed();
    const begun = clock.now();
    const since = Number(state.setting('swept') ?? state.setting('since')) - OVERLAP_MS;
    for (let page = 1; page <= MAX_PAGES && !this.#isOver; page += 1) {
      const found = await chatwoot.conversations(settings.inbox, page);
      const active = found.filter(({ activeAt, inbox }) => activeAt >= since && inbox === settings.inbox);
      state.transaction(() => {
        for (const { id } of active) state.add(jobFor(this.#bridge, { kind: 'look', conversation: id }), begun);
      });
      this.#work();
      if (found.length === 0 || found.some(({ activeAt }) => activeAt < since)) break;
    }
    if (!this.#isOver) state.set('swept', String(begun));
  }

  #tidy(): void {
    const { state, clock } = this.#bridge;
    state.transaction(() => {
      state.prune(clock.now() - KEPT_MS);
      state.add({ name: 'forget', lane: 'forget', body: JSON.stringify({ kind: 'forget' }), once: false }, clock.now());
    });
  }

  #work(): void {
    try {
      if (!this.#isOver) this.#begin();
    } catch (cause) {
      this.#break(cause);
    }
  }

  #begin(): void {
    const { state, clock } = this.#bridge;
    this.#alarm();
    for (const job of state.due(clock.now())) {
      if (this.#busy.size >= LANES) return;
      // A running job must be checked by its number too, because merging two chats moves its stored
      // lane.
      if (this.#busy.has(job.lane) || this.#running.has(job.seq)) continue;
      this.#running.add(job.seq);
      const work = this.#do(job)
        .catch((cause: unknown) => this.#break(cause))
        .finally(() => {
          this.#running.delete(job.seq);
          this.#busy.delete(job.lane);
          this.#work();
        });
      this.#busy.set(job.lane, work);
    }
    const next = state.nextDue();
    if (next !== null && next > clock.now()) this.#alarm = clock.after(next - clock.now(), () => this.#work());
  }

  async #do(job: Job): Promise<void> {
    const { state, clock, say } = this.#bridge;
    try {
      await this.#carryOut(JSON.parse(job.body), job);
      state.finish(job);
    } catch (cause) {
      if (this.#isOver) return;
      if (cause instanceof TryAgain) return state.postpone({ ...job, tries: job.tries - 1 }, cause.at);
      if (isHopeless(cause)) {
        say(`${asError(cause).message}: will not be retried`);
        return state.finish(job);
      }
      const waitMs = cause instanceof ChatwootRefusal && cause.retryAfterMs !== null ? cause.retryAfterMs : this.#retryMs(job.tries + 1);
      if (job.tries === 0) say(`${asError(cause).message}: will be retried`);
      state.postpone(job, clock.now() + Math.min(waitMs, MAX_RETRY_MS));
    }
  }

  #carryOut(work: Work, job: Job): Promise<void> {
    const bridge = this.#bridge;
    switch (work.kind) {
      case 'received':
        return received(bridge, work);
      case 'sent':
        return sent(bridge, work);
      case 'status':
        return status(bridge, work);
      case 'edited':
        return edited(bridge, work);
      case 'deleted':
        return deleted(bridge, work);
      case 'reaction':
        return reaction(bridge, work);
      case 'label':
        return label(bridge, work);
      case 'look':
        return look(bridge, work, job);
      case 'changed':
        return changed(bridge, work);
      case 'forget':
        return forget(bridge);
    }
  }
}

const isHopeless = (cause: unknown): boolean =>
  (cause instanceof ChatwootRefusal && [400, 413, 422].includes(cause.status) && !cause.isFlood) ||
  (cause instanceof GatewayError && [400, 413, 422].includes(cause.status));

function jobFor({ state }: Bridge, work: Extract<Work, { kind: 'look' | 'changed' }>) {
  const lane = state.personIn(work.conversation)?.chat ?? `conversation ${work.conversation}`;
  const name = work.kind === 'look' ? `look:${work.conversation}` : `changed:${work.cw}`;
  return { name, lane, body: JSON.stringify(work), once: false };
}

/**
 * Sets the inbox's webhook URL. Refuses an inbox that is not an API inbox, or that already calls
 * another address.
 */
async function pointInbox({ chatwoot, settings, say }: Bridge, url: string, own: string): Promise<void> {
  const inbox = await chatwoot.inbox(settings.inbox).catch((cause: unknown) => {
    if (!(cause instanceof ChatwootRefusal)) throw cause;
    throw new BridgeRefused(`Inbox ${settings.inbox} of account ${settings.account} cannot be read. ${cause.message}`);
  });
  if (inbox.channel !== 'Channel::Api')
    throw new BridgeRefused(`Inbox ${settings.inbox} is not an API inbox. Create an inbox of the type "API" in Chatwoot.`);
  if (inbox.webhookUrl === url) return;
  if (inbox.webhookUrl !== null && !inbox.webhookUrl.startsWith(`${own}/`))
    throw new BridgeRefused(`Inbox ${settings.inbox} calls another address. Remove its webhook URL in Chatwoot first.`);
  await chatwoot.setWebhook(settings.inbox, url).catch((cause: unknown) => {
    if (!(cause instanceof ChatwootRefusal)) throw cause;
    say(`Set the webhook URL of inbox ${settings.inbox} in Chatwoot to ${url} (${cause.message}).`);
  });
}
