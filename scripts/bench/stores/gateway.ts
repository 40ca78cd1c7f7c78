import { systemClock } from '../../../runtime/clock.ts';
import { startBenchNode } from '../bench-node.ts';
import { report } from '../http/serve.ts';
import { connectStores } from './connected-stores.ts';
import { FULL, hookRequests, ORDERS } from './hooks.ts';
import { upTo } from './unread.ts';

const [size = 'full', how = 'orders'] = process.argv.slice(2);
const isQuick = size === 'quick';
/** Stores over which the webhooks are spread, so that each stays below 300 webhooks a minute. */
const stores = isQuick ? 20 : 300;

const bench = how === 'receipt' || how === 'decision' ? await startBenchNode(...upTo(how)) : await startBenchNode();
const paths = await connectStores(bench, stores);
const orders = how === 'repetitions' ? stores : ORDERS[isQuick ? 'quick' : 'full'];
const requests = hookRequests(paths, orders, systemClock.now());
await report({ port: Number(new URL(bench.node.url).port), requests, status: 200 }, FULL);
