import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import { addPasskey, creationOptions, type PasskeyDeps, requestOptions } from '../../../actors/services/accounts/passkeys.ts';
import type { AuditTrail } from '../../../actors/services/audit/audit-trail.ts';
import type { PasskeyRow } from '../../../store/accounts/passkeys.ts';
import { type LoginDeps, openLogin } from '../../auth/logins.ts';
import { networkOf } from '../../core/caller-address.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { Done, Timestamp, Ulid } from '../../core/schemas.ts';
import type { Limits } from '../../limits/limits.ts';
import { Assertion, Registration } from './passkey-schemas.ts';
import { AuthSuccessSchema } from './sign-in-answers.ts';
import { OPENS_LOGIN, signInByPasskey, takePasskeyTry } from './sign-ins.ts';

export interface PasskeyServices extends PasskeyDeps, LoginDeps {
  readonly tenants: LoginDeps['tenants'] & PasskeyDeps['tenants'];
  readonly agents: LoginDeps['agents'] & PasskeyDeps['agents'];
  readonly audit: AuditTrail;
  readonly limits: Limits;
}

interface NewPasskey {
  readonly name: string;
  readonly credential: RegistrationResponseJSON;
}

const Passkey = Joi.object({ id: Ulid.required(), name: Joi.string().required(), created_at: Timestamp.required() }).meta({
  title: 'Passkey',
});
const byId = Joi.object<{ id: string }>({ id: Ulid.required() });

const common = { agents: true, status: 200 } as const;

const row = rowsFor<PasskeyServices>();

export const passkeys: Area<PasskeyServices> = {
  name: 'passkeys',
  about: 'Sign-in without a one-time code, even while the number that receives the codes is banned',
  rows: [
    row({
      id: 'requestPasskey',
      method: 'POST',
      path: '/auth/passkey/options',
      summary: 'Start a passkey sign-in',
      about: 'Get the options for signing in with a passkey; the challenge works once, within five minutes',
      audit: { none: 'changes nothing' },
      access: 'none',
      status: 200,
      returns: Joi.object().unknown().description('`PublicKeyCredentialRequestOptionsJSON`'),
      refuses: ['CONFLICT', 'RATE_LIMITED'],
      async run(services, { address, now }) {
        await takePasskeyTry(services, `passkey-options:${networkOf(address)}`, now);
        return requestOptions(services, now);
      },
    }),
    row({
      id: 'signInWithPasskey',
      method: 'POST',
      path: '/auth/passkey',
      summary: 'Sign in with a passkey',
      about: 'Sign in with a passkey alone, even if two-factor sign-in is on',
      audit: { action: 'login.create', own: true },
      access: 'none',
      ...OPENS_LOGIN,
      body: Joi.object<{ credential: AuthenticationResponseJSON }>({ credential: Assertion.required() }),
      status: 200,
      returns: AuthSuccessSchema,
      refuses: ['UNAUTHORIZED', 'FORBIDDEN', 'CONFLICT', 'RATE_LIMITED'],
      run: (services, call) => signInByPasskey(services, call, (...proven) => openLogin(services, ...proven)),
    }),
    row({
      ...common,
      access: 'login',
      id: 'startPasskey',
      method: 'POST',
      path: '/v1/passkeys/options',
      summary: 'Start a passkey registration',
      about: 'Get the options for registering a passkey; the challenge works once, within five minutes',
      audit: { none: 'changes nothing before it is registered' },
      stepUp: true,
      returns: Joi.object().unknown().description('`PublicKeyCredentialCreationOptionsJSON`'),
      refuses: ['CONFLICT'],
      run: (services, { caller, now }) => creationOptions(services, caller, now),
    }),
    row({
      ...common,
      access: 'login',
      id: 'addPasskey',
      method: 'POST',
      path: '/v1/passkeys',
      summary: 'Register a passkey',
      about: 'Register a passkey. At most 20 for each person',
      audit: { action: 'passkey.create', on: 'passkeys' },
      stepUp: true,
      body: Joi.object<NewPasskey>({
        name: Joi.string().min(1).max(64).pattern(/\S/).required().example('Laptop'),
        credential: Registration.required(),
      }),
      status: 201,
      returns: Passkey,
      refuses: ['CONFLICT'],
      run: async (services, { caller, body, now }) => shown(await addPasskey(services, caller, body, now)),
    }),
    row({
      ...common,
      access: 'login',
      id: 'listPasskeys',
      list: { of: 'passkeys' },
      method: 'GET',
      path: '/v1/passkeys',
      summary: 'List your own passkeys',
      about: 'List your own passkeys, oldest first',
      returns: Joi.object({ passkeys: Joi.array().items(Passkey).required() }),
      run: async (services, { caller }) => ({ passkeys: (await services.passkeys.list(caller.tenantId, caller.agentId)).map(shown) }),
    }),
    row({
      ...common,
      access: 'login',
      id: 'getPasskey',
      method: 'GET',
      path: '/v1/passkeys/{id}',
      summary: 'Get one of your passkeys',
      params: byId,
      returns: Passkey,
      refuses: ['NOT_FOUND'],
      async run(services, { caller, params }) {
        const found = await services.passkeys.find(caller.tenantId, caller.agentId, params.id);
        if (!found) throw refusal('NOT_FOUND');
        return shown(found);
      },
    }),
    row({
      ...common,
      access: 'login',
      id: 'removePasskey',
      method: 'DELETE',
      path: '/v1/passkeys/{id}',
      summary: 'Remove a passkey',
      about: 'The passkey can no longer be used to sign in',
      audit: { action: 'passkey.delete', on: 'passkeys', kinds: ['delete'] },
      stepUp: true,
      params: byId,
      returns: Done,
      refuses: ['NOT_FOUND'],
      async run(services, { caller, params }) {
        if (!(await services.passkeys.remove(caller.tenantId, caller.agentId, params.id))) throw refusal('NOT_FOUND');
        return { ok: true as const };
      },
    }),
  ],
};

const shown = ({ _id: id, name, created_at }: PasskeyRow): object => ({ id, name, created_at });
