import Joi from 'joi';
import { digitsByForm } from '../../../actors/domain/numbers/read-number.ts';
import { CODE_TTL_SECONDS, CODES_PER_WINDOW, CODES_WINDOW_MS } from '../../../actors/services/accounts/one-time-codes.ts';
import { register, requestCode } from '../../../actors/services/accounts/sign-in.ts';
import { endLogin, type LoginDeps, openLogin, refreshLogin } from '../../auth/logins.ts';
import { networkOf } from '../../core/caller-address.ts';
import { type Area, type Call, type Lang, type OpenCall, rowsFor } from '../../core/row.ts';
import { type Limits, takeOrRefuse } from '../../limits/limits.ts';
import { AuthSuccessSchema, TwoFactorRequiredSchema } from './sign-in-answers.ts';
import { type CodeSignInDeps, OPENS_LOGIN, signInByCode } from './sign-ins.ts';

export interface AuthServices extends CodeSignInDeps, LoginDeps {
  readonly agents: CodeSignInDeps['agents'] & LoginDeps['agents'];
  readonly limits: Limits;
  readonly via: 'whatsapp' | 'sandbox';
}

interface Registering {
  name: string;
  phone: string;
  lang?: Lang;
}

const MINUTE_MS = 60_000;

const Phone = Joi.string()
  .min(8)
  .max(20)
  .pattern(/^[+\d][\d\s\-()]{7,18}\d$/)
  .required()
  .example('+62 812-3456-7890');
const Ok = Joi.object({ ok: Joi.boolean().required() });

const row = rowsFor<AuthServices>();

export const auth: Area<AuthServices> = {
  name: 'auth',
  about: 'Sign-up and login by a one-time code sent over the messaging network',
  rows: [
    row({
      id: 'register',
      method: 'POST',
      path: '/auth/register',
      summary: 'Sign up a business',
      about: 'Sign up a business on the Free plan. Its phone receives a one-time code. Signing up again counts as a request for a code',
      audit: { none: 'stores no business until the code is entered; the sign-in has an entry' },
      access: 'none',
      body: Joi.object<Registering>({
        name: Joi.string().min(1).max(64).pattern(/\S/).required().example('Kopi Senja'),
        phone: Phone,
        lang: Joi.string()
          .valid('en', 'id')
          .description(
            'Language of messages from the platform. Default: the language of the request, else the language of the country of the number',
          ),
      }),
      status: 200,
      returns: Ok,
      refuses: ['INVALID_NUMBER', 'PHONE_IN_USE', 'CONFLICT', 'RATE_LIMITED', 'NOT_DELIVERED', 'UNAVAILABLE'],
      run: signUp,
    }),
    row({
      id: 'requestOneTimeCode',
      method: 'POST',
      path: '/auth/request-otp',
      summary: 'Send a login code',
      about: 'Send a one-time code to a phone. The response is the same for unknown numbers. At most 5 codes in 15 minutes',
      audit: { none: 'a code changes nothing until it is entered' },
      access: 'none',
      body: Joi.object<{ phone: string }>({ phone: Phone }),
      status: 200,
      returns: Joi.object({
        ttl: Joi.number().integer().required().description('Seconds'),
        via: Joi.string().valid('whatsapp', 'sandbox').required(),
      }),
      refuses: ['INVALID_NUMBER', 'RATE_LIMITED'],
      run: askForCode,
    }),
    row({
      id: 'verifyOneTimeCode',
      method: 'POST',
      path: '/auth/verify-otp',
      summary: 'Exchange a login code',
      about: 'Exchange a login code for tokens',
      audit: { action: 'login.create', own: true },
      access: 'none',
      ...OPENS_LOGIN,
      body: Joi.object<{ phone: string; code: string }>({ phone: Phone, code: Joi.string().length(6).required().example('204816') }),
      status: 200,
      returns: Joi.alternatives(AuthSuccessSchema, TwoFactorRequiredSchema),
      refuses: ['INVALID_NUMBER', 'UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED'],
      run: (services, call) => signInByCode(services, call, (...proven) => openLogin(services, ...proven)),
    }),
    row({
      id: 'refreshLogin',
      method: 'POST',
      path: '/auth/refresh',
      summary: 'Refresh a login',
      about: 'Exchange a refresh token for a new pair of tokens. Using a refresh token twice ends the login',
      audit: { none: 'continues the same login; if it ends because a token was reused, that has a separate entry' },
      access: 'none',
      body: Joi.object<{ refresh_token: string }>({ refresh_token: Joi.string().min(20).max(512).required() }),
      status: 200,
      returns: AuthSuccessSchema,
      refuses: ['UNAUTHORIZED', 'FORBIDDEN'],
      run: (services, { body, now }) => refreshLogin(services, body.refresh_token, now),
    }),
    row({
      id: 'logout',
      whileEnding: true,
      method: 'POST',
      path: '/auth/logout',
      summary: 'End this login',
      about: 'Sign out: the refresh token and the JWT of this login stop working',
      audit: { action: 'login.end', on: 'logins' },
      stepUp: { none: 'takes access away' },
      access: 'login',
      agents: true,
      status: 200,
      returns: Ok,
      run: logOut,
    }),
  ],
};

async function signUp(
  services: AuthServices,
  { body, langAsked, address, now }: OpenCall<unknown, unknown, Registering>,
): Promise<{ ok: boolean }> {
  await take(services, `sign-up:${networkOf(address)}`, 60, MINUTE_MS, now);
  const admit = (digits: string): Promise<void> => admitSignUp(services, digits, now);
  await register(services, { name: body.name, phone: body.phone, lang: body.lang ?? langAsked, admit }, now);
  return { ok: true };
}

/** Limits sign-ups for a phone, because each code that is sent invalidates the previous one. */
async function admitSignUp(services: AuthServices, digits: string, now: number): Promise<void> {
  const { ok } = await services.limits.take(`first-sign-up:${digits}`, 1, CODES_WINDOW_MS, now);
  if (!ok) await takeCode(services, digits, now);
}

const takeCode = (services: AuthServices, digits: string, now: number): Promise<void> =>
  take(services, `one-time-code:${digits}`, CODES_PER_WINDOW, CODES_WINDOW_MS, now);

async function askForCode(services: AuthServices, { body, address, now }: OpenCall<unknown, unknown, { phone: string }>) {
  await take(services, `code-requests:${networkOf(address)}`, 60, MINUTE_MS, now);
  const digits = digitsByForm(body.phone, null);
  await takeCode(services, digits, now);
  await requestCode(services, digits, now);
  return { ttl: CODE_TTL_SECONDS, via: services.via };
}

async function logOut(services: AuthServices, { caller, now }: Call<unknown, unknown, unknown>): Promise<{ ok: boolean }> {
  if (caller.family !== null) await endLogin(services, caller.tenantId, caller.family, now);
  if (caller.role === 'agent') await services.agents.away(caller.tenantId, caller.agentId, now);
  return { ok: true };
}

const take = ({ limits }: AuthServices, key: string, max: number, windowMs: number, now: number): Promise<void> =>
  takeOrRefuse(limits, { key, max, windowMs }, now);
