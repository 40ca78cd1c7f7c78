import { join } from 'node:path';
import Joi from 'joi';
import { destination, pino } from 'pino';
import { plansFrom } from '../../../actors/domain/plans.ts';
import { NOTHING_TO_HIDE } from '../../../actors/services/conversations/visibility.ts';
import { BY_FORM_ALONE } from '../../../actors/services/identities/number-reader.ts';
import { OfficialKeyring } from '../../../actors/services/official/keys.ts';
import { sessions } from '../../../http/areas/sessions/rows.ts';
import { type Session, SessionSchema, toSession } from '../../../http/areas/sessions/schemas.ts';
import { createAuthenticator } from '../../../http/auth/authenticator.ts';
import { openLogin } from '../../../http/auth/logins.ts';
import { createTokens } from '../../../http/auth/tokens.ts';
import { bind } from '../../../http/core/bind.ts';
import { type Area, rowsFor } from '../../../http/core/row.ts';
import { LimitsInMemory } from '../../../http/limits/limits.ts';
import { createServer } from '../../../http/server/server.ts';
import { systemClock } from '../../../runtime/clock.ts';
import { present } from '../../../runtime/invariant.ts';
import { secretKeysOf } from '../../../runtime/sealing/keys.ts';
import { createSealer } from '../../../runtime/sealing/seal.ts';
import { apiKeysIn } from '../../../store/accounts/api-keys.ts';
import { loginsIn } from '../../../store/accounts/logins.ts';
import { operatorSessionsIn } from '../../../store/accounts/operator-sessions.ts';
import { secondFactorsIn } from '../../../store/accounts/second-factors.ts';
import { tenantsIn } from '../../../store/accounts/tenants.ts';
import { agentsIn } from '../../../store/agents/agents.ts';
import { type DeviceRow, devicesIn } from '../../../store/devices/devices.ts';
import { officialNumbersIn } from '../../../store/devices/official-numbers.ts';
import { openEmbedded } from '../../../store/engines/embedded/embedded.ts';
import { deletionsIn } from '../../../store/privacy/deletions.ts';
import { aDevice, aTenant } from '../planted.ts';
import { scratchDirectory } from '../scratch.ts';
import { getRequest } from './requests.ts';
import { report } from './serve.ts';

/** The argument is `jwt` to send the same JWT each time, or `open` for an endpoint without credentials. */
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
      run: async (find, { now }): Promise<Session> => toSession(present(await find(), 'the device'), now, null),
    }),
  ],
};

const deps = {
  agents: agentsIn(store),
  deletions: deletionsIn(store),
  tenants: tenantsIn(store),
  logins: loginsIn(store),
  secondFactors: secondFactorsIn(store),
  operatorSessions: operatorSessionsIn(store),
  tokens: createTokens('a secret for one benchmark run only'),
};
const authenticator = createAuthenticator({
  ...deps,
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
  authenticator,
  limits: new LimitsInMemory(),
  log,
  clock: systemClock,
  areas: [
    bind(sessions, {
      devices,
      device: notHere,
      plans: plansFrom({}),
      numbers: BY_FORM_ALONE,
      egress: { checkProxy: async () => null },
      removeDevice: notHere,
      removedDevices: { finish: notHere },
      ceremonies: { open: notHere, find: notHere },
      address: notHere,
      officialNumbers: officialNumbersIn(store),
      officialHooks: { forget: notHere },
      officialKeys: new OfficialKeyring(createSealer(secretKeysOf(null, [], 'nobody is official here')), officialNumbersIn(store)),
    }),
    bind(twin, () => devices.find(tenant._id, device._id)),
  ],
  devices,
  visibility: NOTHING_TO_HIDE,
  numbers: BY_FORM_ALONE,
  isStoreDown: () => false,
  readiness: {},
});
await server.start();

const { token } = await openLogin(
  { ...deps, invalidate: authenticator.invalidate },
  { tenantId: tenant._id, role: 'admin', agentId: tenant._id, agentName: tenant.name },
  { auth: 'otp', address: '127.0.0.1', secondFactorAt: null },
  systemClock.now(),
);
const asked = process.argv.includes('jwt')
  ? getRequest(`/v1/sessions/${device._id}`, { Authorization: `Bearer ${token}` })
  : getRequest(`/v1/twins/${device._id}`);
await report({ port: Number(new URL(server.url).port), requests: [asked], status: 200 });
