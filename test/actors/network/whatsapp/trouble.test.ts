import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runTrouble } from '../../../../scripts/bench/whatsapp/trouble-run.ts';
import { aDirectory } from '../../../support/stores.ts';

const TEXTS = 150;

it('texts to people with failing devices are neither lost nor duplicated, and the connection stays open', async (t) => {
  const { lost, doubled, closings, unanswered, refused } = await runTrouble({ texts: TEXTS, isCalm: false, directory: aDirectory(t) });
  assert.deepEqual({ lost, doubled, closings, unanswered, refused }, { lost: 0, doubled: 0, closings: 0, unanswered: 0, refused: 0 });
});
