import Joi from 'joi';
import { refusal } from '../../../actors/domain/refusals.ts';
import type { PasskeyDeps } from '../../../actors/services/accounts/passkeys.ts';
import {
  disableTwoFactor,
  enableTwoFactor,
  renewRecoveryCodes,
  setUpTwoFactor,
  type TwoFactorDeps,
  twoFactorStatus,
} from '../../../actors/services/accounts/two-factor.ts';
import type { AuditTrail } from '../../../actors/services/audit/audit-trail.ts';
import type { LoginRow } from '../../../store/accounts/logins.ts';
import { endLogin, type LoginDeps, openLogin, stepUpLogin } from '../../auth/logins.ts';
import { type Area, type Call, type Caller, rowsFor } from '../../core/row.ts';
import { Done, Timestamp, Ulid } from '../../core/schemas.ts';
import { Assertion } from './passkey-schemas.ts';
import { AuthSuccessSchema } from './sign-in-answers.ts';
import { acceptFactor, type Factor, OPENS_LOGIN, signInByFactor } from './sign-ins.ts';

export interface TwoFactorServices extends TwoFactorDeps, LoginDeps, PasskeyDeps {
  readonly agents: LoginDeps['agents'] & PasskeyDeps['agents'];
  readonly tenants: LoginDeps['tenants'] & PasskeyDeps['tenants'];
  readonly audit: AuditTrail;
}

type Coded = Call<unknown, unknown, { code: string }>;

const Code = Joi.string()
  .min(6)
  .max(40)
  .example('204816')
  .description('Six digits from the authenticator app, or a recovery code. Each code works once');
const Codes = Joi.object({
  recovery_codes: Joi.array().items(Joi.string()).length(10).required().description('Shown only in this response'),
});
const Challenge = Joi.string().min(20).max(128).required().description('The challenge from `POST /auth/verify-otp`');
const coded = Joi.object<{ code: string }>({ code: Code.required() });
const factor = {
  code: Code,
  credential: Assertion.description('A passkey instead of `code`, for a challenge of `POST /auth/passkey/options`'),
};

const common = { agents: true, status: 200 } as const;

const row = rowsFor<TwoFactorServices>();

