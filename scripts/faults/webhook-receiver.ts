import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { systemClock } from '../../runtime/clock.ts';
import { addressOf } from '../../runtime/listening.ts';
import type { Random } from '../../runtime/random.ts';

const MOODS = ['accept', 'refuse', 'hang', 'reset', 'late'] as const;

export type Mood = (typeof MOODS)[number];

export interface Told {
  /** All event ids under which the message arrived. There must be only one. */
  readonly ids: Set<string>;
  accepted: number;
  tries: number;
}

export interface Receiver {
  readonly url: string;
  readonly place: string;
  readonly told: ReadonlyMap<string, Told>;
  /** Number of requests with a wrong signature, or whose header id differs from the event's id. */
  readonly badlySigned: number;
  readonly moods: ReadonlyMap<Mood, number>;
  readonly forgotten: number;
  close(): void;
}

export interface ReceiverOptions {
  readonly secret: string;
  readonly random: Random;
  readonly lateMs: number;
  readonly keyOf?: (event: { readonly type: string; readonly data: Readonly<Record<string, string>> }) => string;
  /** Fraction of first and second attempts that the receiver fails on purpose. */
  readonly badPart?: number;
  /** Number of messages that the receiver accepts and drops, to show that a run detects the loss. */
  readonly forgets?: number;
}

/** Maximum number of failures per message, so that five attempts suffice even on a busy machine. */
const MAX_BAD = 2;
const SHARES: Readonly<Record<Mood, number>> = { accept: 0.5, refuse: 0.2, reset: 0.2, hang: 0.05, late: 0.05 };

export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { secret, random, lateMs, keyOf = ({ data }) => data['body'] ?? '', badPart = 1 - SHARES.accept, forgets = 0 } = options;
  const forgotten = new Set<string>();
  const told = new Map<string, Told>();
  const moods = new Map<Mood, number>();
  let badlySigned = 0;

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const raw = await bodyOf(request);
    const { id, type, data } = JSON.parse(raw.toString());
    const key = keyOf({ type, data });
    if (!isSigned(request, raw, secret) || request.headers['x-webhook-id'] !== id) badlySigned += 1;
    if (forgotten.size < forgets) forgotten.add(key);
    if (forgotten.has(key)) return void response.writeHead(200).end();
    const one = told.get(key) ?? { ids: new Set(), accepted: 0, tries: 0 };
    told.set(key, one);
    one.ids.add(id);
    one.tries += 1;
    const mood = one.tries > MAX_BAD || random() >= 2 * badPart ? 'accept' : moodOf(random());
    moods.set(mood, (moods.get(mood) ?? 0) + 1);
    answer(response, mood, lateMs, () => {
      one.accepted += 1;
    });
  }

  const server = createServer((request, response) => void receive(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const place = `127.0.0.1:${addressOf(server).port}`;
  return {
    place,
    url: `http://${place}/hook`,
    told,
    moods,
    get forgotten() {
      return forgotten.size;
    },
    get badlySigned() {
      return badlySigned;
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function moodOf(random: number): Mood {
  let below = 0;
  for (const mood of MOODS) {
    below += SHARES[mood];
    if (random < below) return mood;
  }
  return 'accept';
}

function answer(response: ServerResponse, mood: Mood, lateMs: number, accepted: () => void): void {
  switch (mood) {
    case 'accept':
      accepted();
      return void response.writeHead(200).end();
    case 'refuse':
      return void response.writeHead(500).end('no');
    case 'hang':
      return;
    case 'reset':
      return void response.destroy();
    case 'late':
      return void systemClock.after(lateMs, () => response.writeHead(200).end());
  }
}

function isSigned({ headers }: IncomingMessage, raw: Buffer, secret: string): boolean {
  const wanted = Buffer.from(`sha256=${createHmac('sha256', secret).update(raw).digest('base64')}`);
  const given = Buffer.from(String(headers['x-webhook-signature']));
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
