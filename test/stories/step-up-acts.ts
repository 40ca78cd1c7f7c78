import assert from 'node:assert/strict';
import { plansFrom } from '../../actors/domain/plans.ts';
import { aBrowser, aPushService, type Browser } from '../actors/services/push/push-service.ts';
import { aReceiver, type Receiver, SECRET } from '../actors/services/webhooks/receiver.ts';
import { anAuthenticator } from '../support/authenticator.ts';
import { type Answer, type Api, aGateway, type Gateway, type Tenant } from '../support/gateway.ts';
import type { Scope, StoreKind } from '../support/stores.ts';

const [DEVICE, ANNA] = ['6281100000001', '6281211110001'];
const DAY = 86_400_000;
const [PROXY, OTHER_PROXY] = ['http://93.184.215.14:1080', 'http://93.184.215.15:1080'];
const PLANS = plansFrom({ free: { devices: 10, keys: 50, stores: 10 } });

/** A call of an endpoint. `{name}` stands for the id of one of the things that a business has here. */
export type Call = readonly [row: string, method: string, path: string, body?: object | undefined];

/** The event that tells of an act, and what its `data` says besides who did it. */
type Notice = readonly [type: string, data: object];

const created = (action: string): Notice => ['security.key_created', { action }];
const webhook = (action: string): Notice => ['security.webhook_created', { action }];
const access = (action: string, kind: string): Notice => ['security.access_changed', { action, kind }];
const exported = (kind: string): Notice => ['security.data_exported', { kind }];
const deleted = (kind: string): Notice => ['security.data_deleted', { kind }];

/** What widens access, moves data, exports or destroys, in an order in which all of it can be done. */
export const ACTS = (now: number): readonly (readonly [...Call, Notice])[] => [
  ['updateApiKey', 'PATCH', '/v1/api-keys/{key}', { scopes: ['read', 'send'] }, access('key.update', 'key')],
  ['updateApiKey', 'PATCH', '/v1/api-keys/{key}', { session_ids: ['{device}', '{spare}'] }, access('key.update', 'key')],
  ['updateApiKey', 'PATCH', '/v1/api-keys/{key}', { session_ids: null }, access('key.update', 'key')],
  ['updateApiKey', 'PATCH', '/v1/api-keys/{key}', { allowed_ips: ['10.0.0.0/8', '203.0.113.7'] }, access('key.update', 'key')],
  ['updateApiKey', 'PATCH', '/v1/api-keys/{key}', { name: 'Till', expires_at: now + 400 * DAY }, access('key.update', 'key')],
  ['rotateApiKey', 'POST', '/v1/api-keys/{key}/rotate', {}, created('key.rotate')],
  ['createApiKey', 'POST', '/v1/api-keys', { name: 'Kiosk' }, created('key.create')],
  ['createAgent', 'POST', '/v1/agents', { name: 'Budi', phone: '+6281277770009' }, access('agent.create', 'agent')],
  ['updateAgent', 'PATCH', '/v1/agents/{agent}', { phone: '+6281277770008' }, access('agent.update', 'agent')],
  ['updateAgent', 'PATCH', '/v1/agents/{idle}', { is_active: true }, access('agent.update', 'agent')],
  ['createWebhook', 'POST', '/v1/webhooks', { url: '{url}/b', secret: SECRET, events: ['message.sent'] }, webhook('webhook.create')],
  ['updateWebhook', 'PATCH', '/v1/webhooks/{webhook}', { url: '{url}/c' }, webhook('webhook.update')],
  ['updateWebhook', 'PATCH', '/v1/webhooks/{webhook}', { secret: `${SECRET}!` }, webhook('webhook.update')],
  ['createSession', 'POST', '/v1/sessions', { proxy_url: PROXY }, access('device.create', 'device')],
  ['updateSession', 'PATCH', '/v1/sessions/{spare}', { proxy_url: OTHER_PROXY }, access('device.update', 'device')],
  ['moveIn', 'POST', '/v1/sessions/{spare}/move-in', { format: 'sandbox' }, access('session.move_in', 'session')],
  ['connectStore', 'POST', '/v1/store-integrations', { platform: 'platform_b', name: 'New' }, access('store.connect', 'store')],
  ['changeStore', 'PUT', '/v1/store-integrations/{store}', { session_id: '{device}' }, access('store.update', 'store')],
  ['changeStore', 'PUT', '/v1/store-integrations/{store}', { secret: SECRET }, access('store.update', 'store')],
  ['subscribeBrowser', 'POST', '/v1/push/subscribe', { browser: 'firefox' }, access('push.subscribe', 'push')],
  ['putConsentConfig', 'PUT', '/v1/consent/config', { enabled: false }, access('consent.configure', 'consent')],
  ['putConsentConfig', 'PUT', '/v1/consent/config', { enforce_api: false }, access('consent.configure', 'consent')],
  ['putConsentConfig', 'PUT', '/v1/consent/config', { require_attestation: false }, access('consent.configure', 'consent')],
  ['putConsentConfig', 'PUT', '/v1/consent/config', { optout_keywords: ['XYZZY'] }, access('consent.configure', 'consent')],
  ['updatePrivacy', 'PUT', '/v1/privacy', { retention_days: { messages: 1 } }, access('privacy.update', 'tenant')],
  ['updatePrivacy', 'PUT', '/v1/privacy', { retention_days: { audit: 90 } }, access('privacy.update', 'tenant')],
  ['holdPerson', 'PUT', '/v1/privacy/holds/{anna}', { reason: 'Claim', until: now + 50 * DAY }, access('privacy.hold', 'person')],
  ['endHold', 'DELETE', '/v1/privacy/holds/{anna}', undefined, access('privacy.end_hold', 'person')],
  ['holdEverything', 'PUT', '/v1/privacy/hold', { reason: 'Claim', until: now + 50 * DAY }, access('privacy.hold', 'tenant')],
  ['endHoldOfEverything', 'DELETE', '/v1/privacy/hold', undefined, access('privacy.end_hold', 'tenant')],
  ['exportContacts', 'GET', '/v1/contacts/export', undefined, exported('contacts')],
  ['exportConsent', 'GET', '/v1/consent/export', undefined, exported('consent')],
  ['exportAudit', 'GET', '/v1/audit/export', undefined, exported('audit')],
  ['exportData', 'POST', '/v1/privacy/exports', {}, exported('privacy')],
  ['downloadExport', 'GET', '/v1/privacy/exports/{export}/download', undefined, exported('privacy')],
  ['getBlastReport', 'GET', '/v1/blasts/{blast}/report', undefined, exported('campaign_report')],
  ['exportGroupMembers', 'GET', '/v1/sessions/{device}/groups/{group}/participants.csv', undefined, exported('group_participants')],
  ['addPasskey', 'POST', '/v1/passkeys', { name: 'Laptop', credential: 'new' }, ['security.two_factor_changed', {}]],
  ['removePasskey', 'DELETE', '/v1/passkeys/{passkey}', undefined, ['security.two_factor_changed', {}]],
  ['deleteSession', 'DELETE', '/v1/sessions/{spare}', undefined, deleted('device')],
  ['erasePerson', 'POST', '/v1/privacy/erasures', { phone: '+6281255550001', confirm: true }, deleted('person')],
  ['deleteAccount', 'DELETE', '/v1/account', { confirm: true }, deleted('account')],
];

