import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deviceMade, keyAt, messageNamed } from '../../../http/compat/addresses.ts';
import { messageIn } from '../../../http/compat/waha/shapes.ts';
import type { RowInput } from '../../../http/core/row-calls.ts';

const GROUP = '120363000000000001@g.us';
const ANNA = '6281211110001@s.whatsapp.net';
const device = { id: '01K0000000000000000000000A', record: {} };
/** A member of the group chose the id of a message there for a text to us. */
const log = [
  { id: '01K0000000000000000000000C', chat_id: ANNA, wa_message_id: '3EB0' },
  { id: '01K0000000000000000000000B', chat_id: GROUP, wa_message_id: '3EB0' },
];
const ask = async (_row: string, { query = {} }: RowInput = {}) => ({
  messages: log.filter((one) => query['chat_id'] === undefined || one.chat_id === query['chat_id']),
});

it('a message can be found by its id and chat, and an ambiguous id is rejected', async () => {
  const key = { key: { remoteJid: GROUP, fromMe: false, id: '3EB0' } };
  assert.equal(await messageNamed({ ask }, device, keyAt(key, 'key')), '01K0000000000000000000000B');
  assert.equal(await messageNamed({ ask }, device, messageIn('false_6281211110001@c.us_3EB0')), '01K0000000000000000000000C');
  await assert.rejects(messageNamed({ ask }, device, messageIn('3EB0')), { code: 'CONFLICT' });
});

it('two concurrent calls that create a device with the same name never create two devices', async () => {
  const made: { id: string; name: string }[] = [];
  const calls = async (row: string, { params, body }: RowInput = {}) => {
    await Promise.resolve();
    if (row === 'listSessions') return { sessions: [...made] };
    if (row === 'createSession') {
      const session = { id: String(made.length), name: String(Reflect.get(Object(body), 'name')) };
      made.push(session);
      return session;
    }
    made.splice(
      made.findIndex(({ id }) => id === params?.['sessionId']),
      1,
    );
    return { ok: true };
  };
  await Promise.allSettled(['shop', 'shop'].map((name) => deviceMade({ ask: calls }, name)));
  assert.ok(made.length < 2, `${made.length} devices`);
  made.length = 0;
  assert.equal((await deviceMade({ ask: calls }, 'shop')).id, '0');
  await assert.rejects(deviceMade({ ask: calls }, 'shop'), { code: 'CONFLICT' });
});
