import assert from 'node:assert/strict';
import { it } from 'node:test';
import { bridged } from '../../../support/chatwoot/bridged.ts';

const CICI = '6281211110003';

it('sends the first answer in a conversation that is older than the bridge, and nothing from before', async (t) => {
  const { gateway, chatwoot, start } = await bridged(t);
  const older = chatwoot.open('Cici', `+${CICI}`);
  chatwoot.write(older, 'From before');
  await gateway.clock.advance(600_000);
  const bridge = await start();
  t.after(() => gateway.during(bridge.stop()));
  const answer = chatwoot.write(older, 'Your order is ready.');
  await gateway.until('she reads it', () => answer.status === 'read');
  const bodies = gateway.sandbox
    .phone(CICI)
    .messages()
    .map(({ content }) => content);
  assert.deepEqual(bodies, [{ type: 'text', body: 'Your order is ready.' }]);
});
