import { join } from 'node:path';
import Joi from 'joi';
import { destination, pino } from 'pino';
import { NOTHING_TO_HIDE } from '../../../actors/inbox/sight.ts';
import { plansFrom } from '../../../actors/plans.ts';
import { type Session, SessionSchema, toSession } from '../../../http/areas/session-schemas.ts';
import { sessions } from '../../../http/areas/sessions.ts';
import { createGatekeeper } from '../../../http/gatekeeper.ts';
import { LimitsInMemory } from '../../../http/limits.ts';
import { openLogin } from '../../../http/logins.ts';
import { bind } from '../../../http/mount.ts';
import { type Area, rowsFor } from '../../../http/row.ts';
import { createServer } from '../../../http/server.ts';
import { createTokens } from '../../../http/tokens.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { agentsIn } from '../../../store/agents.ts';
import { apiKeysIn } from '../../../store/api-keys.ts';
import { type DeviceRow, devicesIn } from '../../../store/devices.ts';
import { openEmbedded } from '../../../store/embedded.ts';
import { loginsIn } from '../../../store/logins.ts';
import { messagesIn } from '../../../store/messages.ts';
import { tenantsIn } from '../../../store/tenants.ts';
import { aDevice, aTenant } from '../planted.ts';
import { scratchDirectory } from '../scratch.ts';
import { getRequest } from './requests.ts';
import { report } from './serve.ts';

/** `GET /v1/sessions/{id}` with the same JWT each time (`jwt`), or its twin that asks for no credentials and reads the same row (`open`). */
const log = pino(destination('/dev/null'));
const store = openEmbedded({ path: join(scratchDirectory(), 'gateway.db'), log });
const devices = devicesIn(store);
const tenant = await aTenant(store);
const device = await aDevice(store, tenant._id);
const row = rowsFor<() => Promise<DeviceRow | null>>();

const twin: Area<() => Promise<DeviceRow | null>> = {
  name: 'twin',
  about: 'What the credentials are held against',
  rows: [
    row({
      id: 'getTwin',
      method: 'GET',
      path: '/v1/twins/{twinId}',
      summary: 'One device, for anybody',
      access: 'none',
      params: Joi.object({ twinId: Joi.string().length(26).required() }),
      status: 200,
      returns: SessionSchema,
      run: async (find, { now }): Promise<Session> => toSession((await find())!, now),
    }),
  ],
};

const ports = {
  agents: agentsIn(store),
  tenants: tenantsIn(store),
  logins: loginsIn(store),
  tokens: createTokens('a secret for one benchmark run only'),
};
const gate = createGatekeeper({
  ...ports,
  keys: apiKeysIn(store),
  plans: plansFrom({}),
  adminSecret: 'nobody is an operator here',
  report: () => {},
});
const notHere = (): never => {
  throw new Error('no device is awake here');
};
const server = await createServer({
  host: '127.0.0.1',
  port: 0,
  gate,
  limits: new LimitsInMemory(),
  log,
  clock: systemClock,
  areas: [
    bind(sessions, {
      devices,
      device: notHere,
      egress: { checkProxy: async () => null },
      removeDevice: notHere,
      messages: messagesIn(store),
      giveBack: notHere,
      sending: { hint: notHere },
    }),
    bind(twin, () => devices.find(tenant._id, device._id)),
  ],
  devices,
  sight: NOTHING_TO_HIDE,
  isStoreDown: () => false,
  readiness: {},
});
await server.start();

const { token } = await openLogin(
  { ...ports, invalidate: gate.invalidate },
  { tenantId: tenant._id, role: 'admin', agentId: tenant._id, agentName: tenant.name },
  systemClock.now(),
);
const asked = process.argv.includes('jwt')
  ? getRequest(`/v1/sessions/${device._id}`, { Authorization: `Bearer ${token}` })
  : getRequest(`/v1/twins/${device._id}`);
await report({ port: Number(new URL(server.url).port), requests: [asked], status: 200 });
