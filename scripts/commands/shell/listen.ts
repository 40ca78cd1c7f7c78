import { randomBytes } from 'node:crypto';
import { headersOf } from '../../../actors/services/webhooks/signature.ts';
import { SigningBuffer } from '../../../actors/services/webhooks/signing-buffer.ts';
import { pause, systemClock } from '../../../runtime/clock.ts';
import { asError } from '../../../runtime/errors.ts';
import type { Json } from '../narrator.ts';
import { printable } from '../printable.ts';
import { Unreachable } from './api.ts';
import { type Command, misunderstood, type Options, type Shell, textOf } from './command.ts';
import { keepPosition, positionOf, positionsFile } from './position.ts';

const POLL_MS = 1_000;
const MIN_SECRET = 32;
const PATIENCE_MS = 10_000;
const RETRY_MS = [1_000, 2_000, 5_000, 10_000] as const;

export const LISTEN: readonly Command[] = [
  {
    name: 'listen',
    about:
      'Show events as they happen, until Ctrl-C. With --to, they are posted to your address, signed like webhooks. The gateway does not have to reach you: no tunnel and no restart. A new start continues after the last event that your address accepted.',
    options: {
      to: { type: 'string', value: 'URL', about: 'post each event there; repeated until it is answered with 2xx' },
      secret: {
        type: 'string',
        value: 'S',
        about: 'secret of the signatures (32 characters or more); default: the last one, or a new one, which is shown',
      },
      fresh: { type: 'boolean', about: 'with --to: begin now, not where it stopped' },
      events: { type: 'string', value: 'A,B', about: 'only these events' },
      count: { type: 'string', value: 'N', about: 'end after N events' },
    },
    run: listen,
  },
];

interface Wanted {
  readonly to: string | null;
  /** Null when no secret is given. */
  readonly secret: string | null;
  readonly isFresh: boolean;
  readonly events: ReadonlySet<string> | null;
  readonly count: number;
}

async function listen(shell: Shell, _names: readonly string[], options: Options) {
  const wanted = wantedIn(options);
  const place = await placeOf(shell, wanted);
  let { after } = place;
  shell.say(`Listening at ${shell.api.url}, ${place.isResumed ? 'where it stopped the last time' : 'from now on'} (Ctrl-C ends it).`);
  if (wanted.to !== null) shell.say(`Each event is posted to ${wanted.to}, signed with ${place.secret}`);
  for (let told = 0; told < wanted.count; ) {
    const { events, next } = await pulled(shell, after).catch((cause) => patient(shell, cause));
    for (const event of events.filter(({ id, type }: Json) => !place.done.has(id) && (wanted.events?.has(type) ?? true))) {
      await deliver(shell, event, wanted.to, place.secret);
      place.done.add(event['id']);
      place.keep(after);
      if (++told >= wanted.count) return null;
    }
    if (next !== null) {
      after = next;
      place.done.clear();
      if (events.length > 0) place.keep(next);
    }
    if (events.length === 0) await pause(systemClock, POLL_MS);
  }
  return null;
}

function wantedIn(options: Options): Wanted {
  const [to = null, events, count] = [textOf(options, 'to'), textOf(options, 'events'), textOf(options, 'count')];
  if (to !== null && !/^https?:\/\//.test(to)) throw misunderstood('--to takes an address such as http://127.0.0.1:3000/hook', 'listen');
  if (count !== undefined && !/^[1-9]\d{0,8}$/.test(count)) throw misunderstood('--count takes a number', 'listen');
  const secret = textOf(options, 'secret');
  if (secret !== undefined && secret.length < MIN_SECRET) throw misunderstood(`--secret takes ${MIN_SECRET} characters and more`, 'listen');
  return {
    to,
    secret: secret ?? null,
    isFresh: options['fresh'] === true,
    events: events === undefined ? null : new Set(events.split(',')),
    count: count === undefined ? Number.POSITIVE_INFINITY : Number(count),
  };
}

/** The position at which listening starts. */
interface Place {
  readonly after: string | null;
  readonly secret: string;
  readonly isResumed: boolean;
  /** Ids of events after `after` that were already delivered. */
  readonly done: Set<string>;
  /** Stores the progress. */
  keep(after: string | null): void;
}

/**
 * Returns the start position. Without a receiver, it is the end of the log. With one, it is the
 * last event that this receiver accepted for this business, with the same secret.
 */
async function placeOf(shell: Shell, { to, secret, isFresh }: Wanted): Promise<Place> {
  const fresh = (): string => randomBytes(24).toString('base64url');
  if (to === null) return { after: await latest(shell), done: new Set(), secret: secret ?? fresh(), isResumed: false, keep: () => {} };
  const file = positionsFile(process.env);
  const of = `${shell.api.url} ${(await shell.api.call('getMe', {})).tenant_id} ${to}`;
  const known = positionOf(file, of);
  const isResumed = known !== null && !isFresh;
  const own = secret ?? known?.secret ?? fresh();
  const done = new Set(isResumed ? known.done : []);
  const keep = (after: string | null): void => keepPosition(file, of, { after, done: [...done], secret: own });
  const after = isResumed ? known.after : await latest(shell);
  keep(after);
  return { after, done, secret: own, isResumed, keep };
}

/** Returns the current end of the log; earlier events are not shown. */
async function latest(shell: Shell): Promise<string | null> {
  for (let after: string | null = null; ; ) {
    const { events, next } = await pulled(shell, after);
    if (events.length === 0 || next === null) return after;
    after = next;
  }
}

async function pulled({ api }: Shell, after: string | null): Promise<Json> {
  return api.call('pullEvents', { query: { limit: 200, ...(after !== null && { after }) } });
}

/** Waits for a gateway that is temporarily unreachable: the log keeps events for at least a day. */
function patient(shell: Shell, cause: unknown): Json {
  if (!(cause instanceof Unreachable)) throw cause;
  shell.say('The gateway does not answer: waiting for it.');
  return { events: [], next: null };
}

async function deliver(shell: Shell, event: Json, to: string | null, secret: string): Promise<void> {
  if (to === null)
    return shell.tell(shell.isJson ? JSON.stringify(event) : `${event['type']}  ${printable(JSON.stringify(event['data']))}`);
  for (let tries = 0; ; tries += 1) {
    const outcome = await posted(event, to, secret);
    if (outcome.ok)
      return shell.tell(
        shell.isJson
          ? JSON.stringify({ id: event['id'], type: event['type'], status: outcome.said })
          : `${event['type']}  ${event['id']}  → ${outcome.said}`,
      );
    shell.say(`${event['type']}  ${event['id']}  → ${outcome.said}, tried again`);
    await pause(systemClock, RETRY_MS[Math.min(tries, RETRY_MS.length - 1)] ?? POLL_MS);
  }
}

async function posted(event: Json, to: string, secret: string): Promise<{ readonly ok: boolean; readonly said: string }> {
  const signingBuffer = new SigningBuffer(JSON.stringify(event));
  const flat = headersOf({ secret, eventId: event['id'], event: event['type'], signingBuffer, now: systemClock.now() });
  const headers = Object.fromEntries(flat.flatMap((name, nth) => (nth % 2 === 0 ? [[name, flat[nth + 1] ?? '']] : [])));
  try {
    const answer = await fetch(to, {
      method: 'POST',
      redirect: 'manual',
      headers,
      body: new Uint8Array(signingBuffer.body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    await answer.body?.cancel();
    return { ok: answer.ok, said: String(answer.status) };
  } catch (cause) {
    return { ok: false, said: asError(cause).name === 'TimeoutError' ? 'no answer' : 'not reached' };
  }
}
