import assert from 'node:assert/strict';
import { join } from 'node:path';
import { it } from 'node:test';
import { ChatwootApi } from '../../../../scripts/bridge/chatwoot/api.ts';
import { BridgeState } from '../../../../scripts/bridge/chatwoot/state.ts';
import { bridged } from '../../../support/chatwoot/bridged.ts';
import { Chatwoot, TOKEN } from '../../../support/chatwoot/chatwoot.ts';
import { aDirectory } from '../../../support/stores.ts';

const CICI = '6281211110003';

it('the Chatwoot bridge sends new replies in older conversations, but not the earlier messages', async (t) => {
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

it('the Chatwoot bridge sends replies from two Chatwoot servers even if their message ids are the same', async (t) => {
  const { gateway, chatwoot, parts, start } = await bridged(t);
  const other = new Chatwoot(gateway.clock);
  await other.start();
  t.after(() => other.kill());
  const toOther = () => ({
    ...parts(),
    state: new BridgeState(join(aDirectory(t), 'other.state')),
    chatwoot: new ChatwootApi({ url: other.url, account: 1, token: TOKEN, fetch, timeoutMs: 60_000 }),
  });
  for (const [place, text, bridgeOf] of [
    [chatwoot, 'From the first', parts],
    [other, 'From the other', toOther],
  ] as const) {
    const conversation = place.open('Cici', `+${CICI}`);
    const bridge = await start(bridgeOf());
    const answer = place.write(conversation, text);
    await gateway.until('she reads it', () => answer.status === 'read');
    await gateway.during(bridge.stop());
  }
});

it('the Chatwoot bridge reports a status again if the first request failed', async (t) => {
  const { gateway, chatwoot, start } = await bridged(t);
  const bridge = await start();
  t.after(() => gateway.during(bridge.stop()));
  let failed = 0;
  chatwoot.fate = (method) => {
    if (method !== 'PATCH') return 'answered';
    failed += 1;
    return 'lost before';
  };
  const answer = chatwoot.write(chatwoot.open('Cici', `+${CICI}`), 'Your order is ready.');
  await gateway.until('three reports failed', () => failed >= 3);
  assert.equal(answer.status, 'sent');
  chatwoot.fate = () => 'answered';
  await gateway.until('it is shown as read', () => answer.status === 'read');
});
