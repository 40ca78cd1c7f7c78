import { systemClock } from '../../runtime/clock.ts';
import { seededRandom } from '../../runtime/random.ts';
import { until } from '../faults/processes.ts';
import { type KillPlan, killAll } from './campaign-kills.ts';
import { begin, type Campaign, hasEnded, look, phoneOf } from './campaign-over-nodes.ts';
import { wholeJournal } from './evidence.ts';
import { World, type WorldOptions } from './world.ts';

export interface CampaignRunOptions extends WorldOptions, Omit<KillPlan, 'random'> {
  readonly seed: number;
  readonly recipients: number;
}

export interface CampaignVerdict {
  readonly recipients: number;
  readonly kills: number;
  /**
   * Number of kills at a moment when the network had a message that the store had not yet recorded
   * as sent.
   */
  readonly inMidAir: number;
  readonly lost: number;
  readonly doubled: number;
  /** Difference between the campaign's own counts and the messages that the network received. */
  readonly miscounted: number;
  readonly endedAfterMs: number | null;
}

const ENDS_WITHIN_MS = 1_200_000;

export async function campaignRun(options: CampaignRunOptions): Promise<CampaignVerdict> {
  const world = await World.open(options);
  try {
    const startedAt = systemClock.monotonic();
    const campaign = await begin(world, options.recipients);
    const { kills, inMidAir } = await killAll(world, campaign, { ...options, random: seededRandom(options.seed) });
    const ended = await until(ENDS_WITHIN_MS, async () => hasEnded(await look(world, campaign)));
    const endedAfterMs = ended ? systemClock.monotonic() - startedAt : null;
    return { recipients: options.recipients, kills, inMidAir, ...(await judge(world, campaign, options.recipients)), endedAfterMs };
  } finally {
    await world.close();
  }
}

async function judge(
  world: World,
  campaign: Campaign,
  recipients: number,
): Promise<Pick<CampaignVerdict, 'lost' | 'doubled' | 'miscounted'>> {
  const row = await look(world, campaign);
  const reached = new Map<string, number>();
  for (const { what, to } of await wholeJournal(world)) if (what === 'accepted' && to) reached.set(to, (reached.get(to) ?? 0) + 1);
  const times = Array.from({ length: recipients }, (_, nth) => reached.get(`${phoneOf(nth)}@s.whatsapp.net`) ?? 0);
  const lost = times.filter((count) => count === 0).length;
  const doubled = times.filter((count) => count > 1).length;
  const miscounted = Math.abs(row.sent_count - (recipients - lost)) + Math.abs(row.total_recipients - recipients);
  return { lost, doubled, miscounted };
}
