import { seededChance } from '../../../../runtime/chance.ts';
import { bareKillRun } from './bare-run.ts';
import { POINTS, type Point } from './failpoint.ts';
import { killRun } from './run.ts';

/** `KILLS=20 [SIDE=bare] [POINTS=…] [SEED=…] [MONGODB_URL=…] node test/network/whatsapp/kill/main.ts`: prints the verdict on each point; of the library alone, which has no store. */
const kills = Number(process.env['KILLS'] ?? 3);
const seed = Number(process.env['SEED'] ?? 1);
const isBare = process.env['SIDE'] === 'bare';
const points =
  (process.env['POINTS']?.split(',') as Point[] | undefined) ?? (isBare ? POINTS.filter((point) => !point.endsWith('-store')) : POINTS);

for (const point of points) {
  const onKill = (): void => void process.stderr.write('.');
  const verdict = await (isBare ? bareKillRun : killRun)({
    points: [point],
    kills,
    chance: seededChance(seed),
    mongodbUrl: process.env['MONGODB_URL'] ?? null,
    onKill,
  });
  console.log(point, JSON.stringify(verdict));
}
process.exit(0);
