import { plansFrom } from '../../actors/domain/plans.ts';
import { sandboxVerbs } from '../../actors/network/sandbox/api.ts';
import { newId } from '../../runtime/ids.ts';
import { safeText } from '../../runtime/safe-text.ts';
import { unansweredIn } from '../../store/ai-reply/unanswered.ts';
import { moveInsIn } from '../../store/devices/move-ins.ts';
import { inboxOf } from '../actors/services/conversations/conversations-fixture.ts';
import { anAuthenticator } from '../support/authenticator.ts';
import type { Device, Gateway, Tenant } from '../support/gateway.ts';

/** Ids of what somebody has, by the path that ends before the parameter: `/v1/tags` for `/v1/tags/{id}`. */
export type Belongings = ReadonlyMap<string, string>;

/** The customer who wrote to everybody, so that their number tells nobody apart. */
export const CUSTOMER = '6281211110001';

/** A plan under which all of it is allowed. */
export const ROOMY = plansFrom({ free: { devices: 12 } });

export const SESSIONS = '/v1/sessions';
const SESSION = `${SESSIONS}/{sessionId}`;
const WEBHOOK = { secret: 'a secret that only the two of us know', events: ['message.received', 'message.sent'] };

/** One of everything that belongs to a business as a whole; `mark` stands in every text of it. Webhooks deliver to `address`. */
export async function furnished(gateway: Gateway, tenant: Tenant, mark: string, address: string): Promise<Belongings> {
  const make = maker(tenant);
  const ids = new Map<string, string>();
  for (const [path, body] of Object.entries(furniture(tenant, mark, address))) ids.set(path, await make(path, body));
  ids.set('/v1/billing/invoices', ids.get('/v1/billing/checkout') ?? '');
  ids.set('/v1/passkeys', await passkeyOf(gateway, tenant, mark));
  const erasing = { phone: '+6281211119999', confirm: true };
  ids.set('/v1/privacy/erasures', await make('/v1/privacy/erasures', erasing));
  const { logins } = (await tenant.api('GET', '/v1/logins')).body;
  ids.set('/v1/logins', logins[0].id);
  ids.set('/v1/events/readers', await readerOf(tenant));
  const tagging = { action: 'tag', segment_id: ids.get('/v1/segments'), value: mark };
  ids.set('/v1/contacts/bulk', await make('/v1/contacts/bulk', tagging));
  ids.set('/v1/contacts/imports', await make('/v1/contacts/import', `phone,name\n${CUSTOMER},${mark}`, 'text/csv'));
  ids.set('/v1/media', await make(`/v1/media/upload?filename=${mark}.txt`, mark, 'text/plain'));
  for (const path of ['/v1/contacts/bulk', '/v1/contacts/imports'])
    await gateway.until(`${path} is over`, async () => (await tenant.api('GET', `${path}/${ids.get(path)}`)).body.status === 'done');
  const erasure = `/v1/privacy/erasures/${ids.get('/v1/privacy/erasures')}`;
  await gateway.until('the erasure is over', async () => (await tenant.api('GET', erasure)).body.status === 'done');
  ids.set('/v1/privacy/exports', await make('/v1/privacy/exports', {}));
  ids.set('/v1/ai-reply/documents', await make('/v1/ai-reply/documents', formWith(mark), 'multipart/form-data; boundary=edge'));
  ids.set('/v1/ai-reply/unanswered', await unansweredOf(gateway, tenant, mark));
  return ids;
}

async function readerOf({ api, id }: Tenant): Promise<string> {
  const name = `r-${id.toLowerCase()}`;
  await api('GET', `/v1/events/pull?reader=${name}`);
  return name;
}

async function passkeyOf({ node }: Gateway, { api }: Tenant, name: string): Promise<string> {
  const browser = anAuthenticator(`http://localhost:${new URL(node.url).port}`);
  const credential = browser.create((await api('POST', '/v1/passkeys/options')).body);
  return (await api('POST', '/v1/passkeys', { name, credential })).body.id;
}

const formWith = (text: string): string =>
  `--edge\r\ncontent-disposition: form-data; name="file"; filename="${text}.txt"\r\n\r\n${text}\r\n--edge--\r\n`;

/** A question that nothing answered, as if a customer had asked it. */
export async function unansweredOf({ store, clock }: Gateway, { id: tenant_id }: Tenant, question: string): Promise<string> {
  const _id = newId(clock.now());
  const row = { _id, tenant_id, question: safeText(question), wordings: [], asked: 1, last_at: clock.now(), askers: [], messages: [] };
  await unansweredIn(store).add(row);
  return _id;
}

