import { createHmac } from 'node:crypto';
import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Clock } from '../../../../runtime/clock.ts';
import type { GraphAccount, GraphApp, GraphNumber } from './graph-state.ts';

/**
 * Sends webhooks as the vendor does: signed over the escaped JSON, sent to the callback of each
 * subscribed app, and resent until the callback returns 200. `habits` makes webhooks arrive twice,
 * late or out of order.
 */

export interface HookHabits {
  readonly twice?: boolean;
  /** Holds webhooks back. When this is turned off, they are sent newest first. */
  readonly held?: boolean;
}

type Value = Readonly<Record<string, unknown>>;

interface Hook {
  readonly app: GraphApp;
  readonly body: string;
  tries: number;
}

const MAX_TRIES = 20;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 3_600_000;

export class GraphHooks {
  readonly #clock: Clock;
  readonly #apps: ReadonlyMap<string, GraphApp>;
  readonly #reach: ReachCallback;
  #habits: HookHabits = {};
  #held: Hook[] = [];
  #inFlight = 0;
  #waiting = 0;
  readonly calls: { readonly url: string; readonly status: number; readonly body: string }[] = [];

  constructor(clock: Clock, apps: ReadonlyMap<string, GraphApp>, reach: ReachCallback) {
    this.#clock = clock;
    this.#reach = reach;
    this.#apps = apps;
  }

  get isBusy(): boolean {
    return this.#inFlight > 0;
  }

  /** How many webhooks have not been accepted yet: held back, on their way, or to be repeated. */
  get pending(): number {
    return this.#held.length + this.#inFlight + this.#waiting;
  }

  set habits(habits: HookHabits) {
    this.#habits = habits;
    if (habits.held) return;
    const waiting = this.#held.reverse();
    this.#held = [];
    for (const hook of waiting) this.#send(hook);
  }

  tell(number: GraphNumber, field: string, value: Value): void {
    const metadata = { display_phone_number: number.digits, phone_number_id: number.id };
    this.#publish(number.account, field, { messaging_product: 'whatsapp', metadata, ...value }, {});
  }

  tellAccount(account: GraphAccount, field: string, value: Value): void {
    this.#publish(account, field, value, { time: Math.floor(this.#clock.now() / 1_000) });
  }

  #publish(account: GraphAccount, field: string, value: Value, more: Value): void {
    const envelope = { object: 'whatsapp_business_account', entry: [{ id: account.id, ...more, changes: [{ value, field }] }] };
    const body = escaped(JSON.stringify(envelope));
    for (const id of account.subscribed) {
      const app = this.#apps.get(id);
      if (!app?.callback?.fields.includes(field)) continue;
      const hook: Hook = { app, body, tries: 0 };
      if (this.#habits.held) this.#held.push(hook);
      else this.#send(hook);
      if (this.#habits.twice) this.#send({ ...hook });
    }
  }

  #send(hook: Hook): void {
    const { app, body } = hook;
    if (!app.callback) return;
    const { url } = app.callback;
    const signature = `sha256=${createHmac('sha256', app.secret).update(body).digest('hex')}`;
    this.#inFlight += 1;
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
    this.#reach({ method: 'POST', url, headers, body }).then(({ status }) => {
      this.#inFlight -= 1;
      this.calls.push({ url, status, body });
      if (this.calls.length > 10_000) this.calls.splice(0, 5_000);
      hook.tries += 1;
      if (status === 200 || hook.tries >= MAX_TRIES) return;
      this.#waiting += 1;
      this.#clock.after(Math.min(FIRST_PAUSE_MS * 2 ** hook.tries, LONGEST_PAUSE_MS), () => {
        this.#waiting -= 1;
        this.#send(hook);
      });
    });
  }
}

/** The vendor escapes JSON so that every byte is at most 0x7E. */
function escaped(json: string): string {
  const unicode = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return json.replaceAll('/', '\\/').replace(/[@<%\u007f-\uffff]/g, unicode);
}

/** Calls a callback over HTTP or in a simulation. Resolves with the status 0 if no response came. */
export type ReachCallback = (call: CallbackCall) => Promise<{ readonly status: number; readonly text: string }>;

export interface CallbackCall {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export const reachOverHttp: ReachCallback = ({ method, url, headers = {}, body = '' }) => {
  const send = url.startsWith('https:') ? secureRequest : request;
  const length = method === 'POST' && { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve) => {
    const failed = (): void => resolve({ status: 0, text: '' });
    const sent = send(url, { method, headers: { ...headers, ...length } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part) => {
        text += part;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on('error', failed);
    });
    sent.on('error', failed);
    sent.end(body);
  });
};

export async function verifies(reach: ReachCallback, url: string, verifyToken: string, challenge: string): Promise<boolean> {
  const address = URL.parse(url);
  if (!address) return false;
  address.searchParams.set('hub.mode', 'subscribe');
  address.searchParams.set('hub.challenge', challenge);
  address.searchParams.set('hub.verify_token', verifyToken);
  const { status, text } = await reach({ method: 'GET', url: address.href });
  return status === 200 && text === challenge;
}
