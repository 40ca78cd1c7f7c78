import { createHmac } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { credentialFor } from '../../actors/network/passkeys.ts';
import { type Belongings, unansweredOf } from '../../isolation/belongings.ts';
import { anAuthenticator } from '../../support/authenticator.ts';
import { type Answer, type Api, codeOn, type Gateway, type Tenant } from '../../support/gateway.ts';
import { anOfficialDevice } from '../../support/official.ts';
import type { Prepared } from './operations.ts';

/** The world that a printed example meets: a business with one of everything. */
export interface Scene {
  readonly gateway: Gateway;
  readonly acme: Tenant;
  readonly ids: Belongings;
  readonly path: string;
}

export type Setup = (scene: Scene) => Prepared | Promise<Prepared>;

let people = 0;
const somebody = ({ gateway }: Scene): Promise<Tenant> => gateway.signUp('Toko', `+6281990000${String(100 + people++)}`);

const appWith = (gateway: Gateway, secret: string): string =>
  new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30, algorithm: 'SHA1' }).generate({ timestamp: gateway.clock.now() });

/** Somebody whose second factor is on, and their next code. */
async function secured(scene: Scene) {
  const { gateway } = scene;
  const tenant = await somebody(scene);
  const { secret } = (await tenant.api('POST', '/v1/2fa/setup')).body;
  await tenant.api('POST', '/v1/2fa/enable', { code: appWith(gateway, secret) });
  await gateway.clock.advance(30_000);
  return { tenant, code: appWith(gateway, secret) };
}

async function signedInAgain({ gateway }: Scene, { phone }: Tenant): Promise<Answer['body']> {
  const old = codeOn(gateway.sandbox, phone);
  await gateway.api('POST', '/auth/request-otp', { phone: `+${phone}` });
  const code = await gateway.until('a code', () => codeOn(gateway.sandbox, phone) !== old && codeOn(gateway.sandbox, phone));
  return (await gateway.api('POST', '/auth/verify-otp', { phone: `+${phone}`, code })).body;
}

/** A device that waits to be linked: its path and its code. */
async function unlinked({ gateway, acme: { api } }: Scene): Promise<{ path: string; qr: string }> {
  const { id } = (await api('POST', '/v1/sessions', {})).body;
  const path = `/v1/sessions/${id}`;
  await api('POST', `${path}/connect`);
  return { path, qr: await gateway.until('a code', async () => (await api('GET', `${path}/qr`)).body.qr) };
}

async function withoutLogin(scene: Scene) {
  const { api } = await somebody(scene);
  return { api, path: `/v1/sessions/${(await api('POST', '/v1/sessions', {})).body.id}/move-in` };
}

/** A device whose phone shows a code to compare. */
async function compared(scene: Scene) {
  const { path, credential, ceremony } = await shy(scene);
  await scene.gateway.during(scene.acme.api('POST', path, { credential }));
  await scene.gateway.until('a code to compare', async () => (await scene.acme.api('GET', path)).body.step === 'passkey_confirm');
  return { path, ceremony };
}

/** A device whose phone asks for a passkey. */
async function shy(scene: Scene) {
  const { gateway, acme } = scene;
  const phone = `62811000088${10 + people++}`;
  gateway.sandbox.phone(phone).set({ passkey: true });
  const { path, qr } = await unlinked(scene);
  gateway.sandbox.phone(phone).scan({ qr });
  const asked = await gateway.until('a passkey is asked for', async () => {
    const { status, body } = await acme.api('GET', `${path}/passkey`);
    return status === 200 && body;
  });
  return { path: `${path}/passkey`, credential: credentialFor(asked.options.challenge), ceremony: new URL(asked.ceremony.url).pathname };
}

/** A message of ours with this status, at most a moment later. */
async function ours({ gateway, acme: { api }, path }: Scene, body: object, status: string): Promise<string> {
  const sent = await gateway.during(api('POST', `${path}/messages`, body));
  const at = `${path}/messages/${sent.body.id}`;
  await gateway.until(`it is ${status}`, async () => (await api('GET', at)).body.status === status);
  return at;
}

/** Somebody with a number on the official platform. */
async function official(scene: Scene) {
  const { gateway } = scene;
  gateway.clock.waitWhile(() => gateway.sandbox.official.isBusy, 'the official platform');
  const tenant = await somebody(scene);
  return { api: tenant.api, ...(await anOfficialDevice(gateway, tenant, `62811000007${people}`)) };
}

