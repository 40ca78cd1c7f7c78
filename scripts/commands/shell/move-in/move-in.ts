import type { Operations } from '../../../../http/openapi/client/gateway.generated.ts';
import { pause, systemClock } from '../../../../runtime/clock.ts';
import { isOneOf } from '../../../../runtime/shapes.ts';
import { Failure } from '../../cluster/operator.ts';
import { type Command, misunderstood, type Options, type Shell, textOf } from '../command.ts';
import { evolutionSource } from './evolution-dump.ts';
import { folderSource } from './folder.ts';
import { redisSource } from './redis-source.ts';
import { bundleOf, digestOf, isRedis, type Source, type SourceRecord } from './source.ts';
import { whatsmeowSource } from './whatsmeow.ts';

const PROGRAMS = ['baileys', 'evolution', 'waha', 'fazer', 'whatsmeow'] as const;
type Program = (typeof PROGRAMS)[number];
const NDJSON = { 'content-type': 'application/x-ndjson' };
/** Pause between two reads. If both reads are equal, no program is still using the login. */
const BETWEEN_READS_MS = 10_000;
const LOOK_MS = 2_000;
const PATIENCE_MS = 15 * 60_000;

export const MOVE_IN: readonly Command[] = [
  {
    name: 'move-in',
    takes: '<source…>',
    about:
      'Move the login of another program to the gateway, without a new scan. Stop that program first, and do not log it out (docs/moving-in.md).',
    options: {
      from: { type: 'string', value: 'P', about: `the program: ${PROGRAMS.join(', ')}` },
      instance: { type: 'string', value: 'N', about: 'the instance to move (Evolution, fazer, and a file with several whatsmeow logins)' },
      session: { type: 'string', value: 'ID', about: 'the device that receives the login; default: an unlinked one, or a new one' },
      check: { type: 'boolean', about: 'only check the login, without moving it' },
    },
    least: 1,
    most: 4,
    run: moveIn,
  },
];

async function moveIn(shell: Shell, sources: readonly string[], options: Options) {
  const source = sourceOf(sources, options);
  try {
    const first = await source.read();
    const sessionId = textOf(options, 'session') ?? (await freeDevice(shell));
    const bundle = bundleOf(source, await readAgain(shell, source, first));
    return options['check'] === true ? await check(shell, bundle, sessionId) : await move(shell, source, bundle, sessionId);
  } finally {
    await source.close();
  }
}

function sourceOf(sources: readonly string[], options: Options): Source {
  const from = textOf(options, 'from');
  if (!isOneOf<Program>(PROGRAMS, from)) throw misunderstood(`--from must be one of ${PROGRAMS.join(', ')}`);
  const [first = '', ...others] = sources;
  if (from === 'baileys' || from === 'waha') {
    if (others.length > 0) throw misunderstood('Specify one folder');
    return folderSource(first, from === 'waha' ? 'waha_noweb' : 'baileys');
  }
  const instance = textOf(options, 'instance');
  if (from === 'whatsmeow') {
    if (others.length > 0) throw misunderstood('Specify one file');
    return whatsmeowSource(first, instance);
  }
  if (instance === undefined) throw misunderstood('Choose the instance to move with --instance');
  if (isRedis(first) && others.length === 0) return redisSource(first, from, instance);
  if (from === 'fazer') throw misunderstood('Specify the address of Redis, redis://…');
  return evolutionSource(sources, instance);
}

async function readAgain(shell: Shell, source: Source, first: readonly SourceRecord[]): Promise<readonly SourceRecord[]> {
  shell.say('Reading the source again in 10 seconds, to check whether the old program is still running …');
  await pause(systemClock, BETWEEN_READS_MS);
  const second = await source.read();
  if (digestOf(first) !== digestOf(second))
    throw new Failure('The source changed within 10 seconds, so the old program is still running. Stop it permanently, then try again.');
  return second;
}

type Checked = Operations['checkMoveIn']['answer'];
type Move = Operations['getMoveIn']['answer'];

async function check(shell: Shell, bundle: string, sessionId: string) {
  const judged: Checked = await shell.api.call('checkMoveIn', { params: { sessionId }, body: bundle }, NDJSON);
  const warnings = judged.warnings.map(({ message }) => `  ${message}.`);
  return {
    json: judged,
    text: [`The login of ${judged.phone} can be moved to the device ${sessionId}: ${countsIn(judged)}.`, ...warnings].join('\n'),
  };
}

async function freeDevice({ api }: Shell): Promise<string> {
  const { sessions } = await api.call('listSessions', {});
  const free = sessions.find(({ status, driver, phone_number }) => status === 'pending' && driver === 'linked' && phone_number === null);
  return free?.id ?? (await api.call('createSession', { body: {} })).id;
}

async function move(shell: Shell, source: Source, bundle: string, sessionId: string) {
  const { id } = await shell.api.call('moveIn', { params: { sessionId }, body: bundle }, NDJSON);
  const ended = await untilEnded(shell, sessionId, id);
  if (ended.error)
    throw new Failure(`${ended.error.error} (${ended.error.code}). To move again to this device, add --session ${sessionId}.`);
  const retired = await source.retire(new Date(systemClock.now()).toISOString().slice(0, 10)).catch(() => {
    return 'The old data could not be disabled. Remove it yourself before the old program starts again.';
  });
  return {
    json: { session_id: sessionId, id, ...ended },
    text: `Moved: the device ${sessionId} is online with ${countsIn(ended)}.\n${retired}`,
  };
}

async function untilEnded(shell: Shell, sessionId: string, id: string): Promise<Move> {
  let said = '';
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_MS) {
    const now = await shell.api.call('getMoveIn', { params: { sessionId, id } });
    if (now.status === 'done' || now.status === 'failed') return now;
    if (now.status !== said) shell.say(SAYS[now.status]);
    said = now.status;
    await pause(systemClock, LOOK_MS);
  }
  throw new Failure(`The move is still ${said}. Check it with GET /v1/sessions/${sessionId}/move-in/${id}.`);
}

const SAYS = {
  checking: 'The gateway is reading the login …',
  dialling: 'The gateway is logging in …',
  watching: 'The device is online. For five minutes the gateway watches for the old program …',
} as const;

function countsIn({ accepted, dropped }: Pick<Move, 'accepted' | 'dropped'>): string {
  const counts = Object.entries(accepted).map(([kind, number]) => `${number} ${kind}`);
  return `${counts.join(', ')}; ${dropped.length} dropped`;
}
