import { systemClock } from '../../runtime/clock.ts';
import { MOMENTS, type Moment } from './campaign-kills.ts';
import { type CampaignVerdict, campaignRun } from './campaign-run.ts';
import type { Guard } from './guards.ts';

const WITHOUT: readonly { readonly guard: Guard; readonly about: string; readonly moment: Moment }[] = [
  { guard: 'fresh-ids', about: 'the same network id on every attempt', moment: 'in-mid-air' },
  { guard: 'careless-withdrawal', about: 'a pause withdraws only messages that no device has claimed', moment: 'paused-in-mid-air' },
];
const EVERY_MS = 4_000;
const FEWEST = 200;

/**
 * Options: `--recipients 20000 --kills 50 --seed N`. Runs with a guard disabled must show
 * duplicates.
 */
async function main(argv: readonly string[]): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const mongodbUrl = process.env['MONGODB_URL'];
  if (!mongodbUrl) throw new Error('MONGODB_URL must name a server: the nodes of a cluster share one.');
  const number = (name: string, otherwise: number): number => (argv.includes(name) ? Number(argv[argv.indexOf(name) + 1]) : otherwise);
  const seed = number('--seed', systemClock.now() % 1_000_000);
  const [recipients, kills] = [number('--recipients', 20_000), number('--kills', 50)];
  say(`--seed ${seed} --recipients ${recipients} --kills ${kills}`);
  const run = { mongodbUrl, seed, everyMs: EVERY_MS, onKill: tell };
  const kept = await campaignRun({ ...run, recipients, kills, guard: 'on', moments: MOMENTS });
  say(tableOf('as it is', kept));
  let isMissed = true;
  for (const { guard, about, moment } of WITHOUT) {
    const fewer = { recipients: Math.max(FEWEST, Math.ceil(recipients / 20)), kills: Math.ceil(kills / 10) };
    const bare = await campaignRun({ ...run, ...fewer, guard, moments: [moment] });
    say(tableOf(`without: ${about}`, bare));
    isMissed &&= bare.doubled > 0;
  }
  const isKept = kept.lost + kept.doubled + kept.miscounted === 0 && kept.endedAfterMs !== null && kept.kills === kills;
  process.exit(isKept && isMissed ? 0 : 1);
}

function tableOf(name: string, { recipients, kills, inMidAir, lost, doubled, miscounted, endedAfterMs }: CampaignVerdict): string {
  const ended = endedAfterMs === null ? 'the campaign never ended' : `ended after ${Math.round(endedAfterMs / 1_000)} s`;
  const killed = `${kills} kills while it ran, ${inMidAir} of them with a message in mid-air`;
  return `${name}: ${recipients} recipients, ${killed}: lost ${lost}, doubled ${doubled}, miscounted ${miscounted}; ${ended}`;
}

function tell(nth: number, node: string, moment: Moment, sent: number): void {
  process.stderr.write(`kill ${nth}: ${node}, ${moment}, at ${sent} sent\n`);
}

const say = (text: string): void => void process.stdout.write(`${text}\n\n`);

await main(process.argv.slice(2)).catch((cause: unknown) => {
  process.stderr.write(`${cause instanceof Error ? (cause.stack ?? cause.message) : cause}\n`);
  process.exit(1);
});