/** Somebody who paid for a plan, and the invoice. */
async function paying(scene: Scene) {
  const tenant = await somebody(scene);
  const invoice = await opened(tenant.api);
  await scene.gateway.during(scene.gateway.api('POST', `/sandbox/pay/${invoice}`, { outcome: 'paid' }));
  await scene.gateway.until('it is paid', async () => (await tenant.api('GET', `/v1/billing/invoices/${invoice}`)).body.status === 'paid');
  return { ...tenant, invoice };
}

const opened = async (api: Api): Promise<string> =>
  (await api('POST', '/v1/billing/checkout', { plan: 'starter', provider: 'sandbox' })).body.invoice.id;

const browserOf = ({ gateway }: Scene) => anAuthenticator(`http://localhost:${new URL(gateway.node.url).port}`);

/** What the operators' second factor needs; it is on from the first of them to the last. */
let operators = { secret: '', session: '' };

const withSecondFactor: Setup = async (scene) => {
  const { tenant, code } = await secured(scene);
  return { api: tenant.api, fields: { code } };
};

async function withCode(scene: Scene): Promise<Prepared> {
  const { phone } = await somebody(scene);
  const old = codeOn(scene.gateway.sandbox, phone);
  await scene.gateway.api('POST', '/auth/request-otp', { phone: `+${phone}` });
  const code = await scene.gateway.until(
    'a code',
    () => codeOn(scene.gateway.sandbox, phone) !== old && codeOn(scene.gateway.sandbox, phone),
  );
  return { fields: { phone: `+${phone}`, code } };
}

