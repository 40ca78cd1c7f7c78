import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { present } from '../../../runtime/invariant.ts';
import { openMongo } from '../../../store/engines/mongo/mongo.ts';
import { startBenchNode } from '../bench-node.ts';
import { aDevice, anApiKey, aTenant } from '../planted.ts';
import { sendRequests } from './requests.ts';
import { report } from './serve.ts';

/**
 * Ours, whole: a node takes messages with an API key, checks them, counts them and stores them durably. Nothing drains the device. `mongodb`: in a
 * database of its own on the server of MONGODB_URL, which is dropped afterwards.
 */
const isOnMongo = process.argv[3] === 'mongodb';
const url = isOnMongo ? new URL(present(process.env['MONGODB_URL'], 'MONGODB_URL')) : null;
if (url) url.pathname = `/bench_${randomBytes(4).toString('hex')}`;
const { node, store } = await startBenchNode({}, url ? await openMongo({ url: url.href }) : undefined);
const tenant = await aTenant(store);
const key = await anApiKey(store, tenant._id);
const device = await aDevice(store, tenant._id);
const target = {
  port: Number(new URL(node.url).port),
  requests: sendRequests(`/v1/sessions/${device._id}/messages`, { Authorization: `Bearer ${key}` }),
  status: 202,
};
await report(target, isOnMongo ? { warmUp: 5_000, answers: 10_000 } : undefined, async () => {
  if (url) await (await MongoClient.connect(url.href)).db().dropDatabase();
});
