import { setTimeout as sleep } from 'node:timers/promises';
import { gateway, sessionId, to } from './settings.ts';

// Writes to a list of people, each by their name, and prints what became of it.
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
  const { status, sent_count, total_recipients } = await gateway.call('getBlast', { params: { id } });
  console.log(`${status}: ${sent_count} of ${total_recipients}`);
  if (status === 'completed') break;
  await sleep(300);
}
