import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { NumberReader } from '../../../actors/services/identities/number-reader.ts';
import { errorText, healthOf } from '../../../actors/services/stores/health.ts';
import {
  changeStore,
  connectStore,
  disconnectStore,
  type NewStore,
  type StoreChange,
  type StoreDeps,
  tokenOf,
} from '../../../actors/services/stores/links.ts';
import { type TestDeps, testStore } from '../../../actors/services/stores/test-message.ts';
import type { MessageKind } from '../../../actors/store-link/protocol.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { Devices } from '../../../store/devices/devices.ts';
import type { StoreLinkRow } from '../../../store/store-links/links.ts';
import { type Area, type Call, type Lang, rowsFor } from '../../core/row.ts';
import { Done, Ulid } from '../../core/schemas.ts';
import { type Limits, takeOrRefuse } from '../../limits/limits.ts';
import {
  NewStoreSchema,
  oneStore,
  StoreChangeSchema,
  StoreEventsSchema,
  StoreSchema,
  StoresSchema,
  TestStoreSchema,
  TOPICS,
  toStore,
  toStoreEvent,
} from './schemas.ts';

export interface StoresServices {
  readonly numbers: NumberReader;
  readonly stores: StoreDeps & TestDeps;
  readonly devices: Pick<Devices, 'find'>;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly limits: Limits;
  address(): string;
}

const SHOWN_EVENTS = 50;
const TESTS_AN_HOUR = 10;
const HOUR_MS = 3_600_000;
const PATH = '/v1/store-integrations';

const row = rowsFor<StoresServices>();

export const stores: Area<StoresServices> = {
  name: 'store integrations',
  about: 'Connected online stores. Each customer gets one message of each kind per order, even if the store repeats its webhooks',
  rows: [
    row({
      access: 'owner',
      id: 'listStores',
      list: { of: 'items' },
      method: 'GET',
      path: PATH,
      summary: 'List connected stores',
      status: 200,
      returns: StoresSchema,
      run: list,
    }),
    row({
      access: 'owner',
      id: 'connectStore',
      method: 'POST',
      path: PATH,
      summary: 'Connect a store',
      example: { platform: 'platform_b', name: 'Toko Melati' },
      audit: { action: 'store.connect', on: 'store_links', kinds: ['insert'] },
      stepUp: true,
      body: NewStoreSchema,
      status: 201,
      returns: Joi.object({
        integration: StoreSchema.required(),
        secret: Joi.string().description('Generated for `platform_b`, shown once'),
      }),
      refuses: ['NOT_FOUND', 'LIMIT_REACHED'],
      run: connect,
    }),
    row({
      access: 'owner',
      id: 'changeStore',
      method: 'PUT',
      path: `${PATH}/{id}`,
      summary: 'Update a store',
      example: { enabled: true, abandoned_delay_min: 60 },
      about: 'Omitted fields are unchanged',
      audit: { action: 'store.update', on: 'store_links' },
      stepUp: { if: '`session_id` changes or a `secret` is sent' },
      params: oneStore,
      body: StoreChangeSchema,
      status: 200,
      returns: Joi.object({ integration: StoreSchema.required() }),
      refuses: ['NOT_FOUND'],
      run: change,
    }),
    row({
      access: 'owner',
      id: 'disconnectStore',
      method: 'DELETE',
      path: `${PATH}/{id}`,
      summary: 'Disconnect a store',
      audit: { action: 'store.disconnect', on: 'store_links', kinds: ['delete'] },
      stepUp: { none: 'the store can no longer send' },
      params: oneStore,
      status: 200,
      returns: Done,
      refuses: ['NOT_FOUND'],
      async run(services, call) {
        await disconnectStore(services.stores, await found(services, call));
        return { ok: true as const };
      },
    }),
    row({
      access: 'owner',
      id: 'listStoreEvents',
      list: { of: 'items' },
      method: 'GET',
      path: `${PATH}/{id}/events`,
      summary: "List a store's events",
      about: 'List the last 50 events of a store, newest first',
      params: oneStore,
      status: 200,
      returns: StoreEventsSchema,
      refuses: ['NOT_FOUND'],
      async run(services, call) {
        const { _id } = await found(services, call);
        return { items: (await services.stores.hooks.list(_id, SHOWN_EVENTS)).map(toStoreEvent) };
      },
    }),
    row({
      access: 'owner',
      id: 'testStore',
      method: 'POST',
      path: `${PATH}/{id}/test`,
      summary: 'Send a sample order message',
      audit: { none: 'the message log records the message' },
      params: oneStore,
      body: TestStoreSchema,
      status: 200,
      returns: Joi.object({ ok: Joi.boolean().valid(true).required(), scheduled_id: Ulid.required() }),
      refuses: ['NOT_FOUND', 'INVALID_NUMBER', 'NO_SESSION', 'RATE_LIMITED'],
      run: test,
    }),
  ],
};