export const twoFactor: Area<TwoFactorServices> = {
  name: 'two-factor',
  about: 'Two-factor sign-in with an authenticator app, and the list of logins',
  rows: [
    row({
      id: 'verifySecondFactor',
      method: 'POST',
      path: '/auth/2fa/verify',
      summary: 'Finish a two-factor sign-in',
      example: { challenge: 'the challenge of the sign-in', code: '204816' },
      about: 'Finish a sign-in with a code from the authenticator app, a recovery code or a passkey. Five wrong attempts end the challenge',
      audit: { action: 'login.create', own: true },
      access: 'none',
      ...OPENS_LOGIN,
      body: Joi.object<Factor & { challenge: string }>({ challenge: Challenge, ...factor }).xor('code', 'credential'),
      status: 200,
      returns: AuthSuccessSchema,
      refuses: ['UNAUTHORIZED', 'CONFLICT', 'RATE_LIMITED'],
      run: (services, call) => signInByFactor(services, call, (...proven) => openLogin(services, ...proven)),
    }),
    row({
      ...common,
      access: 'login',
      id: 'stepUp',
      method: 'POST',
      path: '/auth/step-up',
      summary: 'Confirm the second factor again',
      example: { code: '204816' },
      about: 'Confirm a code again, for actions that need a code confirmed in the last ten minutes. Returns a new token for the same login',
      audit: { none: 'the confirmed action has its own entry, as does a used recovery code' },
      body: Joi.object<Factor>(factor).xor('code', 'credential'),
      returns: Joi.object({ token: Joi.string().required() }),
      refuses: ['UNAUTHORIZED', 'CONFLICT', 'RATE_LIMITED'],
      async run(services, call) {
        await acceptFactor(services, call.caller, call);
        return { token: await stepUpLogin(services, loginOf(call.caller), call.now) };
      },
    }),
    row({
      ...common,
      access: 'login',
      id: 'getTwoFactor',
      method: 'GET',
      path: '/v1/2fa',
      summary: 'Get two-factor status',
      about: 'Get the state of two-factor sign-in',
      returns: Joi.object({ enabled: Joi.boolean().required(), recovery_codes_left: Joi.number().integer().required() }),
      run: (services, { caller }) => twoFactorStatus(services, caller.agentId),
    }),
    row({
      ...common,
      access: 'login',
      id: 'setUpTwoFactor',
      method: 'POST',
      path: '/v1/2fa/setup',
      summary: 'Set up two-factor sign-in',
      about: 'Get a secret for an authenticator app. Confirm it with a code within ten minutes to use it',
      audit: { none: 'changes nothing before it is enabled' },
      returns: Joi.object({ otpauth_url: Joi.string().required(), secret: Joi.string().required() }),
      refuses: ['CONFLICT'],
      run: (services, { caller, now }) => setUpTwoFactor(services, caller.agentId, caller.tenantId, caller.agentName, now),
    }),
    row({
      ...common,
      access: 'login',
      id: 'enableTwoFactor',
      method: 'POST',
      path: '/v1/2fa/enable',
      summary: 'Turn two-factor on',
      about: 'Turn two-factor sign-in on with a first code. This ends all other logins of this person',
      audit: { action: 'two_factor.enable', on: 'second_factors' },
      stepUp: { none: 'the request itself contains a code' },
      body: coded,
      returns: Codes,
      refuses: ['UNAUTHORIZED', 'CONFLICT', 'RATE_LIMITED'],
      run: enable,
    }),
    row({
      ...common,
      access: 'login',
      id: 'disableTwoFactor',
      method: 'POST',
      path: '/v1/2fa/disable',
      summary: 'Turn two-factor off',
      about: 'Turn two-factor sign-in off',
      audit: { action: 'two_factor.disable', on: 'second_factors', kinds: ['delete'] },
      stepUp: { none: 'the request itself contains a code' },
      body: coded,
      returns: Done,
      refuses: ['UNAUTHORIZED', 'CONFLICT', 'RATE_LIMITED'],
      async run(services, { caller, body, now }) {
        await disableTwoFactor(services, caller.agentId, body.code, now);
        services.invalidate(caller.tenantId);
        return { ok: true as const };
      },
    }),
    row({
      ...common,
      access: 'login',
      id: 'renewRecoveryCodes',
      method: 'POST',
      path: '/v1/2fa/recovery-codes',
      summary: 'Renew the recovery codes',
      about: 'Get ten new recovery codes. The old codes stop working',
      audit: { action: 'two_factor.renew_recovery_codes', on: 'second_factors' },
      stepUp: { none: 'the request itself contains a code' },
      body: coded,
      returns: Codes,
      refuses: ['UNAUTHORIZED', 'CONFLICT', 'RATE_LIMITED'],
      run: async (services, { caller, body, now }: Coded) => ({
        recovery_codes: [...(await renewRecoveryCodes(services, caller.agentId, body.code, now))],
      }),
    }),
    row({
      ...common,
      access: 'login',
      id: 'listLogins',
      list: { of: 'logins' },
      method: 'GET',
      path: '/v1/logins',
      summary: 'List logins',
      about: 'List logins, newest first. Agents see only their own',
      returns: Joi.object({
        logins: Joi.array()
          .items(
            Joi.object({
              id: Ulid.required(),
              created_at: Timestamp.required(),
              last_seen_at: Timestamp.required().description('Rounded to the minute'),
              address: Joi.string().allow(null).required(),
              agent: Joi.string().allow(null).required().description("The agent's name; null for the owner"),
              user_agent: Joi.string()
                .allow(null)
                .required()
                .description('The client that opened the login, as it identified itself')
                .example('Mozilla/5.0'),
              current: Joi.boolean().required().description('Whether this is the login of this request'),
            }).meta({ title: 'Login' }),
          )
          .required(),
      }),
      async run({ logins }, { caller, now }) {
        const rows = await logins.list(caller.tenantId, ownOnly(caller), now);
        return { logins: rows.map((one) => toLogin(one, caller)) };
      },
    }),
    row({
      ...common,
      access: 'login',
      id: 'endLogin',
      method: 'DELETE',
      path: '/v1/logins/{id}',
      summary: 'End a login',
      about: 'End a login. Its tokens stop working within five seconds',
      audit: { action: 'login.end', on: 'logins' },
      stepUp: { none: 'takes access away' },
      params: Joi.object<{ id: string }>({ id: Ulid.required() }),
      returns: Done,
      refuses: ['NOT_FOUND'],
      async run(services, { caller, params, now }) {
        const found = await services.logins.findLive(caller.tenantId, params.id, now);
        const own = ownOnly(caller);
        if (!found || (own !== null && found.agent_id !== own)) throw refusal('NOT_FOUND');
        await endLogin(services, caller.tenantId, params.id, now);
        return { ok: true as const };
      },
    }),
  ],
};

const ownOnly = ({ role, agentId }: Caller): string | null => (role === 'agent' ? agentId : null);

const toLogin = (
  { _id: id, created_at, refreshed_at, seen_at, address, user_agent, role, agent_name }: LoginRow,
  { family }: Caller,
): object => ({
  user_agent: user_agent ?? null,
  id,
  created_at,
  last_seen_at: Math.max(refreshed_at, seen_at ?? 0),
  address: address ?? null,
  agent: role === 'agent' ? agent_name : null,
  current: id === family,
});

function loginOf({ tenantId, role, agentId, family }: Caller) {
  if (family === null) throw refusal('FORBIDDEN');
  return { tenantId, role, agentId, family };
}

async function enable(services: TwoFactorServices, { caller, body, now }: Coded): Promise<{ recovery_codes: string[] }> {
  const { tenantId, agentId, family } = loginOf(caller);
  const endOthers = (): Promise<void> => services.logins.endOthers(tenantId, agentId, family, now);
  // Ends the other logins before two-factor is enabled, in case of a crash, and again afterwards to
  // catch logins opened in between.
  const codes = await enableTwoFactor(services, agentId, body.code, now, endOthers);
  await services.logins.stepUp(tenantId, family, now);
  await endOthers();
  services.invalidate(tenantId);
  return { recovery_codes: [...codes] };
}
