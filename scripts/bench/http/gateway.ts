import { startBenchNode } from '../bench-node.ts';
import { aDevice, anApiKey, aTenant } from '../planted.ts';
import { sendRequests } from './requests.ts';
import { report } from './serve.ts';

/** Ours, whole: a node takes messages with an API key, checks them, counts them and stores them durably. Nothing drains the device. */
const { node, store } = await startBenchNode();
const tenant = await aTenant(store);
const key = await anApiKey(store, tenant._id);
const device = await aDevice(store, tenant._id);
await report({
  port: Number(new URL(node.url).port),
  requests: sendRequests(`/v1/sessions/${device._id}/messages`, { Authorization: `Bearer ${key}` }),
  status: 202,
});
