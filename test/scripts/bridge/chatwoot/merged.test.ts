import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bridged } from '../../../support/chatwoot/bridged.ts';
import { ANNA } from '../../../support/gateway.ts';

it("the Chatwoot bridge keeps one conversation when a person's number becomes known", async (t) => {
  const { gateway, chatwoot, start, write, seen } = await bridged(t);
  const bridge = await start();
  t.after(() => gateway.during(bridge.stop()));
  gateway.sandbox.phone(ANNA).set({ lid: true, tellsNumber: false });
  write('Who am I?');
  await gateway.until('an agent sees it', () => seen().length === 1);
  gateway.sandbox.phone(ANNA).set({ lid: true, tellsNumber: true });
  write('This is my number.');
  await gateway.until('an agent sees both', () => seen().length === 2);
  assert.equal(chatwoot.books.conversations.length, 1);
  const answer = chatwoot.write(chatwoot.books.conversations[0]!.id, 'Thank you!');
  await gateway.until('she reads it', () => answer.status === 'read');
});
