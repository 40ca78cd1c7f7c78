import assert from 'node:assert/strict';
import { it } from 'node:test';
import { messagesIn } from '../../../../store/messaging/messages.ts';
import { ANNA, PHONE } from '../../../support/gateway.ts';
import { eachStore } from '../../../support/stores.ts';
import { peopleOf } from '../consent/consent-fixture.ts';
import { aSelfAnsweringOffice } from './auto-reply-fixture.ts';

const BEN = '6281211110002';

eachStore('auto-replies', (kind) => {
  it('use the first matching rule, and are sent once per cooldown', async (t) => {
    const { gateway, api, rule, write, receives, received, quiet } = await aSelfAnsweringOffice(t, kind);
    await api('POST', '/v1/contacts', { phone: `+${ANNA}`, name: 'Anna Lee' });
    await rule({ reply_body: 'Anything', cooldown_ms: 0, priority: -1 });
    await rule({ trigger_type: 'contains', trigger_text: 'PRICE', reply_body: 'Hi {{first_name|there}}, 10', priority: 5 });
    await rule({ trigger_type: 'regex', trigger_text: 'order\\s+#?\\d{4}', reply_body: 'On its way', priority: 9, cooldown_ms: 0 });
    write(ANNA, 'What is the price of order?');
    assert.deepEqual(await receives(ANNA, 1), ['Hi Anna, 10']);
    write(ANNA, 'the price!');
    write(ANNA, 'Order #1234 and its price');
    write(BEN, 'hello');
    await receives(ANNA, 2);
    await quiet();
    assert.deepEqual([received(ANNA), received(BEN)], [['Hi Anna, 10', 'On its way'], ['Anything']]);
    await gateway.clock.advance(60_000);
    write(ANNA, 'Price?');
    assert.equal((await receives(ANNA, 3))[2], 'Hi Anna, 10');
  });

  it('are not sent if filling in their tokens makes the text too long', async (t) => {
    const { api, rule, write, receives, received, quiet } = await aSelfAnsweringOffice(t, kind);
    await api('POST', '/v1/contacts', { phone: `+${ANNA}`, var1: 'x'.repeat(500) });
    await rule({ reply_body: '{var1}'.repeat(600) + '!'.repeat(100), cooldown_ms: 0 });
    write(ANNA, 'Hello');
    write(BEN, 'Hello');
    await receives(BEN, 1);
    await quiet();
    assert.deepEqual([received(ANNA).length, received(BEN)], [0, ['!'.repeat(100)]]);
  });

  it('are not sent in groups, after STOP, or while the rule is disabled', async (t) => {
    const { gateway, api, path, rule, write, receives, quiet, received, device } = await aSelfAnsweringOffice(t, kind);
    const id = await rule({ reply_body: 'Hello', cooldown_ms: 0 });
    const group = gateway.sandbox.createGroup([ANNA, PHONE]);
    write(ANNA, 'Hi all', group);
    write(ANNA, 'STOP');
    await receives(ANNA, 1);
    await quiet();
    assert.equal(received(ANNA).length, 1);
    assert.equal((await api('PATCH', `${path}/${id}`, { is_active: '0' })).status, 200);
    write(BEN, 'Hi');
    await gateway.until('it came', async () => (await api('GET', `${device.path}/messages?chat_id=${BEN}`)).body.messages.length === 1);
    await quiet();
    assert.deepEqual(received(BEN), []);
  });

  it('are not sent for a late edit of an old message, even after the cooldown has ended', async (t) => {
    const { gateway, device, rule, receives, received, quiet } = await aSelfAnsweringOffice(t, kind);
    await rule({ trigger_type: 'contains', trigger_text: 'open', reply_body: 'From nine' });
    const anna = gateway.sandbox.phone(ANNA);
    const writes = (body: string) => anna.write({ to: PHONE, content: { type: 'text', body } }).netId;
    writes('open?');
    await receives(ANNA, 1);
    const target = writes('are you open');
    await quiet();
    gateway.clock.jump(25 * 3_600_000);
    await gateway.clock.advance(120_000);
    await gateway.store.sweep(gateway.clock.now());
    anna.do({ to: PHONE, target, act: { kind: 'edited', body: 'are you open?' } });
    await quiet();
    assert.equal((await messagesIn(gateway.store).known(device.id, { netId: target }))?.body, 'are you open', 'it is too late for that');
    assert.equal(received(ANNA).length, 1);
    writes('open?');
    assert.equal((await receives(ANNA, 2)).length, 2);
  });

  it('are sent once per message, even if the process crashes and the messages are processed again', async (t) => {
    const { gateway, acme, rule, write } = await aSelfAnsweringOffice(t, kind);
    await rule({ reply_body: 'Hello', cooldown_ms: 0 });
    await gateway.node.actors.shutdown();
    for (let number = 0; number < 3; number += 1) write(ANNA, `no. ${number}`);
    const second = await gateway.crash();
    const people = peopleOf(second, second.as(acme.tokens.token));
    await people.receives(ANNA, 3);
    await second.store
      .collection({ name: 'messages', indexes: [] })
      .updateMany({ direction: 'inbound' }, { $set: { outbox_pending: true } });
    const third = await second.crash();
    const again = peopleOf(third, third.as(acme.tokens.token));
    write(BEN, 'Hi');
    await again.receives(BEN, 1);
    await again.quiet();
    assert.equal(again.received(ANNA).length, 3);
  });

  it('pause for a while after thirty replies to one person, who may be a machine', async (t) => {
    const { gateway, rule, write, received, receives } = await aSelfAnsweringOffice(t, kind);
    await rule({ reply_body: 'And you?', cooldown_ms: 0 });
    for (let turn = 1; turn <= 30; turn += 1) {
      write(ANNA, `Fine, and you? ${turn}`);
      await receives(ANNA, turn);
    }
    write(ANNA, 'Fine, and you?');
    await gateway.clock.advance(120_000);
    assert.equal(received(ANNA).length, 30);
    await gateway.clock.advance(3_600_000);
    write(ANNA, 'Hello again');
    await receives(ANNA, 31);
  });

  it('include one welcome message per person, and away messages', async (t) => {
    const { gateway, api, rule, write, receives, received, quiet } = await aSelfAnsweringOffice(t, kind);
    await api('PUT', '/v1/settings', { welcome: { enabled: true, text: 'Welcome {{name|friend}}' } });
    write(ANNA, 'Hi');
    assert.deepEqual(await receives(ANNA, 1), ['Welcome friend']);
    write(ANNA, 'Hi again');
    await quiet();
    assert.equal(received(ANNA).length, 1);
    const hour = new Date(gateway.clock.now() + 7 * 3_600_000).getUTCHours();
    const clock = (add: number): string => `${String((hour + add + 24) % 24).padStart(2, '0')}:00`;
    const days = [0, 1, 2, 3, 4, 5, 6];
    await api('PUT', '/v1/settings', { away: { enabled: true, text: 'We are closed', hours: { start: clock(3), end: clock(4), days } } });
    write(ANNA, 'Anybody?');
    assert.equal((await receives(ANNA, 2))[1], 'We are closed');
    write(ANNA, 'Hello?');
    await quiet();
    assert.equal(received(ANNA).length, 2);
    await rule({ trigger_type: 'keyword', trigger_text: 'menu', reply_body: 'Soup' });
    write(ANNA, ' Menu ');
    assert.equal((await receives(ANNA, 3))[2], 'Soup');
  });
});
