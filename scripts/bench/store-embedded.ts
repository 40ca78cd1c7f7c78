import { openEmbedded } from '../../store/engines/embedded/embedded.ts';
import { type BenchRow, benchSpec, measure } from './store-load.ts';

await measure((path) => {
  const store = openEmbedded({ path });
  const rows = store.collection<BenchRow>(benchSpec);
  return {
    insert: async (row) => void (await rows.insertOne(row)),
    find: (_id) => rows.findOne({ _id }),
    claim: async (_id, epoch) => {
      const update = { $set: { status: 'sending', claimedAt: epoch }, $inc: { attempts: 1 } };
      return (await rows.updateOne({ _id, status: 'queued', epoch: { $lte: epoch } }, update)).matchedCount === 1;
    },
    settle() {},
    close: () => store.close(),
  };
});
