import { systemClock } from '../../../runtime/clock.ts';
import { aBusiness, percentile } from './business.ts';
import { paintedAt } from './painted.ts';

const CUSTOMER = '6281211110001';

const count = Number(process.argv[2]);
const business = await aBusiness();
await business.write(CUSTOMER, 'Hello');
await business.openChat();
const took: number[] = [];
for (let nth = 0; nth < count; nth += 1) {
  const text = `bench message no. ${nth}.`;
  const painted = paintedAt(business.page, text);
  const wrote = systemClock.now();
  await business.write(CUSTOMER, text);
  took.push((await painted) - wrote);
}
await business.end();
console.log(JSON.stringify({ paintedP50: percentile(took, 0.5), paintedP99: percentile(took, 0.99) }));
