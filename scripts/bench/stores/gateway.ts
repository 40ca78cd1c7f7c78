import { systemClock } from '../../../runtime/clock.ts';
import { startBenchNode } from '../bench-node.ts';
import { report } from '../http/serve.ts';
import { connectStores } from './connected-stores.ts';
import { hookRequests } from './hooks.ts';
import { unread } from './unread.ts';

/** So many that none passes its 300 webhooks a minute. */
const STORES = process.argv[2] === 'quick' ? 20 : 300;

/** Ours, whole: webhooks are checked, sealed, stored durably and answered with what became of them; their messages wait for a device. */
const bench = process.argv[3] === 'answers' ? await startBenchNode(...unread()) : await startBenchNode();
const paths = await connectStores(bench, STORES);
await report({ port: Number(new URL(bench.node.url).port), requests: hookRequests(paths, 1_200, systemClock.now()), status: 200 });
