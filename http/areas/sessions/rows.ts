import Joi from 'joi';
import type { DeviceCommand } from '../../../actors/device/protocol.ts';
import { beyondPlan, type Plans } from '../../../actors/domain/plans.ts';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { PresenceMode } from '../../../actors/network/presence.ts';
import type { CeremonyService } from '../../../actors/services/devices/ceremonies.ts';
import { newDevice } from '../../../actors/services/devices/new-device.ts';
import type { NumberReader } from '../../../actors/services/identities/number-reader.ts';
import type { RemovedDevices } from '../../../actors/services/messaging/removed-devices.ts';
import type { GivenKeys } from '../../../actors/services/official/keys.ts';
import type { ActorRef } from '../../../runtime/actor-system/actor.ts';
import { blockedText, type Egress } from '../../../runtime/egress/egress.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import type { DeviceHabits } from '../../../store/devices/network-habits.ts';
import { type Area, mayManage, rowsFor } from '../../core/row.ts';
import { Done } from '../../core/schemas.ts';
import { inSession } from '../params.ts';
import {
  ChangedOfficial,
  changedOfficial,
  expectLinked,
  expectOwner,
  NewOfficial,
  type OfficialPatch,
  type OfficialSessionServices,
  shownOfficial,
  takingNumber,
} from './official.ts';
import { drawnQr, pictureFormat, QR_TYPES, QrQuerySchema, shownCode } from './qr-picture.ts';
import {
  Credential,
  type CredentialBody,
  credentialFaults,
  DeviceName,
  Habits,
  Ignore,
  MAX_CREDENTIAL_BYTES,
  OwnPresence,
  PasskeySchema,
  ProxyUrl,
  type Session,
  SessionSchema,
  toCredential,
  toPasskey,
  toSession,
} from './schemas.ts';

export interface SessionsServices extends OfficialSessionServices {
  readonly numbers: NumberReader;
  readonly devices: Devices;
  readonly plans: Plans;
  readonly egress: Pick<Egress, 'checkProxy'>;
  removeDevice(device: DeviceRow): Promise<void>;
  readonly removedDevices: Pick<RemovedDevices, 'finish'>;
  device(row: Pick<DeviceRow, '_id' | 'tenant_id'>): ActorRef<DeviceCommand>;
  readonly ceremonies: CeremonyService;
}

const row = rowsFor<SessionsServices>();

interface SessionPatch {
  readonly name?: string | null;
  readonly proxy_url?: string | null;
  readonly ignore?: Partial<DeviceRow['ignore']>;
  readonly habits?: DeviceHabits;
  readonly history?: { readonly months: number };
  readonly presence?: PresenceMode;
  readonly official?: OfficialPatch | null;
  readonly monthly_service_limit?: number | null;
}

const LINKED_ALREADY = {
  en: 'the phone is already linked: its history can be imported only while it is being linked',
  id: 'ponsel sudah tertaut: riwayatnya hanya dapat diambil saat penautan',
};
const DEVICES = { en: 'devices', id: 'perangkat' };

