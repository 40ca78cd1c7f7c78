import { systemClock } from '../../runtime/clock.ts';
import { type BlastVerdict, blastRun } from './blast-run.ts';

/**
 * `npm run chaos:blast`: a campaign to `--recipients` people (20,000) over three nodes, of which one is killed every few seconds, `--kills` (50)
 * times; then a shorter one under fresh network ids, which has to show doubles. `--seed N`; `MONGODB_URL` names the server. Exits 1 when
 * somebody was left out or written to twice, or when the guard was not missed.
 */
async function main(argv: readonly string[]): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const mongodbUrl = process.env['MONGODB_URL'];
  if (!mongodbUrl) throw new Error('MONGODB_URL must name a server: the nodes of a cluster share one.');
  const number = (name: string, otherwise: number): number => (argv.includes(name) ? Number(argv[argv.indexOf(name) + 1]) : otherwise);
  const seed = number('--seed', systemClock.now() % 1_000_000);
  const run = { mongodbUrl, seed, recipients: number('--recipients', 20_000), kills: number('--kills', 50), everyMs: 4_000 };
  say(`--seed ${seed} --recipients ${run.recipients} --kills ${run.kills}`);
  const kept = await blastRun({
    ...run,
    guard: 'on',
    onKill: (nth, node, sent) => process.stderr.write(`kill ${nth}: ${node} at ${sent} sent\n`),
  });
  say(tableOf('as it is', kept));
  const bare = await blastRun({ ...run, recipients: Math.ceil(run.recipients / 5), kills: Math.ceil(run.kills / 5), guard: 'fresh-ids' });
  say(tableOf('without: the same network id on every try', bare));
  const isKept = kept.lost + kept.doubled + kept.miscounted === 0 && kept.endedAfterMs !== null && kept.kills === run.kills;
  process.exit(isKept && bare.doubled > 0 ? 0 : 1);
}

function tableOf(name: string, { recipients, kills, lost, doubled, miscounted, endedAfterMs }: BlastVerdict): string {
  const ended = endedAfterMs === null ? 'it never ended' : `ended after ${Math.round(endedAfterMs / 1_000)} s`;
  return `${name}: ${recipients} recipients, ${kills} kills while it ran: lost ${lost}, doubled ${doubled}, miscounted ${miscounted}; ${ended}`;
}

const say = (text: string): void => void process.stdout.write(`${text}\n\n`);

await main(process.argv.slice(2)).catch((cause: unknown) => {
  process.stderr.write(`${cause instanceof Error ? (cause.stack ?? cause.message) : cause}\n`);
  process.exit(1);
});
