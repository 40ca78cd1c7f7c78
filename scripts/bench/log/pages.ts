import { at } from '../../../runtime/invariant.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { openMongo } from '../../../store/engines/mongo/mongo.ts';
import { messagesIn } from '../../../store/messaging/messages.ts';
import type { Store } from '../../../store/port.ts';
import { askedOf } from './filters.ts';
import { BEGUN_AT, clockMs, DEVICE, EVERY_MS, TENANT } from './plant.ts';

const PAGE = 50;
const WARM_UPS = 20;
const TIMES = 60;

/** Arguments: `embedded|mongodb <path or URL> <count>`. Prints median times in µs. */
const [kind, place = '', count = '0'] = process.argv.slice(2);
const store: Store = kind === 'mongodb' ? await openMongo({ url: place }) : openEmbedded({ path: place });
const messages = messagesIn(store);
const figures: Record<string, number> = {};
for (const { key, filter, fromMiddle } of askedOf(Number(count))) {
  const before = fromMiddle ? BEGUN_AT + Math.trunc(Number(count) / 2) * EVERY_MS : null;
  const page = { limit: PAGE + 1, before, beforeId: null, now: BEGUN_AT + Number(count) * EVERY_MS };
  const ask = (): Promise<readonly unknown[]> => Array.fromAsync(messages.list(TENANT, DEVICE, filter, page));
  for (let times = 0; times < WARM_UPS; times += 1) await ask();
  const took: number[] = [];
  for (let times = 0; times < TIMES; times += 1) {
    const at = clockMs();
    await ask();
    took.push((clockMs() - at) * 1_000);
  }
  figures[key] = at(
    took.toSorted((a, b) => a - b),
    TIMES >> 1,
  );
}
await store.close();
console.log(JSON.stringify(figures));