/** The neighbours of these acts that give nobody anything: the same value again, less of it, or another field. */
export const HARMLESS = (now: number): readonly Call[] => [
  ['updateApiKey', 'PATCH', '/v1/api-keys/{key}', { name: 'Counter', scopes: ['read'], session_ids: ['{device}'] }],
  ['updateApiKey', 'PATCH', '/v1/api-keys/{key}', { allowed_ips: ['10.1.0.0/16', '10.2.3.4'], expires_at: now + 200 * DAY }],
  ['updateAgent', 'PATCH', '/v1/agents/{agent}', { name: 'Dewi', phone: '+6281277770001', is_active: true }],
  ['updateAgent', 'PATCH', '/v1/agents/{idle}', { name: 'Citra', is_active: false }],
  ['updateWebhook', 'PATCH', '/v1/webhooks/{webhook}', { url: '{url}/a', events: ['message.received'], paused: true }],
  ['createSession', 'POST', '/v1/sessions', { name: 'Third', proxy_url: null }],
  ['updateSession', 'PATCH', '/v1/sessions/{spare}', { name: 'Spare', proxy_url: PROXY }],
  ['changeStore', 'PUT', '/v1/store-integrations/{store}', { name: 'Shop', session_id: null, secret: '', enabled: true }],
  ['subscribeBrowser', 'POST', '/v1/push/subscribe', { browser: 'chrome' }],
  ['putConsentConfig', 'PUT', '/v1/consent/config', { enabled: true, enforce_api: true, optout_reply: 'You are out' }],
  ['updatePrivacy', 'PUT', '/v1/privacy', { retention_days: { messages: 60, audit: 0 } }],
  ['holdPerson', 'PUT', '/v1/privacy/holds/{anna}', { reason: 'Claim', until: now + 70 * DAY }],
  ['holdEverything', 'PUT', '/v1/privacy/hold', { reason: 'Claim', until: now + 60 * DAY }],
];

