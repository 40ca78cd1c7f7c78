import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ANNA } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { aConsentFixture } from './consent-fixture.ts';

eachStore('a person who hides their number', (kind) => {
  it('is opted out under it as soon as it is known, and until then where they wrote from', async (t) => {
    const { gateway, api, device, write, of, becomes } = await aConsentFixture(t, kind);
    const anna = gateway.sandbox.phone(ANNA);
    anna.set({ lid: true, tellsNumber: false });
    write(ANNA, 'STOP');
    const [hidden] = await gateway.until('it is received', async () => {
      const { consent } = (await api('GET', '/v1/consent?status=opted_out')).body;
      return consent.length === 1 && consent;
    });
    assert.deepEqual([hidden.phone, hidden.chat_id.endsWith('@lid')], ['', true]);
    const toHidden = { chat_id: hidden.chat_id, type: 'text', body: 'Hi' };
    assert.equal((await api('POST', `${device.path}/messages`, toHidden)).body.warnings.length, 1);
    assert.equal((await of(ANNA)).current, null);

    anna.set({ tellsNumber: true });
    write(ANNA, 'It was me');
    await becomes(ANNA, 'opted_out');
    const { summary, consent } = (await api('GET', '/v1/consent')).body;
    assert.deepEqual([summary.opted_out, consent.length, consent[0].phone], [1, 1, ANNA]);
    assert.equal((await api('POST', `${device.path}/messages`, toHidden)).body.warnings.length, 1);
    assert.equal((await of(ANNA)).history.length, 1);
  });
});
