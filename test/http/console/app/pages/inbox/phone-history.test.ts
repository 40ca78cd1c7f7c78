import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type AskedPhone, phoneHistory } from '../../../../../../http/console/app/pages/inbox/phone-history.ts';

/** What the stream tells of one chat. */
const loaded = (data: object, chat_id = 'c') => ({
  type: 'history.loaded',
  session_id: 's',
  data: { chat_id, count: 0, more: null, error: null, ...data },
});

it('a chat shows older messages loaded from the phone, or explains why there are none', async () => {
  let reads = 0;
  let state: AskedPhone = 'idle';
  const phone = phoneHistory('s', 'c', {
    request: async () => null,
    show(now) {
      state = now;
    },
    failed: (cause) => assert.equal(cause, null),
    loaded: async () => {
      reads += 1;
    },
  });
  const after = async (event: ReturnType<typeof loaded>) => {
    phone.heard(event);
    await Promise.resolve();
    await Promise.resolve();
    return [state, reads];
  };
  assert.deepEqual(await after(loaded({ count: 50 }, 'another chat')), ['idle', 0]);
  assert.deepEqual(await after(loaded({ count: 0, error: 'phone_offline' })), ['silent', 0]);
  assert.deepEqual(await after(loaded({ count: 50, more: true })), ['idle', 1]);
  assert.deepEqual(await after(loaded({ count: 12, more: false })), ['all', 2]);
  await phone.ask();
  assert.equal(state, 'asked');
  assert.deepEqual(await after(loaded({ count: 0, more: false })), ['all', 3]);
  phone.stop();
});