export const sessions: Area<SessionsServices> = {
  name: 'sessions',
  about: 'Devices: phones linked to the messaging network',
  rows: [
    row({
      id: 'listSessions',
      list: { of: 'sessions' },
      method: 'GET',
      path: '/v1/sessions',
      summary: 'List devices',
      about: 'List the devices of the tenant, newest first',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      status: 200,
      returns: Joi.object({ sessions: Joi.array().items(SessionSchema).required() }),
      run: async (services, { caller, now }) => ({
        sessions: (await services.devices.list(caller.tenantId, caller.key?.sessionIds ?? null)).map((one) =>
          toSession(one, now, shownOfficial(services, caller, one)),
        ),
      }),
    }),
    row({
      id: 'createSession',
      method: 'POST',
      path: '/v1/sessions',
      summary: 'Create a device',
      example: { name: 'Front desk' },
      about:
        'Create a device, then link it with connect. With `official`, the device is a number on the official platform, which connect verifies',
      audit: { action: 'device.create', on: 'devices', kinds: ['insert'] },
      stepUp: { if: 'the device has a `proxy_url` or is `official`' },
      access: 'bearer',
      body: Joi.object<{ name?: string | null; proxy_url?: string | null; official?: GivenKeys }>({
        name: DeviceName,
        proxy_url: ProxyUrl,
        official: NewOfficial,
      }),
      status: 201,
      returns: SessionSchema,
      refuses: ['LIMIT_REACHED', 'URL_BLOCKED', 'PHONE_IN_USE'],
      async run(services, { caller, body, now, expectStepUp }) {
        const { devices, egress, plans } = services;
        if (body.official) expectOwner(caller);
        if (body.proxy_url || body.official) expectStepUp();
        await refuseBlocked(egress, body.proxy_url);
        const device = newDevice(caller.tenantId, body.name ?? null, body.proxy_url ?? null, now);
        const made = body.official && (await services.officialKeys.make(device, body.official));
        const created = made ? { ...device, official: made.official } : device;
        const isThere = await takingNumber(() => devices.createWithin(created, caller.plan.devices));
        if (!isThere) throw beyondPlan(plans, caller.plan, 'devices', DEVICES);
        return toSession(created, now, shownOfficial(services, caller, created, true));
      },
    }),
    row({
      id: 'getSession',
      method: 'GET',
      path: '/v1/sessions/{sessionId}',
      summary: 'Get a device',
      access: 'bearer',
      deviceKeys: true,
      agents: true,
      params: inSession,
      status: 200,
      returns: SessionSchema,
      run: (services, { caller, device, now }) => toSession(device, now, shownOfficial(services, caller, device)),
    }),
    row({
      id: 'updateSession',
      method: 'PATCH',
      path: '/v1/sessions/{sessionId}',
      summary: 'Update a device',
      example: { name: 'Front desk', ignore: { groups: true } },
      about: 'Update the name, the proxy, the kinds of ignored chats, the network habits, and whether the device appears online',
      audit: { action: 'device.update', on: 'devices' },
      stepUp: { if: '`proxy_url` or `official` changes' },
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      body: Joi.object<SessionPatch>({
        name: DeviceName,
        proxy_url: ProxyUrl,
        ignore: Ignore,
        habits: Habits,
        history: Joi.object({ months: Joi.number().integer().min(0).max(12).required() })
          .meta({ title: 'DeviceHistoryInput' })
          .description('Months of chat history to import when a phone is linked; 409 if one is already linked'),
        presence: OwnPresence,
        official: ChangedOfficial,
        monthly_service_limit: Joi.number()
          .integer()
          .min(0)
          .max(10_000_000)
          .allow(null)
          .description('For an official number: paid automatic replies per month. At the limit, automatic replies stop'),
      }),
      status: 200,
      returns: SessionSchema,
      refuses: ['URL_BLOCKED', 'PHONE_IN_USE', 'CONFLICT'],
      async run(services, { caller, device: old, body, now, expectStepUp }) {
        const { devices, device, egress } = services;
        const { proxy_url = old.proxy_url, official: keys, ...others } = body;
        if (body.presence !== undefined && !mayManage(caller)) throw refusal('FORBIDDEN');
        if (body.history !== undefined && old.credentials !== null) throw refusal('CONFLICT', { reason: LINKED_ALREADY });
        if (keys !== undefined) expectOwner(caller);
        if (keys !== undefined) expectStepUp();
        const official = keys === undefined ? undefined : await changedOfficial(services, old, keys, now);
        const isProxyNew = proxy_url !== old.proxy_url;
        if (isProxyNew) expectStepUp();
        if (isProxyNew) await refuseBlocked(egress, proxy_url);
        // An unchanged proxy is not written, so that it cannot overwrite a concurrent change.
        const patch = { ...others, ...(isProxyNew && { proxy_url }), ...(official !== undefined && { official }) };
        const updated = await takingNumber(() => devices.change(caller.tenantId, old._id, patch));
        if (!updated) throw refusal('NOT_FOUND');
        hint(device(updated));
        // After a key change, the device reconnects with the new keys. A number that moves back to
        // the phone must be linked again.
        if (official !== undefined && updated.wanted)
          await device(updated)
            .ask({ type: official ? 'restart' : 'disconnect' })
            .catch(() => undefined);
        return toSession(updated, now, shownOfficial(services, caller, updated, keys !== undefined));
      },
    }),
    row({
      id: 'deleteSession',
      method: 'DELETE',
      path: '/v1/sessions/{sessionId}',
      summary: 'Delete a device',
      about: 'Log the phone out and delete the device. If it was online, `session.disconnected` (`logged_out`) follows',
      audit: { action: 'device.delete' },
      stepUp: true,
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      status: 200,
      returns: Done,
      async run(services, { device: old }) {
        // Removes the row first, so that nothing can start the device again.
        await services.removeDevice(old);
        await services
          .device(old)
          .ask({ type: 'retire' })
          .catch(() => undefined);
        await services.removedDevices.finish(old);
        return { ok: true };
      },
    }),
    act('connectSession', 'connect', 'Start linking or reconnecting', 'connect'),
    act('disconnectSession', 'disconnect', 'Take a device offline', 'disconnect'),
    act('logOutSession', 'logout', 'Unlink from the phone', 'logOut'),
    act('restartSession', 'restart', 'Reopen the connection', 'restart'),
    row({
      id: 'getQr',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/qr',
      summary: 'Get the QR code',
      about: 'Get the QR code to scan; with `format` or `Accept: image/png`, as a picture',
      access: 'bearer',
      scope: 'manage',
      deviceKeys: true,
      params: inSession,
      query: QrQuerySchema,
      headers: ['accept'],
      status: 200,
      produces: QR_TYPES,
      stepUp: { none: 'only a person with the phone can complete it' },
      returns: Joi.object({ qr: Joi.string().required(), expires_at: Joi.number().integer().required() }),
      refuses: ['CONFLICT'],
      async run(_services, { device, query, header, now }) {
        expectLinked(device);
        const { code: qr, expires_at } = shownCode(device, now);
        const format = pictureFormat(query, header('accept'));
        return format ? drawnQr(qr, format) : { qr, expires_at };
      },
    }),
    row({
      id: 'requestPairingCode',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/pairing-code',
      summary: 'Get a pairing code',
      about: 'Get a code to enter on the phone, to link it without a camera',
      audit: { action: 'device.link' },
      stepUp: { none: 'only a person with the phone can complete it' },
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      body: Joi.object<{ phone: string }>({ phone: Joi.string().min(1).max(64).required().example('+6281234567890') }),
      status: 200,
      returns: Joi.object({ code: Joi.string().required(), expires_at: Joi.number().integer().required() }),
      refuses: ['INVALID_NUMBER', 'CONFLICT', 'NOT_CONNECTED', 'DEVICE_TIMEOUT', 'LIMIT_REACHED'],
      async run({ device, plans, numbers }, { caller, device: row, body }) {
        expectLinked(row);
        if (row.paused) throw beyondPlan(plans, caller.plan, 'devices', DEVICES);
        const digits = await numbers.digits(caller, body.phone);
        const { code, expiresAt } = await device(row).ask({ type: 'pairByCode', digits }, 20_000);
        return { code, expires_at: expiresAt };
      },
    }),
    row({
      id: 'getPasskeyStep',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/passkey',
      summary: 'Get the passkey step',
      about:
        'Get the passkey step of linking: the options for a passkey, then a code to compare. 404 if the network does not ask for a passkey',
      access: 'bearer',
      scope: 'manage',
      deviceKeys: true,
      params: inSession,
      status: 200,
      returns: PasskeySchema,
      async run({ ceremonies, address }, { device, now }) {
        const asked = toPasskey(device, now);
        if (!asked)
          throw refusal('NOT_FOUND', { reason: { en: 'the network did not ask for a passkey', id: 'jaringan tidak meminta passkey' } });
        const ceremony = await ceremonies.open(device, now);
        return { ...asked, ceremony: ceremony && { url: `${address()}/passkey-ceremony/${ceremony.token}`, ...ceremony } };
      },
    }),
    row({
      id: 'answerPasskey',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/passkey',
      summary: 'Answer the passkey request',
      about:
        'Answer with the requested passkey. The event `session.passkey` announces the next step. If the network refuses the passkey (400), you can send another until `expires_at`',
      audit: { action: 'device.link' },
      stepUp: { none: 'only a person with the phone can complete it' },
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      body: Joi.object<{ credential: CredentialBody }>({ credential: Credential.required() }),
      check: ({ credential }) => credentialFaults(credential),
      maxBytes: MAX_CREDENTIAL_BYTES,
      status: 200,
      returns: Done,
      refuses: ['CONFLICT', 'NOT_CONNECTED', 'DEVICE_TIMEOUT', 'OVERLOADED'],
      async run({ device }, { device: row, body }) {
        expectLinked(row);
        await device(row).ask({ type: 'answerPasskey', credential: toCredential(body.credential) }, 20_000);
        return { ok: true };
      },
    }),
    row({
      id: 'confirmPasskey',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/passkey/confirm',
      summary: 'Confirm the passkey code',
      about: 'Confirm that the phone shows the same code. 404 if there is no code to confirm',
      audit: { action: 'device.link' },
      stepUp: { none: 'only a person with the phone can complete it' },
      access: 'bearer',
      deviceKeys: true,
      params: inSession,
      status: 200,
      returns: Done,
      refuses: ['CONFLICT', 'NOT_CONNECTED', 'DEVICE_TIMEOUT', 'OVERLOADED'],
      async run({ device }, { device: row }) {
        expectLinked(row);
        await device(row).ask({ type: 'confirmPasskey' }, 20_000);
        return { ok: true };
      },
    }),
  ],
};

