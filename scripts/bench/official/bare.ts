import { createHmac } from 'node:crypto';
import hapi from '@hapi/hapi';

/** The lower bound of a webhook: a route that reads the body and computes its signature, and stores nothing. Returns its address. */
export async function startBare(status: number): Promise<string> {
  const server = hapi.server({ host: '127.0.0.1', port: 0, debug: false });
  server.route({
    method: 'POST',
    path: '/',
    options: { payload: { parse: false, output: 'data', maxBytes: 4 * 1024 * 1024 } },
    handler({ payload }, h) {
      const hmac = createHmac('sha256', 'secret').update(Buffer.isBuffer(payload) ? payload : '');
      return h.response(hmac.digest('hex')).code(status);
    },
  });
  await server.start();
  return server.info.uri;
}
