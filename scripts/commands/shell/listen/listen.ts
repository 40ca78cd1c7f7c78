import { randomBytes } from 'node:crypto';
import { pause, systemClock } from '../../../../runtime/clock.ts';
import { isOneOf } from '../../../../runtime/shapes.ts';
import { Failure } from '../../cluster/operator.ts';
import { printable } from '../../printable.ts';
import { Unreachable } from '../api.ts';
import { type Command, misunderstood, type Options, type Shell, textOf } from '../command.ts';
import { type Address, addressIn, expectCertificates } from './address.ts';
import { deliverAll, POLL_MS, type Pulled } from './delivery.ts';
import { Link } from './link.ts';
import { openPosition, positionFile } from './position.ts';
import type { Format } from './sink.ts';

const MOST_PULLED = 200;
const MIN_SECRET = 32;
const FORMATS = ['webhook', 'cloudevents'] as const;

export const LISTEN: readonly Command[] = [
  {
    name: 'listen',
    about:
      'Show events as they happen, until Ctrl-C. With --to, they go to your address, signed like webhooks, or to a message broker (docs/brokers.md). The gateway does not have to reach you, so you need no tunnel. When you start it again, it continues after the last event that your address accepted.',
    options: {
      to: {
        type: 'string',
        value: 'URL',
        about: 'deliver each event there until it is accepted: http(s), amqp(s), redis(s), nats(s), mqtt(s), kafka(s)',
      },
      format: { type: 'string', value: 'F', about: `with --to: ${FORMATS.join(' or ')} (CloudEvents 1.0)` },
      state: {
        type: 'string',
        value: 'FILE',
        about: 'with --to: the file that stores the position of the last event; default: a file in your state folder',
      },
      secret: {
        type: 'string',
        value: 'S',
        about: 'secret for the signatures (32 characters or more); default: the last one, or a new one that is shown',
      },
      fresh: { type: 'boolean', about: 'with --to: start from now, not where it stopped' },
      events: { type: 'string', value: 'A,B', about: 'only these events' },
      reader: {
        type: 'string',
        value: 'NAME',
        about:
          'with --events: record these events under this name, even if nothing else subscribes to them (a named reader of the pull log)',
      },
      count: { type: 'string', value: 'N', about: 'stop after N events' },
    },
    run: listen,
  },
];

interface Wanted {
  readonly to: Address | null;
  readonly format: Format;
  readonly state: string | null;
  readonly secret: string | null;
  readonly isFresh: boolean;
  readonly events: ReadonlySet<string> | null;
  readonly reader: string | null;
  readonly count: number;
}

async function listen(shell: Shell, _names: readonly string[], options: Options) {
  const wanted = wantedIn(options);
  await (wanted.to === null ? show(shell, wanted) : forward(shell, wanted, wanted.to));
  return null;
}

function wantedIn(options: Options): Wanted {
  const [to, events, count] = [textOf(options, 'to'), textOf(options, 'events'), textOf(options, 'count')];
  if (count !== undefined && !/^[1-9]\d{0,8}$/.test(count)) throw misunderstood('--count must be a whole number above 0', 'listen');
  const secret = textOf(options, 'secret');
  if (secret !== undefined && secret.length < MIN_SECRET)
    throw misunderstood(`--secret must have at least ${MIN_SECRET} characters`, 'listen');
  const format = textOf(options, 'format') ?? 'webhook';
  if (!isOneOf<Format>(FORMATS, format)) throw misunderstood(`--format must be ${FORMATS.join(' or ')}`, 'listen');
  const reader = textOf(options, 'reader') ?? null;
  if (to !== undefined) expectCertificates(process.env);
  if (reader !== null && events === undefined) throw misunderstood('--reader needs --events', 'listen');
  return {
    to: to === undefined ? null : addressIn(to, process.env['GATEWAY_SINK_PASSWORD']),
    format,
    state: textOf(options, 'state') ?? null,
    secret: secret ?? null,
    isFresh: options['fresh'] === true,
    events: events === undefined ? null : new Set(events.split(',')),
    reader,
    count: count === undefined ? Number.POSITIVE_INFINITY : Number(count),
  };
}

async function show(shell: Shell, wanted: Wanted): Promise<void> {
  let after = await endOfLog(shell, wanted);
  shell.say(`Listening at ${shell.api.url}, from now on (Ctrl-C to stop).`);
  for (let left = wanted.count; left > 0; ) {
    const page = await pulled(shell, wanted, after, left);
    for (const event of page.events)
      shell.tell(shell.isJson ? JSON.stringify(event) : `${event.type}  ${printable(JSON.stringify(event.data))}`);
    left -= page.events.length;
    after = page.next ?? after;
    if (left > 0 && !page.isFull) await pause(systemClock, POLL_MS);
  }
}

/** The lock on the position file allows only one listener. */
async function forward(shell: Shell, wanted: Wanted, to: Address): Promise<void> {
  const { tenant_id, scopes } = await shell.api.call('getMe', {});
  if (scopes?.includes('manage'))
    throw new Failure('This API key can also manage the business. To listen, create a key with only the scope read.');
  const of = `${shell.api.url} ${tenant_id} ${to.shown}`;
  const file = openPosition(wanted.state ?? positionFile(process.env, of), of, wanted.isFresh);
  const secret = wanted.secret ?? file.stored?.secret ?? randomBytes(24).toString('base64url');
  const link = new Link(to, { tenantId: tenant_id, secret });
  try {
    const after = file.stored ? file.stored.after : await endOfLog(shell, wanted);
    file.store({ after, done: file.stored?.done ?? [], secret });
    shell.say(`Listening at ${shell.api.url}, ${file.stored ? 'from where it stopped last time' : 'from now on'} (Ctrl-C to stop).`);
    shell.say(to.kind === 'http' ? `Each event is posted to ${to.shown}, signed with ${secret}` : `Each event goes to ${to.shown}`);
    await deliverAll({
      shell,
      link,
      start: { after, done: file.stored?.done ?? [], isFresh: wanted.isFresh },
      format: wanted.format,
      count: wanted.count,
      shown: to.shown,
      pull: (from, most) => pulled(shell, wanted, from, most),
      store: (position) => file.store({ ...position, secret }),
    });
  } finally {
    await link.close();
    file.close();
  }
}

async function endOfLog(shell: Shell, wanted: Wanted): Promise<string | null> {
  for (let after: string | null = null; ; ) {
    const { next, isFull } = await pulled(shell, wanted, after, MOST_PULLED);
    after = next ?? after;
    if (!isFull) return after;
  }
}

/** Retries while the gateway is unreachable, because the log keeps events for at least a day. */
async function pulled({ api, say }: Shell, { events: names, reader }: Wanted, after: string | null, most: number): Promise<Pulled> {
  const limit = Math.min(most, MOST_PULLED);
  const query = { limit, ...(after !== null && { after }), ...(reader !== null && { reader, events: [...(names ?? [])].join() }) };
  for (;;) {
    try {
      const { events, next, gap } = await api.call('pullEvents', { query });
      if (gap) say('This listener was stopped for too long, so events may be missing. Compare with GET …/messages?since=.');
      return { events: events.filter(({ type }) => names?.has(type) ?? true), next, isFull: events.length === limit };
    } catch (cause) {
      if (!(cause instanceof Unreachable)) throw cause;
      say(`The gateway is not responding. Retrying. ${cause.message}`);
      await pause(systemClock, POLL_MS);
    }
  }
}
