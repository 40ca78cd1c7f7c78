import { createHmac, timingSafeEqual } from 'node:crypto';
import hapi from '@hapi/hapi';
import { SECRET } from './hooks.ts';

export const BARE_PATH = '/hooks/store/token';

/** Upper bound: hapi only passes on the bytes, and the handler checks their signature. */
export async function startBareServer(keep?: () => Promise<unknown>): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const server = hapi.server({ host: '127.0.0.1', port: 0, debug: false });
  server.route({
    method: 'POST',
    path: '/hooks/store/{token}',
    options: { payload: { parse: false, output: 'data' } },
    async handler(request, h) {
      const given = Buffer.from(String(request.headers['x-shopify-hmac-sha256']));
      const own = Buffer.from(
        createHmac('sha256', SECRET)
          .update(Buffer.isBuffer(request.payload) ? request.payload : '')
          .digest('base64'),
      );
      const isSigned = given.length === own.length && timingSafeEqual(given, own);
      if (!isSigned) return h.response({ code: 'BAD_SIGNATURE' }).code(401);
      if (keep) await keep();
      return { ok: true };
    },
  });
  await server.start();
  return { port: Number(server.info.port), stop: () => server.stop({ timeout: 0 }) };
}