/** By operation: those whose example depends on a state that has to be there, or holds what only the moment knows. */
export const SETUPS: Readonly<Record<string, Setup>> = {
  splitContact: async ({ gateway, acme: { api }, path }) => {
    const [registered, dialled] = ['6281211117777', '6281311117777'];
    const contact = async (phone: string): Promise<string> => (await api('POST', '/v1/contacts', { phone: `+${phone}` })).body.id;
    const [id, other] = [await contact(registered), await contact(dialled)];
    gateway.sandbox.phone(registered).set({ numberForms: [dialled] });
    await gateway.during(api('POST', `${path}/messages`, { chat_id: dialled, type: 'text', body: 'Hello' }));
    await gateway.until('they are one', async () => (await api('GET', `/v1/contacts/${other}`)).status === 404);
    return { path: `/v1/contacts/${id}/split`, fields: { numbers: [`+${dialled}`] } };
  },
  resendBlast: async (scene) => {
    const [tenant, phone, to] = [await somebody(scene), `62811000099${10 + people++}`, '6281211119999'];
    const { api } = tenant;
    const { id: session_id } = await tenant.linked(phone);
    await api('PUT', '/v1/settings', { send_window: { enabled: false } });
    scene.gateway.sandbox.device(phone).fault({ kind: 'refuse', forMs: 60_000 });
    const draft = { session_id, name: 'Sale', message_type: 'text', body: 'Hi', recipients: [{ phone: to }] };
    const path = `/v1/blasts/${(await api('POST', '/v1/blasts', draft)).body.id}`;
    await api('POST', `${path}/start`, {});
    const failed = async () => (await api('GET', `${path}/recipients?status=failed`)).body.recipients[0]?.error;
    return { api, path: `${path}/resend`, fields: { reasons: [await scene.gateway.until('it failed', failed)] } };
  },
  verifyOneTimeCode: withCode,
  openConsoleSession: withCode,
  refreshLogin: async (scene) => ({ fields: { refresh_token: (await somebody(scene)).tokens.refresh_token } }),
  verifySecondFactor: async (scene) => {
    const { tenant, code } = await secured(scene);
    const { challenge } = await signedInAgain(scene, tenant);
    return { fields: { challenge, code } };
  },
  stepUp: withSecondFactor,
  disableTwoFactor: withSecondFactor,
  renewRecoveryCodes: withSecondFactor,
  enableTwoFactor: async (scene) => {
    const { api } = await somebody(scene);
    const { secret } = (await api('POST', '/v1/2fa/setup')).body;
    return { api, fields: { code: appWith(scene.gateway, secret) } };
  },
  addPasskey: async (scene) => ({
    fields: { credential: browserOf(scene).create((await scene.acme.api('POST', '/v1/passkeys/options')).body) },
  }),
  signInWithPasskey: async (scene) => {
    const browser = browserOf(scene);
    const { api } = await somebody(scene);
    await api('POST', '/v1/passkeys', { name: 'Phone', credential: browser.create((await api('POST', '/v1/passkeys/options')).body) });
    return { fields: { credential: browser.get((await scene.gateway.api('POST', '/auth/passkey/options')).body) } };
  },
  restoreAccount: async (scene) => {
    const tenant = await somebody(scene);
    await tenant.api('DELETE', '/v1/account', { confirm: true });
    return { api: scene.gateway.as((await signedInAgain(scene, tenant)).token) };
  },
  endLogin: async (scene) => {
    const { token } = await signedInAgain(scene, scene.acme);
    const { logins } = (await scene.gateway.as(token)('GET', '/v1/logins')).body;
    return { path: `/v1/logins/${logins.find(({ current }: { current: boolean }) => current).id}` };
  },
  logout: async (scene) => ({ api: (await somebody(scene)).api }),
  deleteAccount: async (scene) => ({ api: (await somebody(scene)).api }),
  previewPrivacy: () => ({ path: '/v1/privacy/preview?messages=30' }),
  moveIn: withoutLogin,
  async checkMoveIn(scene) {
    const { api, path } = await withoutLogin(scene);
    return { api, path: `${path}/check` };
  },
  getQr: async (scene) => ({ path: `${(await unlinked(scene)).path}/qr` }),
  requestPairingCode: async (scene) => ({ path: `${(await unlinked(scene)).path}/pairing-code` }),
  getPasskeyStep: async (scene) => ({ path: (await shy(scene)).path }),
  answerPasskey: async (scene) => {
    const { path, credential } = await shy(scene);
    return { path, fields: { credential } };
  },
  confirmPasskey: async (scene) => ({ path: `${(await compared(scene)).path}/confirm` }),
  getPasskeyCeremony: async (scene) => ({ path: (await shy(scene)).ceremony }),
  answerPasskeyCeremony: async (scene) => ({ path: (await compared(scene)).ceremony }),
  getMessageMedia: async ({ acme, path }) => {
    const { messages } = (await acme.api('GET', `${path}/messages?type=document`)).body;
    return { path: `${path}/messages/${messages[0].id}/media` };
  },
  getVotes: async (scene) => {
    const poll = { chat_id: '+6281234567890', type: 'poll', poll_name: 'When?', choices: ['Friday', 'Monday'] };
    return { path: `${await ours(scene, poll, 'read')}/votes` };
  },
  editMessage: async (scene) => ({ path: await ours(scene, { chat_id: '+6281234567890', type: 'text', body: 'Helo' }, 'read') }),
  retryMessage: async (scene) => {
    scene.gateway.sandbox.phone('6281234567000').set({ onNetwork: false });
    return { path: `${await ours(scene, { chat_id: '+6281234567000', type: 'text', body: 'Hi' }, 'failed')}/retry` };
  },
  cancelMessage: async (scene) => {
    const { id } = (await scene.acme.api('POST', '/v1/sessions', {})).body;
    const waiting = { chat_id: '+6281234567890', type: 'text', body: 'Hi', connect_only: false };
    const sent = await scene.acme.api('POST', `/v1/sessions/${id}/messages`, waiting);
    return { path: `/v1/sessions/${id}/messages/${sent.body.id}/cancel` };
  },
  putUpload: async ({ acme }) => {
    const made = await acme.api('POST', '/v1/media/upload-url', { filename: 'notes.txt', content_type: 'text/plain', size: 2 });
    return { path: new URL(made.body.url).pathname, raw: { type: 'text/plain', body: 'Hi' } };
  },
  importContacts: () => ({ raw: { type: 'text/csv', body: 'phone,name\n+6281234567899,Citra\n' } }),
  receiveStoreWebhook: async ({ acme }) => {
    const { items } = (await acme.api('GET', '/v1/store-integrations')).body;
    const { webhook_url } = items.find(({ platform }: { platform: string }) => platform === 'platform_b');
    return { path: new URL(webhook_url).pathname, raw: { type: 'application/x-www-form-urlencoded', body: 'webhook_id=1' } };
  },
  receivePaymentWebhook: ({ gateway }) => {
    const body = JSON.stringify({ type: 'customer.created', data: { object: {} } });
    const at = Math.floor(gateway.clock.now() / 1_000);
    const signature = createHmac('sha256', STRIPE.stripe_webhook_secret).update(`${at}.${body}`).digest('hex');
    return {
      path: '/hooks/payments/stripe',
      raw: { type: 'application/json', body },
      headers: { 'stripe-signature': `t=${at},v1=${signature}` },
    };
  },
  verifyOfficialWebhook: async (scene) => {
    const { made } = await official(scene);
    const asked = `hub.mode=subscribe&hub.challenge=1&hub.verify_token=${made.verify_token}`;
    return { path: `${new URL(made.official.webhook_url).pathname}?${asked}` };
  },
  receiveOfficialWebhook: async (scene) => {
    const { made, keys } = await official(scene);
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [] });
    const signature = createHmac('sha256', keys.app_secret).update(body).digest('hex');
    return {
      path: new URL(made.official.webhook_url).pathname,
      raw: { type: 'application/json', body },
      headers: { 'x-hub-signature-256': `sha256=${signature}` },
    };
  },
  syncTemplates: async (scene) => {
    const { path, api } = await official(scene);
    return { api, path: `${path}/templates/sync` };
  },
  returnFromPayment: async ({ acme }) => ({ path: `/billing/return/${await opened(acme.api)}` }),
  sandboxPayPage: async ({ acme }) => ({ path: `/sandbox/pay/${await opened(acme.api)}` }),
  sandboxPay: async (scene) => ({ path: `/sandbox/pay/${await opened((await somebody(scene)).api)}` }),
  markInvoiceRefunded: async (scene) => ({ path: `/v1/admin/billing/invoices/${(await paying(scene)).invoice}/refunded` }),
  cancelPlan: async (scene) => ({ api: (await paying(scene)).api }),
  resumePlan: async (scene) => {
    const { api } = await paying(scene);
    await api('POST', '/v1/billing/cancel');
    return { api };
  },
  testStore: async ({ acme, ids, path }) => {
    const store = ids.get('/v1/store-integrations');
    await acme.api('PUT', `/v1/store-integrations/${store}`, { session_id: path.split('/').at(-1) });
    return {};
  },
  revokeApiKey: async ({ acme }) => ({ path: `/v1/api-keys/${(await acme.api('POST', '/v1/api-keys', { name: 'Second' })).body.id}` }),
  deleteUnanswered: async ({ gateway, acme }) => ({ path: `/v1/ai-reply/unanswered/${await unansweredOf(gateway, acme, 'Halal?')}` }),
  getTenant: ({ acme }) => ({ path: `/v1/admin/tenants/${acme.id}` }),
  patchTenant: ({ acme }) => ({ path: `/v1/admin/tenants/${acme.id}` }),
  getTenantHealth: ({ acme }) => ({ path: `/v1/admin/tenants/${acme.id}/health` }),
  moveSession: ({ path }) => ({ path: `/v1/admin${path.slice(3)}/move` }),
  getSenderQr: async ({ gateway }) => {
    gateway.sandbox.device('12025550100').fault({ kind: 'logout' });
    await gateway.until('the sender is gone', async () => (await gateway.operator('GET', '/v1/admin/sender')).body.status !== 'connected');
    await gateway.operator('POST', '/v1/admin/sender/connect');
    await gateway.until('a code', async () => (await gateway.operator('GET', '/v1/admin/sender')).body.qr);
    return {};
  },
  enableOperatorTwoFactor: async ({ gateway }) => {
    const { secret } = (await gateway.operator('POST', '/v1/admin/2fa/setup')).body;
    operators = { ...operators, secret };
    return { fields: { code: appWith(gateway, secret) } };
  },
  verifyOperatorSecondFactor: async ({ gateway }) => {
    await gateway.clock.advance(30_000);
    return { fields: { code: appWith(gateway, operators.secret) } };
  },
  disableOperatorTwoFactor: async ({ gateway }) => {
    await gateway.clock.advance(30_000);
    const { session } = (await gateway.operator('POST', '/v1/admin/2fa/verify', { code: appWith(gateway, operators.secret) })).body;
    await gateway.clock.advance(30_000);
    return { headers: { 'x-admin-session': session }, fields: { code: appWith(gateway, operators.secret) } };
  },
};

/** Without which its callbacks do not exist. */
export const STRIPE = { stripe_secret_key: 'sk_test_printed', stripe_webhook_secret: 'whsec_printed' };

/** What is not tried, and why. */
export const NOT_TRIED: Readonly<Record<string, string>> = {
  docs: 'a client follows its redirect to a page that is tried',
  openConsole: 'its answer is a redirect, which the caller follows: the stories of the console read it',
  openEventStream: 'its answer has no end: the stories of the live stream read it',
  testPush: 'the printed address is that of a push service on the Internet',
};
