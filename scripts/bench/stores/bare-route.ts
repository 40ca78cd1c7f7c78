import { join } from 'node:path';
import { systemClock } from '../../../runtime/clock.ts';
import { newId } from '../../../runtime/ids.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { type StoreHookRow, storeHooksSpec } from '../../../store/store-links/hooks.ts';
import { report } from '../http/serve.ts';
import { scratchDirectory } from '../scratch.ts';
import { BARE_PATH, startBareServer } from './bare-server.ts';
import { FULL, hookRequests, ORDERS } from './hooks.ts';

/** `row` inserts one durable row per webhook: the least work for a server that stores and responds. */
const [size = 'full', how = 'nothing'] = process.argv.slice(2);

async function keepingRows(): Promise<() => Promise<unknown>> {
  const store = openEmbedded({ path: join(scratchDirectory(), 'rows.db') });
  const rows = store.collection<StoreHookRow>(storeHooksSpec);
  await store.prepare();
  const links = Array.from({ length: 300 }, () => newId(systemClock.now()));
  const tenant_id = newId(systemClock.now());
  let no = 0;
  return () => {
    no += 1;
    const now = systemClock.now();
    const link_id = links[no % links.length] ?? '';
    const of = { _id: `${link_id}.${no}`, tenant_id, link_id, no, topic: 'orders/create', body: null, shop_domain: 'toko.myshopify.com' };
    const result = { pending: false, ref: `#${no}`, outcome: 'sent', detail: null };
    return rows.insertOne({ ...of, ...result, created_at: now, expires_at: now + 30 * 86_400_000 });
  };
}

const { port } = await startBareServer(how === 'row' ? await keepingRows() : undefined);
const requests = hookRequests([BARE_PATH], ORDERS[size === 'quick' ? 'quick' : 'full'], systemClock.now());
await report({ port, requests, status: 200 }, FULL);
