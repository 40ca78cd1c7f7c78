import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook } from '../../client/client.ts';
import { gateway } from './settings.ts';

// Registers a webhook, verifies the signature of each event, prints it, and replies.
const secret = randomBytes(24).toString('hex');
const seen = new Set<string>();

function verified(body: Buffer, headers: IncomingHttpHeaders) {
  try {
    return verifyWebhook(body, headers, secret);
  } catch {
    return null;
  }
}

const server = createServer(async (request, response) => {
  const event = verified(await buffer(request), request.headers);
  response.writeHead(event ? 204 : 401).end();
  if (!event || seen.has(event.id)) return;
  seen.add(event.id);
  const { type, data } = event;
  console.log(`${type}: ${JSON.stringify(data['message'] ?? data['body'])}`);
  if (type === 'webhook.test') server.close();
});

// The address at which the gateway reaches this program.
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