export interface World {
  readonly gateway: Gateway;
  readonly tenant: Tenant;
  readonly receiver: Receiver;
  ask(api: Api, call: Call): Promise<Answer>;
}

/** A business that has one of everything that the acts are done to. */
export async function furnished(scope: Scope, kind: StoreKind): Promise<World> {
  const [receiver, service] = [await aReceiver(scope), await aPushService(scope)];
  const gateway = await aGateway(scope, { kind, config: { plans: PLANS, egress_allow: [receiver.place, service.place] } });
  const tenant = await gateway.signUp();
  const { api } = tenant;
  const { id: device } = await tenant.linked(DEVICE);
  const browsers = { chrome: aBrowser(service, 'chrome'), firefox: aBrowser(service, 'firefox') };
  const ids = new Map([
    ['device', device],
    ['anna', ANNA],
    ['url', receiver.url],
  ]);
  const now = gateway.clock.now();
  const world = { gateway, tenant, receiver, ask: asking(gateway, ids, browsers) };
  const make = async (name: string, path: string, body: object): Promise<void> => {
    const answer = await world.ask(api, ['', 'POST', path, body]);
    assert.ok(answer.status < 300, `${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    ids.set(name, (answer.body.integration ?? answer.body).id);
  };
  const put = async (path: string, body: object): Promise<void> => assert.equal((await api('PUT', path, body)).status, 200, path);
  await make('spare', '/v1/sessions', { proxy_url: PROXY });
  const narrow = { scopes: ['read'], session_ids: [device], allowed_ips: ['10.0.0.0/8'], expires_at: now + 300 * DAY };
  await make('key', '/v1/api-keys', { name: 'Till', ...narrow });
  await make('agent', '/v1/agents', { name: 'Dewi', phone: '+6281277770001' });
  await make('idle', '/v1/agents', { name: 'Citra', phone: '+6281277770002' });
  assert.equal((await api('PATCH', `/v1/agents/${ids.get('idle')}`, { is_active: false })).status, 200);
  await make('webhook', '/v1/webhooks', { url: `${receiver.url}/a`, secret: SECRET, events: ['message.received'] });
  await make('store', '/v1/store-integrations', { platform: 'platform_b', name: 'Shop' });
  await make('browser', '/v1/push/subscribe', { browser: 'chrome' });
  await put('/v1/consent/config', { enabled: true, enforce_api: true, require_attestation: true, optout_keywords: ['STOP'] });
  await put('/v1/privacy', { retention_days: { messages: 30 } });
  for (const path of [`/v1/privacy/holds/${ANNA}`, '/v1/privacy/hold']) await put(path, { reason: 'Claim', until: now + 60 * DAY });
  await make('contact', '/v1/contacts', { phone: ANNA, name: 'Anna' });
  const campaign = { name: 'Sale', message_type: 'text', body: 'Hi', recipients: [{ phone: ANNA }] };
  await make('blast', '/v1/blasts', { ...campaign, session_id: device });
  await make('group', `/v1/sessions/${device}/groups`, { subject: 'Choir', participants: [`+${ANNA}`] });
  await make('export', '/v1/privacy/exports', {});
  const done = async () => (await api('GET', `/v1/privacy/exports/${ids.get('export')}`)).body.status === 'done';
  await gateway.until('the export is done', done);
  await make('passkey', '/v1/passkeys', { name: 'Phone', credential: 'new' });
  return world;
}

/** Fills in ids, a browser's keys and a new passkey. */
const asking =
  (gateway: Gateway, ids: ReadonlyMap<string, string>, browsers: Readonly<Record<'chrome' | 'firefox', Browser>>): World['ask'] =>
  async (api, [row, method, path, body]) => {
    const filled = (text: string): string => text.replace(/\{(\w+)\}/g, (_all, name) => ids.get(name) ?? `no ${name}`);
    const own = body && JSON.parse(filled(JSON.stringify(body)));
    const credential = own?.credential && (await newPasskey(gateway, api));
    const sent = own?.browser ? browsers[own.browser as 'chrome'].subscription : own && { ...own, ...(credential && { credential }) };
    const type = row === 'moveIn' ? { 'content-type': 'application/x-ndjson' } : {};
    return gateway.during(api(method, filled(path), sent, type));
  };

/** Whoever is refused the options has one that was made for others. */
async function newPasskey({ node }: Gateway, api: Api): Promise<object> {
  const { body } = await api('POST', '/v1/passkeys/options');
  const ofOthers = { rp: { id: 'localhost' }, user: { id: 'AAAA' }, challenge: 'AAAA' };
  return anAuthenticator(`http://localhost:${new URL(node.url).port}`).create(body.challenge ? body : ofOthers);
}
