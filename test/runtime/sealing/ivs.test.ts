import assert from 'node:assert/strict';
import { it } from 'node:test';
import { secretKeysOf } from '../../../runtime/sealing/keys.ts';
import { createSealer } from '../../../runtime/sealing/seal.ts';

const SEALED = 3_000;

it('an IV is never used twice, even across sealers', () => {
  const keys = secretKeysOf(null, [], 'a secret of this test');
  const sealers = [createSealer(keys), createSealer(keys)];
  const ivs = new Set<string>();
  for (let nth = 0; nth < SEALED; nth += 1)
    for (const sealer of sealers) {
      const text = sealer.seal('group', 'about', 'the same');
      ivs.add(Buffer.from(text.split('.')[2] ?? '', 'base64').toString('hex', 0, 12));
      assert.equal(sealer.open('group', 'about', text), 'the same');
    }
  assert.equal(ivs.size, SEALED * sealers.length);
});
