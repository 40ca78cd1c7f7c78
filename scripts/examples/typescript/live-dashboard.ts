import { gateway, sessionId } from './settings.ts';

// Prints a line for each event as it happens, until a message says "stop example".
const { status } = await gateway.call('getSession', { params: { sessionId } });
console.log(`the device is ${status}`);
const counts = new Map<string, number>();
for await (const { type, data } of gateway.events()) {
  counts.set(type, (counts.get(type) ?? 0) + 1);
  console.log([...counts].map(([name, count]) => `${name} ${count}`).join(' · '));
  if (data['body'] === 'stop example') break;
}