function furniture(tenant: Tenant, name: string, url: string): Readonly<Record<string, object>> {
  return {
    '/v1/agents': { name, phone: `+628555${tenant.phone.slice(-7)}` },
    '/v1/api-keys': { name },
    '/v1/tags': { name },
    '/v1/contact-groups': { name },
    '/v1/attributes': { key: 'stripes', label: name },
    '/v1/contacts': { phone: CUSTOMER, name, tags: [name], attrs: { stripes: name } },
    '/v1/segments': { name, rules: { all: [{ field: 'tag', op: 'is', value: name }] } },
    '/v1/templates': { name, message_type: 'text', body: name },
    '/v1/ai-reply/answers': { question: name, answer: name },
    '/v1/store-integrations': { platform: 'platform_b', name },
    '/v1/billing/checkout': { plan: 'starter', provider: 'sandbox' },
    '/v1/webhooks': { ...WEBHOOK, url: `${url}/${name}` },
  };
}

/** One of everything that belongs to a device, which is linked to `phone` (digits), a file that came in among it; `mark` stands in every text of it. */
export async function deviceOf(gateway: Gateway, tenant: Tenant, mark: string, phone: string): Promise<Belongings> {
  const make = maker(tenant);
  const device = await tenant.linked(phone);
  await tenant.api('PATCH', device.path, { name: mark });
  const spare = await make(SESSIONS, { name: mark });
  const ids = new Map([[SESSIONS, device.id]]);
  for (const [path, body] of Object.entries(equipment(device, spare, mark, gateway.clock.now())))
    ids.set(path, await gateway.during(make(path.replace('{sessionId}', device.id), body)));
  ids.set(`${SESSION}/move-in`, await moveOf(gateway, tenant, device.id, mark));
  const { receives } = inboxOf(gateway, tenant.api, device.path);
  const file = { base64: Buffer.from(mark).toString('base64'), filename: `${mark}.txt` };
  sandboxVerbs(gateway.sandbox).write(CUSTOMER, { to: phone, type: 'document', file });
  gateway.sandbox.phone(CUSTOMER).write({ to: phone, content: { type: 'text', body: mark } });
  await receives(CUSTOMER, mark);
  const inbound = async (type: string) =>
    (await tenant.api('GET', `${device.path}/messages?direction=inbound&type=${type}`)).body.messages[0];
  ids.set(`${SESSION}/messages`, (await inbound('text')).id);
  const { id } = await gateway.until('the file came', () => inbound('document'));
  ids.set('/v1/media', (await device.message(id)).media_r2_key);
  const deliveries = async () => (await tenant.api('GET', '/v1/webhooks/deliveries?status=delivered')).body.deliveries;
  return ids.set('/v1/webhooks/deliveries', (await gateway.until('it was told of', async () => (await deliveries())[0])).id);
}

/** A move of a login that came to nothing. */
async function moveOf({ store, clock }: Gateway, { id: tenant_id }: Tenant, session_id: string, mark: string): Promise<string> {
  const [_id, created_at] = [newId(clock.now()), clock.now()];
  const counts = { accepted: {}, dropped: [{ kind: 'session', id: mark, why: 'bad_id' }], dropped_count: 1, ignored: {} };
  const ended = { status: 'failed', error: 'LOGIN_INCOMPLETE' } as const;
  await moveInsIn(store).add({ _id, tenant_id, session_id, ...counts, ...ended, created_at, expires_at: created_at + 86_400_000 });
  return _id;
}

function equipment({ id }: Device, spare: string, name: string, now: number): Readonly<Record<string, object>> {
  const text = { chat_id: CUSTOMER, type: 'text', body: name };
  return {
    [`${SESSION}/status`]: { type: 'text', body: name, recipients: [`+${CUSTOMER}`] },
    [`${SESSION}/scheduled`]: { ...text, scheduled_at: now + 86_400_000 },
    [`${SESSION}/recurring`]: { name, targets: [CUSTOMER], message: name, schedule_type: 'daily' },
    [`${SESSION}/auto-reply`]: { name, trigger_type: 'keyword', trigger_text: name, reply_body: name, is_active: false },
    // Agents read the names of labels.
    [`${SESSION}/labels`]: { name: 'Paid', color: 1 },
    [`${SESSION}/catalog/products`]: { name },
    '/v1/rotators': { name, session_ids: [id, spare] },
    '/v1/blasts': { session_id: id, name, message_type: 'text', body: name, recipients: [{ phone: CUSTOMER }] },
  };
}

type Make = (path: string, body: unknown, type?: string) => Promise<string>;

const maker =
  ({ api }: Tenant): Make =>
  async (path, body, type = 'application/json') => {
    const answer = await api('POST', path, body, { 'content-type': type });
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.id ?? answer.body.key ?? answer.body.integration?.id ?? answer.body.invoice.id;
  };
