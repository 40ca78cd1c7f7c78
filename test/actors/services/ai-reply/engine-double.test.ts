import assert from 'node:assert/strict';
import { it } from 'node:test';
import { engineDouble } from './engine-double.ts';

it('the fake AI engine drops a pending call when the test ends', async () => {
  const ends: (() => unknown)[] = [];
  const engine = await engineDouble({ after: (end) => ends.push(end) });
  const asked = new Promise<void>((resolve) => {
    engine.mind = () => {
      resolve();
      return new Promise(() => {});
    };
  });
  const answer = fetch(`${engine.url}/chat/completions`, { method: 'POST', body: JSON.stringify({ model: 'small', messages: [] }) });
  const refused = assert.rejects(answer);
  await asked;
  assert.ok(engine.isBusy());
  for (const end of ends) await end();
  await refused;
  assert.ok(!engine.isBusy());
});
