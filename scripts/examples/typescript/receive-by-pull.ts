import { setTimeout as sleep } from 'node:timers/promises';
import type { Schemas } from '../../../http/openapi/client/gateway.generated.ts';
import { gateway } from './settings.ts';

// Prints messages from the last 24 hours and new ones, until one says "stop example".
let after: string | null = null;
for (let isOver = false; !isOver; ) {
  const { events, next }: Schemas['PullEventsResponse'] = await gateway.call('pullEvents', { query: after === null ? {} : { after } });
  for (const { type, data } of events) {
    if (type !== 'message.received') continue;
    console.log(`${data['phone']}: ${data['body']}`);
    isOver ||= data['body'] === 'stop example';
  }
  after = next;
  if (events.length === 0) await sleep(300);
}
