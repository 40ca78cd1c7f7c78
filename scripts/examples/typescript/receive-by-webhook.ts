import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gateway } from './settings.ts';

// Registers a webhook, checks the signature of what arrives, prints it, and answers.
const secret = randomBytes(24).toString('hex');
const seen = new Set<string>();

const isGenuine = (body: Buffer, signature: string): boolean => {
  const expected = Buffer.from(`sha256=${createHmac('sha256', secret).update(body).digest('base64')}`);
  const given = Buffer.from(signature);
  return given.length === expected.length && timingSafeEqual(given, expected);
};

const server = createServer(async (request, response) => {
  const body = await buffer(request);
  const id = String(request.headers['x-webhook-id']);
  const isOurs = isGenuine(body, String(request.headers['x-webhook-signature']));
  response.writeHead(isOurs ? 204 : 401).end();
  // The same event may arrive twice.
  if (!isOurs || seen.has(id)) return;
  seen.add(id);
  const { type, data } = JSON.parse(body.toString());
  console.log(`${type}: ${JSON.stringify(data.message ?? data.body)}`);
  if (type === 'webhook.test') server.close();
});

// The address under which the gateway reaches this program.
const { PORT = '9000', PUBLIC_URL = `http://127.0.0.1:${PORT}` } = process.env;
server.listen(Number(PORT), async () => {
  const { id } = await gateway
    .call('createWebhook', { body: { url: PUBLIC_URL, secret, events: ['message.received'] } })
    .catch((refused) => {
      console.error(`${refused.message}. Set PUBLIC_URL to an https address of this program, or let the gateway reach this one:`);
      console.error(`start it with EGRESS_ALLOW=127.0.0.1:${PORT}`);
      process.exit(1);
    });
  await gateway.call('testWebhook', { params: { id } });
});
