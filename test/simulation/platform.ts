/**
 * The official platform of a simulated world: the sandbox's official side, without sockets. Calls to it and its webhooks
 * can be lost, and a process can die before or after each call.
 */
import { Dispatcher } from 'undici';
import type { CallbackCall } from '../../actors/network/sandbox/official/graph-hooks.ts';
import type { GraphAnswer } from '../../actors/network/sandbox/official/graph-state.ts';
import { type Random, seededRandom } from '../../runtime/random.ts';
import type { Process } from './process.ts';
import type { World } from './world.ts';

export const PLATFORM = 'https://platform.test';

/** Calls to the platform. Everything else goes to `others`. */
export class PlatformLine extends Dispatcher {
  readonly #world: World;
  readonly #process: Process;
  readonly #others: Dispatcher;

  constructor(world: World, process: Process, others: Dispatcher) {
    super();
    this.#world = world;
    this.#process = process;
    this.#others = others;
  }

  override dispatch(asked: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (asked.origin !== PLATFORM) return this.#others.dispatch(asked, handler);
    const [world, process] = [this.#world, this.#process];
    let isOver = false;
    const over = (run: () => void): void => {
      if (isOver) return;
      isOver = true;
      process.deliver(run);
    };
    const failed = (cause: Error): void => over(() => handler.onError?.(cause));
    handler.onConnect?.((cause?: Error) => failed(cause ?? new Error('aborted')));
    const { lostRequest, lostReply } = world.weather.http;
    const { random } = process;
    const [isLost, isReplyLost] = [random() < lostRequest, random() < lostReply];
    const [to, back] = [world.travel('http', random), world.travel('http', random)];
    const dies = process.diesAt('effect');
    if (dies) world.history.note(`${process.name} dies ${dies} it calls the platform`);
    if (dies === 'before') process.kill();
    if (process.isKilled || isLost) return true;
    world.time.after(to, async () => {
      const answer = await world.sandbox.official.answer(requestOf(asked));
      if (dies === 'after') process.kill();
      world.time.after(back, () => {
        if (answer.drop || isReplyLost) failed(Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }));
        else over(() => respond(handler, answer));
      });
    });
    return true;
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  override destroy(): Promise<void> {
    return Promise.resolve();
  }
}

function requestOf({ method, path, body, headers }: Dispatcher.DispatchOptions) {
  const { pathname, searchParams: query } = new URL(path, PLATFORM);
  const { authorization = '' } = { ...headers } as Readonly<Record<string, string>>;
  return {
    method,
    path: pathname.split('/').filter((part) => part !== '' && !/^v\d+\.\d+$/.test(part)),
    query,
    token: authorization.replace(/^Bearer /, ''),
    body: typeof body === 'string' ? JSON.parse(body) : {},
  };
}

function respond(handler: Dispatcher.DispatchHandler, { status, body = {} }: GraphAnswer): void {
  const headers = ['content-type', 'application/json'].map((text) => Buffer.from(text));
  handler.onHeaders?.(status, headers, () => {}, '');
  handler.onData?.(Buffer.from(JSON.stringify(body)));
  handler.onComplete?.([]);
}

/** Brings the platform's webhooks to any running node, as a balancer does. */
export function reachOf(world: () => World, seed: number) {
  const random: Random = seededRandom(seed ^ 0x0ff1);
  return async ({ method, url, headers = {}, body }: CallbackCall): Promise<{ readonly status: number; readonly text: string }> => {
    const none = { status: 0, text: '' };
    const up = world().running();
    const at = up[Math.floor(random() * up.length)];
    if (!at) return none;
    const { pathname, search } = new URL(url);
    const asked = { method, path: `${pathname}${search}`, headers, random, ...(method === 'POST' && { raw: body ?? '' }) };
    const answer = await world()
      .call(at, asked)
      .catch(() => null);
    return answer === null ? none : { status: answer.status, text: String(answer.body) };
  };
}
