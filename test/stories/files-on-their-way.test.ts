import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { ANNA, aGateway, PHONE } from '../support/gateway.ts';
import { eachStore } from '../support/stores.ts';

const file = { size: 1_000, seed: 1, content_type: 'image/jpeg' };

eachStore('the file of a message', (kind) => {
  it('is stored later if its host does not respond, and is rejected if its bytes were changed', async (t) => {
    const gateway = await aGateway(t, { kind });
    const acme = await gateway.signUp();
    const device = await acme.linked(PHONE);
    const verbs = sandboxVerbs(gateway.sandbox);
    const listed = async () => (await acme.api('GET', `${device.path}/messages?direction=inbound`)).body.messages;
    const fileOf = async (id: string) => gateway.during(acme.api('GET', `${device.path}/messages/${id}/media`));

    verbs.changeDevice(PHONE, { media: 'silent' });
    verbs.write(ANNA, { to: PHONE, type: 'image', caption: 'Look', file });
    const [silent] = await gateway.until('the message is there', async () => (await listed()).length === 1 && listed());
    assert.deepEqual([silent.body, (await device.message(silent.id)).error], ['Look', 'media_not_fetched']);
    verbs.changeDevice(PHONE, { media: 'ok' });
    assert.equal((await fileOf(silent.id)).status, 200);

    verbs.changeDevice(PHONE, { media: 'changed' });
    verbs.write(ANNA, { to: PHONE, type: 'image', file: { ...file, seed: 2 } });
    const [changed] = await gateway.until('the message is there', async () => (await listed()).length === 2 && listed());
    assert.equal((await fileOf(changed.id)).status, 404);
    assert.equal((await device.message(changed.id)).error, 'media_changed');
    verbs.changeDevice(PHONE, { media: 'ok' });
    assert.equal((await fileOf(changed.id)).status, 404, 'that is its end');

    verbs.changeDevice(PHONE, { media: 'gone' });
    verbs.write(ANNA, { to: PHONE, type: 'image', file: { ...file, seed: 3 } });
    const [again] = await gateway.until('the message is there', async () => (await listed()).length === 3 && listed());
    assert.equal((await fileOf(again.id)).status, 200);
    assert.ok(verbs.journal().entries.some(({ what }) => what === 'media-retry'));
  });
});
