import Joi from 'joi';
import { newDevice } from '../../actors/device/new-device.ts';
import type { DeviceCommand } from '../../actors/device/protocol.ts';
import type { Egress } from '../../actors/egress/egress.ts';
import type { PasskeyCredential } from '../../actors/network/passkey.ts';
import { resolveNumber } from '../../actors/phone-numbers.ts';
import { type RecallPorts, recallWaiting } from '../../actors/recall.ts';
import { refusal } from '../../actors/refusals.ts';
import type { ActorRef } from '../../runtime/actor.ts';
import type { DeviceRow, Devices } from '../../store/devices.ts';
import { type Area, Raw, rowsFor } from '../row.ts';
import { Done } from '../schemas.ts';
import {
  Credential,
  DeviceName,
  Ignore,
  inSession,
  PasskeySchema,
  ProxyUrl,
  type Session,
  SessionSchema,
  toPasskey,
  toSession,
} from './session-schemas.ts';

export interface SessionsWorld extends RecallPorts {
  readonly devices: Devices;
  readonly egress: Pick<Egress, 'checkProxy'>;
  /** Takes its row away, once its end is told. */
  removeDevice(device: DeviceRow): Promise<void>;
  device(row: Pick<DeviceRow, '_id' | 'tenant_id'>): ActorRef<DeviceCommand>;
}

const row = rowsFor<SessionsWorld>();

