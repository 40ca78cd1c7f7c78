import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MOST_BYTES, seal, unseal } from '../../../runtime/cluster/envelope.ts';

const LONG = '\n'.repeat(20_000);
const asking = (bytes: number) =>
  ({ t: 'ask', n: 1, from: 'a', back: 'b', body: { name: LONG, picture: Buffer.alloc(bytes, 255).toString('base64') } }) as const;

it('messages between nodes are encoded up to the size limit, and larger ones are rejected', () => {
  assert.deepEqual(unseal(seal(asking(MOST_BYTES))), asking(MOST_BYTES));
  assert.throws(() => seal(asking(1_048_576)), { code: 'PAYLOAD_TOO_LARGE' });
});
