import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openMongo } from '../../../../store/engines/mongo/mongo.ts';
import { type Note, noteSpec } from '../../../support/notes.ts';
import { aDatabase } from '../../../support/stores.ts';

const isThere = Boolean(process.env['MONGODB_URL']);

describe("MongoDB's read and write concerns", { skip: !isThere && 'MONGODB_URL is not set' }, () => {
  for (const options of ['journal=false', 'w=1&wtimeoutMS=5', 'readConcernLevel=available', 'readPreference=secondaryPreferred'])
    it(`are not changed by the URL options ${options}`, async (t) => {
      const concerns = new Set<string>();
      const store = await openMongo({
        url: `${aDatabase(t)}?${options}`,
        asked: (_command, collection, { writeConcern, readConcern }) => {
          if (collection === noteSpec.name) concerns.add(JSON.stringify({ writeConcern, readConcern }));
        },
      });
      t.after(() => store.close());
      const notes = store.collection<Note>(noteSpec);
      await notes.deleteOne({ _id: 'none' });
      await notes.find({ owner: 'ann' }).toArray();
      assert.deepEqual([...concerns], ['{"writeConcern":{"w":"majority","j":true}}', '{"readConcern":{"level":"local"}}']);
      assert.equal(Reflect.get(Reflect.get(notes, 'readPreference'), 'mode'), 'primary');
    });
});
