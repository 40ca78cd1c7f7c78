import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { AuditTrail } from '../../../actors/services/audit/audit-trail.ts';
import type { BrowserLogin, Push } from '../../../actors/services/push/push.ts';
import { actDraft } from '../../core/audited.ts';
import { type Area, type Call, type Caller, rowsFor } from '../../core/row.ts';
import { Done } from '../../core/schemas.ts';

export interface PushServices {
  readonly push: Push;
  readonly audit: Pick<AuditTrail, 'act'>;
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
  .description("The `endpoint` of the browser's PushSubscription")
  .example('https://fcm.googleapis.com/fcm/send/dX7mEx4mPlE');
const Base64Url = Joi.string()
  .pattern(/^[\w-]+={0,2}$/)
  .max(128);

const PublicKey = Joi.string()
  .description('base64url, an uncompressed P-256 point')
  .example('BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM');

const row = rowsFor<PushServices>();

export const push: Area<PushServices> = {
  name: 'push',
  about: 'Browser notifications when a customer writes, even while the dashboard is closed. They are encrypted for the browser',
  rows: [
    row({
      id: 'getPushKey',
      method: 'GET',
      path: '/v1/push/key',
      summary: 'Get the VAPID key',
      about: "Get the platform's VAPID public key, for `applicationServerKey`",
      access: 'login',
      agents: true,
      status: 200,
      returns: Joi.object({ public_key: PublicKey.required() }),
      run: async (services) => ({ public_key: await services.push.publicKey() }),
    }),
    row({
      id: 'subscribeBrowser',
      method: 'POST',
      path: '/v1/push/subscribe',
      summary: 'Subscribe this browser',
      example: {
        endpoint: 'https://fcm.googleapis.com/fcm/send/dX7mEx4mPlE',
        keys: {
          p256dh: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
          auth: 'tBHItJI5svbpez7KI4CCXg',
        },
      },
      about: 'Subscribe this browser to notifications in the language of the request, until this login ends',
      audit: { action: 'push.subscribe', own: true },
      stepUp: { if: 'this login has not subscribed the browser yet' },
      access: 'login',
      agents: true,
      body: Joi.object<Subscription>({
        endpoint: Endpoint,
        expirationTime: Joi.number().allow(null).description('Sent by browsers; ignored'),
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
      summary: 'Unsubscribe this browser',
      audit: { none: "the caller's own browser" },
      stepUp: { none: 'takes access away' },
      access: 'login',
      agents: true,
      body: Joi.object<{ endpoint: string }>({ endpoint: Endpoint }),
      status: 200,
      returns: Done,
      async run(services, { caller, body }) {
        await services.push.unsubscribe(loginOf(caller), body.endpoint);
        return { ok: true } as const;
      },
    }),
    row({
      id: 'testPush',
      method: 'POST',
      path: '/v1/push/test',
      summary: 'Send a test notification',
      about: 'Send a notification to this browser, in the language of the request',
      audit: { none: "the caller's own browser" },
      access: 'login',
      agents: true,
      body: Joi.object<{ endpoint: string }>({ endpoint: Endpoint }),
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND', 'PUSH_FAILED'],
      async run(services, { caller, body, lang }) {
        await services.push.test(loginOf(caller), body.endpoint, lang);
        return { ok: true } as const;
      },
    }),
  ],
};

/** Pages renew their browser's subscription each time they open, so a renewal is not audited. */
async function subscribe({ push, audit }: PushServices, call: Call<unknown, unknown, Subscription>): Promise<{ ok: true }> {
  const { caller, body, lang, now } = call;
  const { endpoint, keys } = body;
  const [login, browser] = [loginOf(caller), { endpoint, p256dh: keys.p256dh, auth: keys.auth, lang }];
  if (await push.renew(login, browser, now)) return { ok: true };
  call.expectStepUp();
  const draft = actDraft(call, 'push.subscribe', { kind: 'push', id: null });
  await audit.act(draft, { collection: 'push_subscriptions' }, () => push.subscribe(login, browser, now));
  return { ok: true };
}

function loginOf({ tenantId, agentId, role, family }: Caller): BrowserLogin {
  if (family === null) throw refusal('FORBIDDEN');
  return { tenantId, agentId, role, family };
}
