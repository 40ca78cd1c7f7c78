import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { DoorCall } from '../../../http/compat/door.ts';
import { chatCalls } from '../../../http/compat/evolution/chats.ts';

it('one Evolution call marks at most 50 chats as read', async () => {
  const marking = chatCalls.find(({ path }) => path.startsWith('/chat/markMessageAsRead/'));
  assert.ok(marking && 'run' in marking);
  const asked: string[] = [];
  const call = (chats: number): DoorCall => ({
    ...{ params: { instance: 'shop' }, query: {}, key: '', now: 0, wait: async () => undefined },
    body: { readMessages: Array.from({ length: chats }, (_, nth) => ({ remoteJid: `${62_811_0000 + nth}@s.whatsapp.net` })) },
    file: async () => ({ url: '' }),
    async ask(row) {
      asked.push(row);
      return { sessions: [{ id: '01K0000000000000000000000A', name: 'shop' }] };
    },
  });
  await marking.run(call(50));
  assert.equal(asked.filter((row) => row === 'readChat').length, 50);
  await assert.rejects(async () => marking.run(call(51)), { code: 'VALIDATION_FAILED' });
  assert.equal(asked.filter((row) => row === 'readChat').length, 50);
});
