import { hash } from 'node:crypto';
import { type Dispatcher, request } from 'undici';
import type { Clock } from '../../../runtime/clock.ts';
import { fairSlices } from '../../../runtime/fair-slices.ts';
import type { PushStore, SubscriptionRow, VapidKeys } from '../../../store/push/push.ts';
import type { Notice } from './notice.ts';

export interface PushClientDeps {
  readonly store: Pick<PushStore, 'keys'>;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  contact(): string;
}

export type PushResult = 'sent' | 'gone' | 'failed';

export interface PushClient {
  publicKey(): Promise<string>;
  send(subscription: SubscriptionRow, notice: Notice): Promise<PushResult>;
}

const KEPT_FOR_SECONDS = 3_600;
const ANSWERS_WITHIN_MS = 10_000;
const LONGEST_TOPIC = 32;

const library = async () => (await import('web-push')).default;

export function createPushClient({ store, dispatcher, clock, contact }: PushClientDeps): PushClient {
  let keys: Promise<VapidKeys> | null = null;

  async function loadKeys(): Promise<VapidKeys> {
    const { generateVAPIDKeys } = await library();
    return store.keys(generateVAPIDKeys);
  }

  function keysOf(): Promise<VapidKeys> {
    keys ??= loadKeys().catch((cause) => {
      keys = null;
      throw cause;
    });
    return keys;
  }

  async function details({ tenant_id, endpoint, p256dh, auth }: SubscriptionRow, notice: Notice) {
    const { publicKey, privateKey } = await keysOf();
    const { generateRequestDetails } = await library();
    // Yield first: encryption takes 0.8 ms of CPU time, and one message may go to 1,000 browsers.
    await fairSlices.turn(tenant_id);
    return generateRequestDetails({ endpoint, keys: { p256dh, auth } }, JSON.stringify(notice), {
      vapidDetails: { subject: contact(), publicKey, privateKey },
      TTL: KEPT_FOR_SECONDS,
      urgency: 'high',
      // If the browser is offline, only the newest notification of each chat is kept for it.
      topic: hash('sha256', notice.tag, 'base64url').slice(0, LONGEST_TOPIC),
    });
  }

  async function post(subscription: SubscriptionRow, notice: Notice): Promise<number> {
    const { headers, body } = await details(subscription, notice);
    const patience = new AbortController();
    const cancel = clock.after(ANSWERS_WITHIN_MS, () => patience.abort());
    try {
      const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      const answer = await request(subscription.endpoint, { method: 'POST', headers: sent, body, dispatcher, signal: patience.signal });
      await answer.body.dump();
      return answer.statusCode;
    } finally {
      cancel();
    }
  }

  return {
    publicKey: async () => (await keysOf()).publicKey,
    send: (subscription, notice) => post(subscription, notice).then(meaning, () => 'failed'),
  };
}

function meaning(status: number): PushResult {
  if (status === 404 || status === 410) return 'gone';
  return status >= 200 && status < 300 ? 'sent' : 'failed';
}