export const sessions: Area<SessionsWorld> = {
  name: 'sessions',
  about: 'Devices: phones linked to the messaging network',
  rows: [
    row({
      id: 'listSessions',
      method: 'GET',
      path: '/v1/sessions',
      summary: 'The devices of the calling tenant, newest first',
      access: 'bearer',
      status: 200,
      returns: Joi.object({ sessions: Joi.array().items(SessionSchema).required() }),
      run: async ({ devices }, { caller, now }) => ({
        sessions: (await devices.list(caller.tenantId, caller.key?.sessionIds ?? null)).map((one) => toSession(one, now)),
      }),
    }),
    row({
      id: 'createSession',
      method: 'POST',
      path: '/v1/sessions',
      summary: 'Create a device; link it with connect',
      access: 'bearer',
      agents: false,
      body: Joi.object<{ name?: string | null; proxy_url?: string | null }>({ name: DeviceName, proxy_url: ProxyUrl }),
      status: 201,
      returns: SessionSchema,
      refuses: ['LIMIT_REACHED', 'URL_BLOCKED'],
      async run({ devices, egress }, { caller, body, now }) {
        await refuseBlocked(egress, body.proxy_url);
        if (caller.key?.sessionIds)
          throw refusal('FORBIDDEN', {
            reason: { en: 'this key is restricted to certain devices', id: 'kunci ini dibatasi untuk perangkat tertentu' },
          });
        if ((await devices.count(caller.tenantId)) >= caller.plan.devices) throw refusal('LIMIT_REACHED');
        const created = newDevice(caller.tenantId, body.name ?? null, body.proxy_url ?? null, now);
        await devices.create(created);
        // Two calls at once may both have found the last place free: whoever is over the limit now steps back.
        if ((await devices.count(caller.tenantId)) > caller.plan.devices) {
          await devices.remove(caller.tenantId, created._id);
          throw refusal('LIMIT_REACHED');
        }
        return toSession(created, now);
      },
    }),
    row({
      id: 'getSession',
      method: 'GET',
      path: '/v1/sessions/{sessionId}',
      summary: 'One device',
      access: 'bearer',
      params: inSession,
      status: 200,
      returns: SessionSchema,
      run: (_world, { device, now }) => toSession(device, now),
    }),
    row({
      id: 'updateSession',
      method: 'PATCH',
      path: '/v1/sessions/{sessionId}',
      summary: 'Rename a device, change its proxy or what it ignores',
      access: 'bearer',
      agents: false,
      params: inSession,
      body: Joi.object<{ name?: string | null; proxy_url?: string | null; ignore?: Partial<DeviceRow['ignore']> }>({
        name: DeviceName,
        proxy_url: ProxyUrl,
        ignore: Ignore,
      }),
      status: 200,
      returns: SessionSchema,
      refuses: ['URL_BLOCKED'],
      async run({ devices, device, egress }, { caller, device: old, body, now }) {
        await refuseBlocked(egress, body.proxy_url);
        const updated = await devices.change(caller.tenantId, old._id, body);
        if (!updated) throw refusal('NOT_FOUND');
        device(updated).tell({ type: 'adjust', ignore: updated.ignore, proxyUrl: updated.proxy_url });
        return toSession(updated, now);
      },
    }),
    row({
      id: 'deleteSession',
      method: 'DELETE',
      path: '/v1/sessions/{sessionId}',
      summary: 'Log the phone out and remove the device; one that was online is told of as `session.disconnected` (`logged_out`)',
      access: 'bearer',
      agents: false,
      params: inSession,
      status: 200,
      returns: Joi.object({ ok: Joi.valid(true).required() }),
      async run(world, { device: old }) {
        // The row goes first: from then on nothing can wake the device again.
        await world.removeDevice(old);
        await world
          .device(old)
          .ask({ type: 'retire' })
          .catch(() => undefined);
        await recallWaiting(world, old);
        return { ok: true };
      },
    }),
    act('connectSession', 'connect', 'Start linking or reconnecting', 'connect'),
    act('disconnectSession', 'disconnect', 'Go offline; the device stays linked', 'disconnect'),
    act('logOutSession', 'logout', 'Unlink from the phone', 'logOut'),
    act('restartSession', 'restart', 'Drop the connection and open it anew', 'restart'),
    row({
      id: 'getQr',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/qr',
      summary: 'The code to scan; `Accept: image/png` answers the picture',
      access: 'bearer',
      agents: false,
      params: inSession,
      headers: ['accept'],
      status: 200,
      returns: Joi.object({ qr: Joi.string().required(), expires_at: Joi.number().integer().required() }),
      refuses: ['CONFLICT'],
      async run(_world, { device, header, now }) {
        if (!device.qr || device.qr.expires_at <= now)
          throw refusal('CONFLICT', { reason: { en: 'no code is ready', id: 'belum ada kode' } });
        const { code: qr, expires_at } = device.qr;
        return header('accept')?.includes('image/png') ? new Raw(await picture(qr), 'image/png') : { qr, expires_at };
      },
    }),
    row({
      id: 'requestPairingCode',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/pairing-code',
      summary: 'Link without a camera: a code to type on the phone',
      access: 'bearer',
      agents: false,
      params: inSession,
      body: Joi.object<{ phone: string }>({ phone: Joi.string().min(5).max(32).required().example('+6281234567890') }),
      status: 200,
      returns: Joi.object({ code: Joi.string().required(), expires_at: Joi.number().integer().required() }),
      refuses: ['INVALID_NUMBER', 'CONFLICT', 'NOT_CONNECTED', 'DEVICE_TIMEOUT'],
      async run({ device }, { caller, device: row, body }) {
        const digits = resolveNumber(body.phone, caller.callingCode);
        const { code, expiresAt } = await device(row).ask({ type: 'pairByCode', digits }, 20_000);
        return { code, expires_at: expiresAt };
      },
    }),
    row({
      id: 'getPasskey',
      method: 'GET',
      path: '/v1/sessions/{sessionId}/passkey',
      summary: 'What the network asks for after the QR or the code: a passkey, then a code to compare; 404 while it asks for none',
      access: 'bearer',
      agents: false,
      params: inSession,
      status: 200,
      returns: PasskeySchema,
      run(_world, { device, now }) {
        const asked = toPasskey(device, now);
        if (!asked) throw refusal('NOT_FOUND', { reason: { en: 'no passkey is asked for', id: 'tidak ada passkey yang diminta' } });
        return asked;
      },
    }),
    row({
      id: 'answerPasskey',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/passkey',
      summary:
        'The passkey that is asked for, to the network; the next step follows as `session.passkey`. One that it does not take (400) may be followed by another until `expires_at`',
      access: 'bearer',
      agents: false,
      params: inSession,
      body: Joi.object<{ credential: PasskeyCredential & { raw_id?: string } }>({ credential: Credential.required() }),
      status: 200,
      returns: Done,
      refuses: ['CONFLICT', 'NOT_CONNECTED', 'DEVICE_TIMEOUT', 'OVERLOADED'],
      async run({ device }, { device: row, body }) {
        const { id, type, response } = body.credential;
        await device(row).ask({ type: 'answerPasskey', credential: { id, type, response } }, 20_000);
        return { ok: true };
      },
    }),
    row({
      id: 'confirmPasskey',
      method: 'POST',
      path: '/v1/sessions/{sessionId}/passkey/confirm',
      summary: 'The phone shows the same code: link it. 404 while there is none to confirm',
      access: 'bearer',
      agents: false,
      params: inSession,
      status: 200,
      returns: Done,
      refuses: ['CONFLICT', 'NOT_CONNECTED', 'DEVICE_TIMEOUT', 'OVERLOADED'],
      async run({ device }, { device: row }) {
        await device(row).ask({ type: 'confirmPasskey' }, 20_000);
        return { ok: true };
      },
    }),
  ],
};

/** A verb that changes the connection: 202 and the device as it is once the wish is stored. */
function act(id: string, path: string, summary: string, type: 'connect' | 'disconnect' | 'logOut' | 'restart') {
  return row({
    id,
    method: 'POST',
    path: `/v1/sessions/{sessionId}/${path}`,
    summary,
    access: 'bearer',
    agents: false,
    params: inSession,
    status: 202,
    returns: SessionSchema,
    refuses: ['CONFLICT', 'NOT_CONNECTED', 'DEVICE_TIMEOUT', 'OVERLOADED'],
    async run({ devices, device }, { caller, device: old, now }): Promise<Session> {
      await device(old).ask({ type });
      const changed = await devices.find(caller.tenantId, old._id);
      if (!changed) throw refusal('NOT_FOUND');
      return toSession(changed, now);
    },
  });
}

/** The library is loaded with the first picture: most callers draw the code themselves. */
async function picture(qr: string): Promise<Buffer> {
  const { toBuffer } = await import('qrcode');
  return toBuffer(qr);
}

async function refuseBlocked(egress: Pick<Egress, 'checkProxy'>, proxyUrl: string | null | undefined): Promise<void> {
  if (proxyUrl && (await egress.checkProxy(proxyUrl)) !== null) throw refusal('URL_BLOCKED');
}
