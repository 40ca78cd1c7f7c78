import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '../../../runtime/random.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { openMongo } from '../../../store/engines/mongo/mongo.ts';
import { type Note, noteSpec } from '../../support/notes.ts';
import { aDatabase, aDirectory, realStores, type Scope } from '../../support/stores.ts';

const ROUNDS = 4;
const seed = Number(process.env['SEED'] ?? Date.now() % 1_000_000);
const writer = fileURLToPath(new URL('../../support/store-writer.ts', import.meta.url));

/** Lets a writer run, kills it after it has printed about `lines` ids, and gives all that it had acknowledged. */
async function killed(kind: string, where: string, round: number, lines: number): Promise<readonly string[]> {
  const child = spawn(process.execPath, [writer, kind, where, String(round)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    if (printed.split('\n').length > lines) child.kill('SIGKILL');
  });
  const [, signal] = await once(child, 'close');
  assert.equal(signal, 'SIGKILL', 'the writer ended by itself');
  return printed.split('\n').slice(0, -1);
}

const places = {
  embedded: (scope: Scope) => `${aDirectory(scope)}/store.db`,
  mongodb: aDatabase,
};

describe(`a crashed writer (SEED=${seed})`, () => {
  for (const { name } of realStores) {
    it(`does not lose acknowledged writes (${name})`, async (t) => {
      const random = seededRandom(seed);
      const where = places[name](t);
      const acknowledged: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        acknowledged.push(...(await killed(name, where, round, 20 + Math.floor(random() * 600))));
      }
      const store = name === 'mongodb' ? await openMongo({ url: where }) : openEmbedded({ path: where });
      t.after(() => store.close());
      const notes = store.collection<Note>(noteSpec);
      const found = new Set((await notes.find({ status: 'done' }).toArray()).map(({ _id }) => _id));
      assert.deepEqual(
        acknowledged.filter((id) => !found.has(id)),
        [],
      );
      assert.equal(await notes.countDocuments({ owner: 'w0', status: 'done' }), [...found].filter((id) => id.split('-')[1] === '0').length);
    });
  }
});
