import { plansFrom } from '../../actors/plans.ts';
import { inboxOf } from '../inbox/office.ts';
import type { Device, Gateway, Tenant } from '../support/gateway.ts';

/** Ids of what somebody has, by the path that ends before the parameter: `/v1/tags` for `/v1/tags/{id}`. */
export type Belongings = ReadonlyMap<string, string>;

/** The customer who wrote to everybody, so that their number tells nobody apart. */
export const CUSTOMER = '6281211110001';

/** A plan under which all of it is allowed. */
export const ROOMY = plansFrom({ free: { devices: 10 } });

export const SESSIONS = '/v1/sessions';
const SESSION = `${SESSIONS}/{sessionId}`;
const WEBHOOK = { secret: 'a secret that only the two of us know', events: ['message.received', 'message.sent'] };

/** One of everything that belongs to a business as a whole; `mark` stands in every text of it. Webhooks deliver to `address`. */
export async function furnished(gateway: Gateway, tenant: Tenant, mark: string, address: string): Promise<Belongings> {
  const make = maker(tenant);
  const ids = new Map<string, string>();
  for (const [path, body] of Object.entries(furniture(tenant, mark, address))) ids.set(path, await make(path, body));
  const tagging = { action: 'tag', segment_id: ids.get('/v1/segments'), value: mark };
  ids.set('/v1/contacts/bulk', await make('/v1/contacts/bulk', tagging));
  ids.set('/v1/contacts/imports', await make('/v1/contacts/import', `phone,name\n${CUSTOMER},${mark}`, 'text/csv'));
  ids.set('/v1/media', await make(`/v1/media/upload?filename=${mark}.txt`, mark, 'text/plain'));
  for (const path of ['/v1/contacts/bulk', '/v1/contacts/imports'])
    await gateway.until(`${path} is over`, async () => (await tenant.api('GET', `${path}/${ids.get(path)}`)).body.status === 'done');
  return ids;
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
    '/v1/webhooks': { ...WEBHOOK, url: `${url}/${name}` },
  };
}

/** One of everything that belongs to a device, which is linked to `phone` (digits); `mark` stands in every text of it. */
export async function deviceOf(gateway: Gateway, tenant: Tenant, mark: string, phone: string): Promise<Belongings> {
  const make = maker(tenant);
  const device = await tenant.linked(phone);
  await tenant.api('PATCH', device.path, { name: mark });
  const spare = await make(SESSIONS, { name: mark });
  const ids = new Map([[SESSIONS, device.id]]);
  for (const [path, body] of Object.entries(equipment(device, spare, mark, gateway.clock.now())))
    ids.set(path, await make(path.replace('{sessionId}', device.id), body));
  const { hears } = inboxOf(gateway, tenant.api, device.path);
  gateway.sandbox.phone(CUSTOMER).write({ to: phone, content: { type: 'text', body: mark } });
  await hears(CUSTOMER, mark);
  ids.set(`${SESSION}/messages`, (await tenant.api('GET', `${device.path}/messages?direction=inbound`)).body.messages[0].id);
  const deliveries = async () => (await tenant.api('GET', '/v1/webhooks/deliveries?status=delivered')).body.deliveries;
  return ids.set('/v1/webhooks/deliveries', (await gateway.until('it was told of', async () => (await deliveries())[0])).id);
}

function equipment({ id }: Device, spare: string, name: string, now: number): Readonly<Record<string, object>> {
  const text = { chat_id: CUSTOMER, type: 'text', body: name };
  return {
    [`${SESSION}/scheduled`]: { ...text, scheduled_at: now + 86_400_000 },
    [`${SESSION}/recurring`]: { name, targets: [CUSTOMER], message: name, schedule_type: 'daily' },
    [`${SESSION}/auto-reply`]: { name, trigger_type: 'keyword', trigger_text: name, reply_body: name, is_active: false },
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
    return answer.body.id ?? answer.body.key;
  };
