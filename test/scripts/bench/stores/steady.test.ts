import assert from 'node:assert/strict';
import { it } from 'node:test';
import { steady } from '../../../../scripts/bench/stores/steady.ts';

it('stores that call at a steady pace are all answered with success, and nothing that they said is lost', async () => {
  const { sent, stored, gateway, bare } = await steady({ stores: 20, each: 5, withinMs: 1_000 });
  assert.deepEqual([gateway.accepted, bare.accepted, stored], [sent, sent, sent]);
});
