import assert from 'node:assert/strict';
import { it } from 'node:test';
import { anOfficialShop } from '../support/official.ts';
import { embedded } from '../support/stores.ts';

it('a number that was registered ten times in three days shows why it cannot be registered now', async (t) => {
  const { gateway, acme, verbs, keys, path, session } = await anOfficialShop(t, embedded);
  const pin = '123456';
  const register = () =>
    gateway.sandbox.official.answer({
      ...{ method: 'POST', path: [keys.phone_number_id, 'register'], query: new URLSearchParams() },
      ...{ token: keys.access_token, body: { messaging_product: 'whatsapp', pin } },
    });
  for (let nth = 0; nth < 10; nth += 1) assert.equal((await register()).status, 200);
  await acme.api('POST', `${path}/disconnect`);
  await gateway.until('it is offline', async () => (await session()).status !== 'connected');
  await acme.api('PATCH', path, { official: { pin } });
  verbs.changeOfficial(keys.phone_number_id, { status: 'pending' });
  await acme.api('POST', `${path}/connect`);
  await gateway.until('it is refused', async () => (await session()).status === 'failed');
  const { reason, official } = await session();
  assert.equal(reason, 'not_registered');
  const check = official.checks.find(({ name }: { name: string }) => name === 'registered');
  assert.match(check?.fix ?? '', /10 registrations in 72 hours/);
});
