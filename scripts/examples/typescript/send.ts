import { setTimeout as sleep } from 'node:timers/promises';
import { gateway, sessionId, to } from './settings.ts';

// Sends a text and waits until it has reached the phone.
const sent = await gateway.call('sendMessage', {
  params: { sessionId },
  body: { chat_id: to, type: 'text', body: 'Hello from TypeScript!' },
});
for (;;) {
  const { status, error } = await gateway.call('getMessage', { params: { sessionId, messageId: sent.id } });
  console.log(`${sent.id} is ${status}`);
  if (status === 'failed') throw new Error(`it failed: ${error}`);
  if (status === 'delivered' || status === 'read') break;
  await sleep(300);
}
