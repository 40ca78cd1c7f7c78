import { openEmbedded } from '../../store/engines/embedded/embedded.ts';
import { openMongo } from '../../store/engines/mongo/mongo.ts';
import { type Note, noteSpec } from './notes.ts';

/**
 * A process to kill: writes notes endlessly, inserting each and then marking it done, and prints the id of each
 * acknowledged one.
 */
const [kind, where = '', round = ''] = process.argv.slice(2);
const store = kind === 'mongodb' ? await openMongo({ url: where }) : openEmbedded({ path: where });
const notes = store.collection<Note>(noteSpec);
await store.prepare();

async function writeOn(writer: number): Promise<never> {
  for (let i = 0; ; i++) {
    const _id = `${round}-${writer}-${i}`;
    await notes.insertOne({ _id, owner: `w${writer}`, status: 'waiting', rank: i });
    await notes.updateOne({ _id, status: 'waiting' }, { $set: { status: 'done' } });
    process.stdout.write(`${_id}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, (_, writer) => writeOn(writer)));