type Of<B = unknown> = Call<{ id: string }, unknown, B>;

async function list(services: StoresServices, { caller, lang, now }: Call<unknown, unknown, unknown>) {
  const links = await services.stores.links.list(caller.tenantId);
  const items = await Promise.all(links.map((link) => shown(services, link, lang, now)));
  return { items, events: [...TOPICS.platform_a, ...TOPICS.platform_b] };
}

async function connect(services: StoresServices, { caller, body, lang, now }: Call<unknown, unknown, NewStore>) {
  await expectDevice(services, caller.tenantId, body.session_id);
  const tenant = await services.tenants.find(caller.tenantId);
  if (!tenant) throw refusal('NOT_FOUND');
  const owner = { id: caller.tenantId, locale: tenant.profile.locale, plan: caller.plan };
  const { link, madeSecret } = await connectStore(services.stores, owner, body, now);
  return { integration: await shown(services, link, lang, now), ...(madeSecret !== null && { secret: madeSecret }) };
}

async function change(services: StoresServices, call: Of<StoreChange>) {
  const link = await found(services, call);
  const { session_id = link.session_id, ...others } = call.body;
  const isDeviceNew = session_id !== link.session_id;
  // An empty secret keeps the current one.
  if (isDeviceNew || others.secret) call.expectStepUp();
  if (isDeviceNew) await expectDevice(services, link.tenant_id, session_id);
  // An unchanged device is not written, so that it cannot overwrite a concurrent change.
  const changed = await changeStore(services.stores, link, { ...others, ...(isDeviceNew && { session_id }) }, call.now);
  return { integration: await shown(services, changed, call.lang, call.now) };
}

async function test(services: StoresServices, call: Of<{ phone: string; event: MessageKind }>) {
  const { caller, body, now } = call;
  const link = await found(services, call);
  const phone = await services.numbers.digits(caller, body.phone);
  const device = link.session_id === null ? null : await services.devices.find(caller.tenantId, link.session_id);
  if (!device) throw refusal('NO_SESSION');
  await takeOrRefuse(services.limits, { key: `store-test:${link._id}`, max: TESTS_AN_HOUR, windowMs: HOUR_MS }, now);
  return { ok: true as const, scheduled_id: await testStore(services.stores, link, body.event, phone, now) };
}

async function shown(services: StoresServices, link: StoreLinkRow, lang: Lang, now: number) {
  const [recent, device] = await Promise.all([
    services.stores.hooks.list(link._id, SHOWN_EVENTS),
    link.session_id === null ? null : services.devices.find(link.tenant_id, link.session_id),
  ]);
  const token = tokenOf(services.stores, link);
  const health = healthOf(link, { recent, hasDevice: device !== null, hasAddress: token !== null }, lang, now);
  // The newest recent event may be later than the stored `last_event_at`, so the later time is
  // used.
  const lastEventAt = Math.max(link.last_event_at ?? 0, recent[0]?.created_at ?? 0) || null;
  const record = { ...link, last_event_at: lastEventAt };
  return toStore(record, token && `${services.address()}/hooks/store/${token}`, errorText(link, lang), health);
}

async function found(services: StoresServices, { caller, params }: Of): Promise<StoreLinkRow> {
  const link = await services.stores.links.find(caller.tenantId, params.id);
  if (!link) throw refusal('NOT_FOUND');
  return link;
}

async function expectDevice({ devices }: StoresServices, tenantId: string, sessionId: string | null | undefined): Promise<void> {
  if (typeof sessionId !== 'string') return;
  if (!(await devices.find(tenantId, sessionId))) throw refusal('NOT_FOUND', { reason: `session_id: ${sessionId}` });
}