function act(id: string, path: string, summary: string, type: 'connect' | 'disconnect' | 'logOut' | 'restart') {
  return row({
    id,
    method: 'POST',
    path: `/v1/sessions/{sessionId}/${path}`,
    summary,
    audit: { action: `device.${path}` },
    stepUp: { none: 'the phone has to be linked again' },
    access: 'bearer',
    deviceKeys: true,
    params: inSession,
    status: 202,
    returns: SessionSchema,
    refuses: ['CONFLICT', 'NOT_CONNECTED', 'DEVICE_TIMEOUT', 'OVERLOADED', 'LIMIT_REACHED'],
    async run(services, { caller, device: old, now }): Promise<Session> {
      const { devices, device, plans } = services;
      if (old.paused && (type === 'connect' || type === 'restart')) throw beyondPlan(plans, caller.plan, 'devices', DEVICES);
      await device(old).ask({ type });
      const changed = await devices.find(caller.tenantId, old._id);
      if (!changed) throw refusal('NOT_FOUND');
      return toSession(changed, now, shownOfficial(services, caller, changed));
    },
  });
}

function hint(device: ActorRef<DeviceCommand>): void {
  try {
    device.tell({ type: 'settingsChanged' });
  } catch {
    // If the mailbox is full, the device still reads its settings before it connects again.
  }
}

async function refuseBlocked(egress: Pick<Egress, 'checkProxy'>, proxyUrl: string | null | undefined): Promise<void> {
  const blocked = proxyUrl ? await egress.checkProxy(proxyUrl) : null;
  if (blocked !== null) throw refusal('URL_BLOCKED', { reason: blockedText(blocked, 'EGRESS_ALLOW') });
}
