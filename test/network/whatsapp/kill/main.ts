import { seededChance } from '../../../../runtime/chance.ts';
import { POINTS, type Point } from './failpoint.ts';
import { killRun } from './run.ts';

/** `KILLS=20 [POINTS=…] [SEED=…] [MONGODB_URL=…] node test/network/whatsapp/kill/main.ts`: prints the verdict on each point. */
const kills = Number(process.env['KILLS'] ?? 3);
const seed = Number(process.env['SEED'] ?? 1);
const points = (process.env['POINTS']?.split(',') as Point[] | undefined) ?? POINTS;

for (const point of points) {
  const onKill = (): void => void process.stderr.write('.');
  const verdict = await killRun({
    points: [point],
    kills,
    chance: seededChance(seed),
    mongodbUrl: process.env['MONGODB_URL'] ?? null,
    onKill,
  });
  console.log(point, JSON.stringify(verdict));
}
process.exit(0);
