import { startBenchNode } from '../bench-node.ts';
import { aDevice, anApiKey, aTenant } from '../planted.ts';
import { openScratchMongo } from '../scratch-mongo.ts';
import { sendRequests } from './requests.ts';
import { report } from './serve.ts';

/** The device never sends the accepted messages. The argument `mongodb` requires MONGODB_URL. */
const mongo = process.argv[3] === 'mongodb' ? await openScratchMongo() : null;
const { node, store } = await startBenchNode({}, mongo?.store);
const tenant = await aTenant(store);
const key = await anApiKey(store, tenant._id);
const device = await aDevice(store, tenant._id);
const target = {
  port: Number(new URL(node.url).port),
  requests: sendRequests(`/v1/sessions/${device._id}/messages`, { Authorization: `Bearer ${key}` }),
  status: 202,
};
await report(
  target,
  // After only 5,000 responses, much code is not yet compiled, and a send costs a third more.
  mongo ? { warmUp: 30_000, answers: 10_000 } : undefined,
  async (answers) => {
    const commands = mongo ? mongo.asked().commands / answers : 0;
    await mongo?.drop();
    return { commands };
  },
  () => mongo?.count(),
);
