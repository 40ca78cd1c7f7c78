import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MockAgent } from 'undici';
import { check } from '../../../../actors/network/official/checks.ts';
import { GraphClient } from '../../../../actors/network/official/graph-client.ts';
import { anOfficialLogin } from '../../../support/official-login.ts';

const OURS = 'https://gateway.example/hooks/official/token';
const APP = { whatsapp_business_api_data: { id: '3' } };
const RIGHT = {
  token: { is_valid: true, app_id: '3', expires_at: 0, scopes: ['whatsapp_business_management', 'whatsapp_business_messaging'] } as object,
  number: { status: 'CONNECTED', display_phone_number: '+1 555 000 1111', quality_rating: 'GREEN' } as object,
  apps: [APP] as readonly object[],
  callbacks: [{ object: 'whatsapp_business_account', callback_url: OURS }] as readonly object[],
};

/** Runs the connection checks while the platform reports these facts. */
async function checked(told: Partial<typeof RIGHT>) {
  const { token, number, apps, callbacks } = { ...RIGHT, ...told };
  const dispatcher = new MockAgent();
  dispatcher.disableNetConnect();
  const graph = dispatcher.get('https://graph.example');
  for (const [method, path, body] of [
    ['GET', /^\/debug_token/, { data: token }],
    ['GET', /^\/1\?fields/, number],
    ['POST', /^\/1\/register/, { error: { code: 133_005, error_data: { details: 'PIN mismatch' } } }],
    ['POST', /^\/2\/subscribed_apps/, { success: true }],
    ['GET', /^\/2\/subscribed_apps/, { data: apps }],
    ['GET', /^\/3\/subscriptions/, { data: callbacks }],
    ['POST', /^\/3\/subscriptions/, { success: true }],
    ['GET', /^\/2\?fields/, { currency: 'USD' }],
  ] as const)
    graph.intercept({ method, path }).reply(200, body).persist();
  const login = anOfficialLogin(dispatcher, { callbackUrl: OURS, pin: '123456' });
  const { reason, health } = await check(new GraphClient(login.address, login, dispatcher, login.clock), login);
  const failed = (health.checks ?? []).filter(({ ok }) => !ok).map(({ name, fix }) => [name, fix] as const);
  return { reason, failed };
}

it('a failed check of an official number is reported with instructions, and prevents the login only if sending is impossible', async () => {
  assert.deepEqual(await checked({}), { reason: null, failed: [] });
  for (const [told, reason, name, fix] of [
    [{ token: { ...RIGHT.token, is_valid: false } }, 'token_invalid', 'token', /create a new token for this app's system user/],
    [{ token: { ...RIGHT.token, app_id: '4' } }, 'token_invalid', 'token', /create a new token for this app's system user/],
    [{ token: { ...RIGHT.token, scopes: [] } }, 'permission_missing', 'permissions', /whatsapp_business_messaging/],
    [{ token: { ...RIGHT.token, expires_at: 1_800_000_000 } }, null, 'token_lasts', /never expires/],
    [{ number: { error: { code: 100 } } }, 'permission_missing', 'number', /check the phone number id/],
    [{ number: { status: 'BANNED' } }, 'banned', 'status', /BANNED/],
    [{ number: { status: 'PENDING' } }, 'not_registered', 'registered', /PIN mismatch/],
    [{ apps: [{ whatsapp_business_api_data: { id: '4' } }] }, 'permission_missing', 'subscribed', /Assign the account to the token/],
    [
      { callbacks: [{ ...RIGHT.callbacks[0], callback_url: 'https://other.example/' }] },
      null,
      'callback',
      /set the callback to https:\/\/gateway/,
    ],
    [
      { number: { ...RIGHT.number, webhook_configuration: { phone_number: 'https://other.example/' } } },
      null,
      'not_diverted',
      /go to https:\/\/other\.example\/\. Remove that override/,
    ],
  ] as const) {
    const found = await checked(told);
    assert.deepEqual([found.reason, found.failed[0]?.[0]], [reason, name], JSON.stringify(found));
    assert.match(found.failed[0]?.[1] ?? '', fix);
  }
});
