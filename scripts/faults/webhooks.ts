import { systemClock } from '../../runtime/clock.ts';
import { runWebhooks, type WebhookVerdict } from './webhook-run.ts';

/** `EVENTS` and `KILLS` shorten a run, and `SEED` repeats one. Drops the database in `MONGODB_URL`. */
async function main(): Promise<void> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const { env } = process;
  const seed = Number(env['SEED'] ?? systemClock.now() % 1_000_000);
  const events = Number(env['EVENTS'] ?? 20_000);
  const kills = Number(env['KILLS'] ?? 10);
  const mongodbUrl = env['MONGODB_URL'] ?? null;
  const whole = await runWebhooks({ events, kills, seed, forgetful: false, mongodbUrl });
  show(`as it is (SEED=${seed})`, whole);
  const forgetful = await runWebhooks({ events: Math.min(events, 500), kills: 2, seed, forgetful: true, mongodbUrl });
  show('deliveries kept only in memory: there must be losses, otherwise the run proves nothing', forgetful);
  const isPassed = whole.lost + whole.renamed + whole.badlySigned === 0 && forgetful.lost > 0;
  process.stdout.write(`\n${isPassed ? 'passed' : 'FAILED'}\n`);
  process.exit(isPassed ? 0 : 1);
}

function show(title: string, { moods, ...figures }: WebhookVerdict): void {
  process.stdout.write(`\n${title}\n`);
  for (const [name, figure] of Object.entries(figures)) process.stdout.write(`  ${name.padEnd(12)} ${figure}\n`);
  process.stdout.write(`  receiver     ${[...moods].map(([mood, times]) => `${mood} ${times}`).join(', ')}\n`);
}

await main();
