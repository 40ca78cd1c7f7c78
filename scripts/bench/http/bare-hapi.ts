import hapi from '@hapi/hapi';
import { sendRequests } from './requests.ts';
import { report } from './serve.ts';

/** Upper bound: hapi parses the body and responds without checks or storage. */
const server = hapi.server({ host: '127.0.0.1', port: 0, debug: false });
server.route({
  method: 'POST',
  path: '/v1/sessions/{sessionId}/messages',
  handler: (_request, h) => h.response({ id: '01J9ZK3V5T8Q4W2N6R7X0Y1ABC', status: 'queued' }).code(202),
});
await server.start();
await report({ port: Number(server.info.port), requests: sendRequests('/v1/sessions/01J9ZK3V5T8Q4W2N6R7X0Y1ABC/messages'), status: 202 });
