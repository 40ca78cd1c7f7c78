import { setTimeout as sleep } from 'node:timers/promises';
import { gateway, sessionId, to } from './settings.ts';

// Sends each person on a list a message with their name, and prints the result.
const { id } = await gateway.call('createBlast', {
  body: {
    session_id: sessionId,
    name: 'Opening hours',
    message_type: 'text',
    body: 'Hi {{first_name|there}}, we are open on Sunday, too.',
    recipients: [{ phone: to, name: 'Anna Widodo' }],
  },
});
await gateway.call('startBlast', { params: { id }, body: {} });
for (;;) {
  const { status, sent_count, total_recipients, resumes_at } = await gateway.call('getBlast', { params: { id } });
  console.log(`${status}: ${sent_count} of ${total_recipients}`);
  if (status === 'completed') break;
  // Outside the send window (08:00 to 20:00), the campaign resumes by itself in the morning.
  if (resumes_at) {
    console.log(`it goes on at ${new Date(resumes_at).toISOString()}`);
    break;
  }
  await sleep(300);
}
