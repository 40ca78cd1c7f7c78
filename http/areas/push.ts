import Joi from 'joi';
import type { BrowserLogin, Push } from '../../actors/push/push.ts';
import { refusal } from '../../actors/refusals.ts';
import { type Area, type Call, type Caller, rowsFor } from '../row.ts';
import { Done } from '../schemas.ts';

export interface PushWorld {
  readonly push: Push;
}

interface Subscription {
  endpoint: string;
  expirationTime?: number | null;
  keys: { p256dh: string; auth: string };
}

const Endpoint = Joi.string()
  .uri({ scheme: ['https', 'http'] })
  .max(2048)
  .required()
  .description("What the browser's PushSubscription shows")
  .example('https://fcm.googleapis.com/fcm/send/…');
const Base64Url = Joi.string()
  .pattern(/^[\w-]+={0,2}$/)
  .max(128);

const PublicKey = Joi.string()
  .description('base64url, an uncompressed P-256 point')
  .example('BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM');

const row = rowsFor<PushWorld>();

export const push: Area<PushWorld> = {
  name: 'push',
  about: 'Notifications in browsers when a customer writes, while the dashboard is closed; encrypted for the browser',
  rows: [
    row({
      id: 'getPushKey',
      method: 'GET',
      path: '/v1/push/key',
      summary: "The platform's VAPID public key, for `applicationServerKey`",
      access: 'login',
      status: 200,
      returns: Joi.object({ public_key: PublicKey.required() }),
      run: async (world) => ({ public_key: await world.push.publicKey() }),
    }),
    row({
      id: 'subscribeBrowser',
      method: 'POST',
      path: '/v1/push/subscribe',
      summary: 'Notify this browser, in the language of the request, until this login ends',
      access: 'login',
      body: Joi.object<Subscription>({
        endpoint: Endpoint,
        expirationTime: Joi.number().allow(null).description('Browsers send it along; it is not looked at'),
        keys: Joi.object({ p256dh: Base64Url.required(), auth: Base64Url.required() }).required(),
      }),
      status: 201,
      returns: Done,
      run: subscribe,
    }),
    row({
      id: 'unsubscribeBrowser',
      method: 'DELETE',
      path: '/v1/push/subscribe',
      summary: 'Notify this browser no more',
      access: 'login',
      body: Joi.object<{ endpoint: string }>({ endpoint: Endpoint }),
      status: 200,
      returns: Done,
      async run(world, { caller, body }) {
        await world.push.unsubscribe(loginOf(caller), body.endpoint);
        return { ok: true } as const;
      },
    }),
    row({
      id: 'testPush',
      method: 'POST',
      path: '/v1/push/test',
      summary: 'Send a notification to this browser, in the language of the request',
      access: 'login',
      body: Joi.object<{ endpoint: string }>({ endpoint: Endpoint }),
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND', 'PUSH_FAILED'],
      async run(world, { caller, body, lang }) {
        await world.push.test(loginOf(caller), body.endpoint, lang);
        return { ok: true } as const;
      },
    }),
  ],
};

async function subscribe(world: PushWorld, { caller, body, lang, now }: Call<unknown, unknown, Subscription>): Promise<{ ok: true }> {
  const { endpoint, keys } = body;
  await world.push.subscribe(loginOf(caller), { endpoint, p256dh: keys.p256dh, auth: keys.auth, lang }, now);
  return { ok: true };
}

function loginOf({ tenantId, agentId, role, family }: Caller): BrowserLogin {
  if (family === null) throw refusal('FORBIDDEN');
  return { tenantId, agentId, role, family };
}
