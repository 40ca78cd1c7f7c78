import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { type Note, noteSpec } from '../../support/notes.ts';
import { aDirectory } from '../../support/stores.ts';

const NOTES = 300;
const WORD = 'kuncitersembunyi';
const aNote = (n: number, word: string): Note => ({ _id: `n${n}`, owner: `${word}${n}`, rank: n, tags: [], place: {} });

/** How often a word is in the bytes of all files of a directory. */
function found(directory: string, word: string): number {
  const texts = readdirSync(directory).map((name) => readFileSync(`${directory}/${name}`, 'latin1'));
  return texts.reduce((sum, text) => sum + text.split(word).length - 1, 0);
}

describe('data erased from an embedded store', () => {
  for (const [how, erase] of [
    ['removed', (id: string) => ({ id, to: null })],
    ['overwritten', (id: string) => ({ id, to: 'x' })],
  ] as const) {
    it(`disappears from all store files after the next sweep if it was ${how}`, async (t) => {
      const directory = aDirectory(t);
      const store = openEmbedded({ path: `${directory}/store.db` });
      t.after(() => store.close());
      const notes = store.collection<Note>(noteSpec);
      for (let n = 0; n < NOTES; n += 1) await notes.insertOne(aNote(n, n % 2 === 0 ? WORD : 'other'));
      assert.ok(found(directory, WORD) > 0);
      for (let n = 0; n < NOTES; n += 2) {
        const { id, to } = erase(`n${n}`);
        if (to === null) await notes.deleteOne({ _id: id });
        else await notes.updateOne({ _id: id }, { $set: { owner: to } });
      }
      await store.sweep(0);
      assert.equal(found(directory, WORD), 0);
      assert.equal(await notes.countDocuments({}), how === 'removed' ? NOTES / 2 : NOTES);
      assert.ok(found(directory, 'other') > 0);
    });
  }
});
