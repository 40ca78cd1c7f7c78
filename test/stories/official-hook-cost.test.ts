import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import { officialHooksIn } from '../../store/devices/official-hooks.ts';
import { anOfficialShop } from '../support/official.ts';
import { embedded } from '../support/stores.ts';
import { leastOfThree } from '../support/turns.ts';

const MB = 1_000_000;
const many = <T>(count: number, make: (nth: number) => T): readonly T[] => Array.from({ length: count }, (_, nth) => make(nth));

/** Whoever makes an official device knows the secret of its app, so what is signed is not trusted either. */
describe('a signed webhook of several megabytes', () => {
  it('is processed in short event-loop ticks, or rejected', async (t) => {
    const { gateway, made, keys } = await anOfficialShop(t, embedded);
    const { pathname } = new URL(made.official.webhook_url);
    let serial = 0;
    const post = async (value: object): Promise<number> => {
      const metadata = { display_phone_number: '1', phone_number_id: keys.phone_number_id };
      const changes = [{ field: 'messages', value: { metadata, ...value } }];
      serial += 1;
      const body = JSON.stringify({ serial, object: 'whatsapp_business_account', entry: [{ id: keys.waba_id, changes }] });
      const signature = `sha256=${createHmac('sha256', keys.app_secret).update(body).digest('hex')}`;
      return (await gateway.api('POST', pathname, body, { 'x-hub-signature-256': signature })).status;
    };
    const waiting = () => officialHooksIn(gateway.store).waiting(made.id, 1);
    const timestamp = '1767225600';
    const writer = (nth: number): string => `6281${String(nth).padStart(9, '0')}`;
    const text = (nth: number, body: string) => ({
      from: writer(nth),
      id: `wamid.${serial}.${nth}`,
      timestamp,
      type: 'text',
      text: { body },
    });
    // The unit is work of the same machine under the same load: a limit in ms fails beside other tests.
    const sample = JSON.stringify(many(4_000, (nth) => text(nth, 'x')));
    const unit = await leastOfThree(async () => {
      for (let times = 0; times < 20; times += 1) JSON.parse(sample);
    });
    for (const [name, value, status] of [
      ['statuses', { statuses: many(6_000, (nth) => ({ id: `wamid.${nth}`, status: 'read', timestamp, recipient_id: writer(nth) })) }, 200],
      ['messages', { contacts: many(4_000, (nth) => ({ wa_id: `x${nth}` })), messages: many(600, (nth) => text(nth, 'x')) }, 200],
      ['one long text', { messages: [text(1, 'é'.repeat(MB))] }, 200],
      ['lines', { messages: [text(1, '\n'.repeat(1.8 * MB))] }, 200],
      ['keys', { messages: [Object.fromEntries(many(29_000, (nth) => [`key${nth}`, 'x'.repeat(110)]))] }, 200],
      ['too many keys', { messages: many(60_000, (nth) => ({ id: String(nth) })) }, 413],
      ['depth', { messages: JSON.parse(`${'['.repeat(40)}${']'.repeat(40)}`) }, 413],
    ] as const) {
      const ms = await leastOfThree(async () => {
        assert.equal(await post(value), status, name);
        await gateway.until('it is read', async () => (await waiting()).length === 0);
      });
      assert.ok(ms < 10 * unit, `${name}: ${ms} ms, 20 parses take ${unit} ms`);
    }
  });
});
