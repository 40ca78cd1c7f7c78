import Joi from 'joi';
import type { DeviceCommand } from '../../../actors/device/protocol.ts';
import { refusal } from '../../../actors/domain/refusals.ts';
import { type CeremonyService, type CeremonyState, ceremonyHash } from '../../../actors/services/devices/ceremonies.ts';
import type { ActorRef } from '../../../runtime/actor-system/actor.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import { networkOf } from '../../core/caller-address.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { Timestamp } from '../../core/schemas.ts';
import { type Limits, takeOrRefuse } from '../../limits/limits.ts';
import { Credential, type CredentialBody, credentialFaults, MAX_CREDENTIAL_BYTES, PublicKey, toCredential, toOptions } from './schemas.ts';

/** Endpoints for a page on the network's own site. A ceremony's token is their only credential. */
export interface CeremonyServices {
  readonly ceremonies: CeremonyService;
  readonly limits: Limits;
  device(row: Pick<DeviceRow, '_id' | 'tenant_id'>): ActorRef<DeviceCommand>;
}

const MINUTE_MS = 60_000;
const CALLS_PER_MINUTE = 30;
const CALLS_OF_NETWORK = 300;
const ANSWERED_WITHIN_MS = 20_000;

const row = rowsFor<CeremonyServices>();
const oneToken = Joi.object<{ token: string }>({ token: Joi.string().max(128).required().description('`ceremony.token` of the device') });

const WRONG_STAGE = {
  en: 'a passkey has already been accepted, or there is no code to confirm yet',
  id: 'passkey sudah diterima, atau belum ada kode yang perlu dikonfirmasi',
};

const StateSchema = Joi.object({
  stage: Joi.string()
    .valid('challenge', 'awaiting', 'confirm', 'done', 'failed')
    .required()
    .description(
      '`challenge`: answer with a passkey; `awaiting`: the network accepted it, wait for the next step; `confirm`: compare the code; `done`: linked; `failed`: link again',
    ),
  public_key: PublicKey.allow(null).required(),
  code: Joi.string().allow(null).required().example('ABCD-1234'),
  business: Joi.string().allow('').required().example('Toko Acme'),
  device: Joi.string().allow(null, '').required().description('The name of the device').example('Front desk'),
  expires_at: Timestamp.required(),
}).meta({ title: 'PasskeyCeremony' });

const toState = ({ stage, publicKey, code, business, device, expiresAt }: CeremonyState) => ({
  stage,
  public_key: toOptions(publicKey),
  code,
  business,
  device: device.name,
  expires_at: expiresAt,
});

export const ceremonies: Area<CeremonyServices> = {
  name: 'passkey ceremony',
  about: 'Linking a device with a passkey, for a browser on the network’s own site: the token is the only credential',
  rows: [
    row({
      id: 'getPasskeyCeremony',
      method: 'GET',
      path: '/passkey-ceremony/{token}',
      summary: 'Get a passkey ceremony',
      about: 'Get the state of a ceremony, and the next step. At most 30 calls a minute for each token, and 300 from one IP network',
      access: 'none',
      params: oneToken,
      status: 200,
      returns: StateSchema,
      refuses: ['NOT_FOUND', 'RATE_LIMITED'],
      run: async (services, { params, address, now }) => toState(await located(services, params.token, address, now)),
    }),
    row({
      id: 'answerPasskeyCeremony',
      method: 'POST',
      path: '/passkey-ceremony/{token}',
      summary: 'Answer a passkey ceremony',
      about:
        'Send the passkey, or confirm that the phone shows the same code. After a passkey is accepted, only `confirmed` is allowed. 404 if the ceremony has ended',
      example: { confirmed: true },
      audit: { none: 'the caller has no login; the request for the link and the new link are in the log' },
      access: 'none',
      params: oneToken,
      body: Joi.object<{ credential?: CredentialBody; confirmed?: true }>({ credential: Credential, confirmed: Joi.valid(true) }).xor(
        'credential',
        'confirmed',
      ),
      check: ({ credential }) => credentialFaults(credential),
      maxBytes: MAX_CREDENTIAL_BYTES,
      status: 202,
      returns: StateSchema,
      refuses: ['NOT_FOUND', 'CONFLICT', 'NOT_CONNECTED', 'DEVICE_TIMEOUT', 'OVERLOADED', 'RATE_LIMITED'],
      async run(services, { params, address, body: { credential }, now }) {
        const state = await located(services, params.token, address, now);
        if (state.stage === 'done' || state.stage === 'failed') throw refusal('NOT_FOUND');
        if (state.stage !== (credential ? 'challenge' : 'confirm')) throw refusal('CONFLICT', { reason: WRONG_STAGE });
        const device = services.device(state.device);
        if (credential) await device.ask({ type: 'answerPasskey', credential: toCredential(credential) }, ANSWERED_WITHIN_MS);
        else await device.ask({ type: 'confirmPasskey' }, ANSWERED_WITHIN_MS);
        const next = await services.ceremonies.find(params.token, now);
        if (!next) throw refusal('NOT_FOUND');
        return toState(next);
      },
    }),
  ],
};

async function located({ ceremonies, limits }: CeremonyServices, token: string, address: string, now: number): Promise<CeremonyState> {
  const from = `passkey-ceremonies:${networkOf(address)}`;
  await takeOrRefuse(limits, { key: from, max: CALLS_OF_NETWORK, windowMs: MINUTE_MS }, now);
  const state = await ceremonies.find(token, now);
  if (!state) throw refusal('NOT_FOUND');
  const key = `passkey-ceremony:${ceremonyHash(token)}`;
  await takeOrRefuse(limits, { key, max: CALLS_PER_MINUTE, windowMs: MINUTE_MS }, now);
  return state;
}
