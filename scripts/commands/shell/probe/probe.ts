import { pause, systemClock } from '../../../../runtime/clock.ts';
import { Failure } from '../../cluster/operator.ts';
import { table } from '../../cluster/table.ts';
import { type Command, misunderstood, type Options, type Shell, textOf } from '../command.ts';
import { answersTo, questions } from './questions.ts';

const PACE_S = 15;
const PATIENCE_MS = 120_000;

export const PROBE: readonly Command[] = [
  {
    name: 'probe',
    takes: '<device> <A> <B>',
    about:
      'Run slow tests that need a real account, and print a report that contains no numbers, message texts or ids. Two people must agree to help: A has written to the device before, B never has. Each receives one message; A is asked to write, edit and react.',
    least: 3,
    options: {
      agreed: { type: 'boolean', about: 'confirm that both people know about this and agreed; required' },
      pace: { type: 'string', value: 'S', about: `seconds between two questions (default ${PACE_S})` },
      'old-file': {
        type: 'string',
        value: 'ID',
        about: 'a message with a file older than three weeks, to see whether the phone sends it again',
      },
    },
    run: probe,
  },
];

async function probe(shell: Shell, [sessionId = '', ...numbers]: readonly string[], options: Options) {
  const [A = '', B = ''] = numbers.map((number) => number.replaceAll(/\D/g, ''));
  if (A.length < 5 || B.length < 5 || A === B) throw misunderstood('"probe" needs two different numbers with their country codes', 'probe');
  if (options['agreed'] !== true) throw misunderstood('Ask both people first, then confirm with --agreed', 'probe');
  const pace = Number(textOf(options, 'pace') ?? PACE_S);
  if (!Number.isFinite(pace) || pace < 0) throw misunderstood('--pace must be a number of seconds', 'probe');
  const device = await shell.api.call('getSession', { params: { sessionId } });
  if (device.status !== 'connected') throw new Failure('The device is not connected. Run `gateway devices` to see why.');
  const answers = await answersTo(
    questions(),
    {
      ...{ api: shell.api, sessionId, people: { A, B }, admin: process.env['ADMIN_SECRET'] || null },
      ...{ oldFile: textOf(options, 'old-file') ?? null, patienceMs: PATIENCE_MS },
      wait: (ms) => pause(systemClock, ms),
      now: () => systemClock.now(),
      say: shell.say,
    },
    pace * 1_000,
  );
  const rows = answers.map(({ question, answer }) => [question, answer]);
  return { json: { answers }, text: `\n${table([{ title: 'QUESTION' }, { title: 'ANSWER' }], rows)}` };
}
