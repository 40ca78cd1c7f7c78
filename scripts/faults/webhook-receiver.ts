import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { systemClock } from '../../runtime/clock.ts';
import { addressOf } from '../../runtime/listening.ts';
import type { Random } from '../../runtime/random.ts';

/** What a receiver may do to a delivery. `late`: an answer after the 11th second. */
const MOODS = ['accept', 'refuse', 'hang', 'reset', 'late'] as const;

export type Mood = (typeof MOODS)[number];

/** All that the receiver knows of one message, by its text. */
export interface Told {
  /** Event ids under which it came: one, if they are constant. */
  readonly ids: Set<string>;
  accepted: number;
  tries: number;
}

export interface Receiver {
  readonly url: string;
  readonly place: string;
  readonly told: ReadonlyMap<string, Told>;
  /** Requests whose signature is not that of their bytes, or whose headers say another event. */
  readonly badlySigned: number;
  readonly moods: ReadonlyMap<Mood, number>;
  /** How many it accepted and forgot. */
  readonly forgotten: number;
  close(): void;
}

export interface ReceiverOptions {
  readonly secret: string;
  readonly random: Random;
  /** When a late answer comes. */
  readonly lateMs: number;
  /** What a message is told apart by; its text, unless told otherwise. */
  readonly keyOf?: (event: { readonly type: string; readonly data: Readonly<Record<string, string>> }) => string;
  /** Which part of first and second tries is treated badly; a half, unless told otherwise. */
  readonly badPart?: number;
  /** So many are accepted and forgotten, so that a run shows that it misses them. */
  readonly forgets?: number;
}

/** A message is treated badly so often at most, so that five tries are enough, and two to spare for a machine under load. */
const MAX_BAD = 2;
/** Which part of all requests meets each. */
const SHARES: Readonly<Record<Mood, number>> = { accept: 0.5, refuse: 0.2, reset: 0.2, hang: 0.05, late: 0.05 };

/** A receiver in every mood: it accepts, refuses with 500, hangs, resets or answers too late, at random. */
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
