import Joi from 'joi';
import { CODE_TTL_SECONDS } from '../../actors/one-time-codes.ts';
import { resolveNumber } from '../../actors/phone-numbers.ts';
import { refusal } from '../../actors/refusals.ts';
import { register, requestCode, type SignInPorts, verifyCode } from '../../actors/sign-in.ts';
import type { Limits } from '../limits.ts';
import { type AuthSuccess, endLogin, type LoginPorts, openLogin, refreshLogin } from '../logins.ts';
import { type Area, type Call, type Lang, rowsFor } from '../row.ts';

export interface AuthWorld extends SignInPorts, LoginPorts {
  readonly agents: SignInPorts['agents'] & LoginPorts['agents'];
  readonly limits: Limits;
  /** The network that carries one-time codes. */
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
const AuthSuccessSchema = Joi.object<AuthSuccess>({
  token: Joi.string().required().description('JWT, good for 2 hours'),
  refresh_token: Joi.string().required().description('Good for 30 days, once'),
  role: Joi.string().valid('admin', 'agent').required(),
  agent_id: Joi.string().required(),
  agent_name: Joi.string().allow('').required(),
}).meta({ title: 'AuthSuccess' });

const row = rowsFor<AuthWorld>();

export const auth: Area<AuthWorld> = {
  name: 'auth',
  about: 'Sign-up and login by a one-time code sent over the messaging network',
  rows: [
    row({
      id: 'register',
      method: 'POST',
      path: '/auth/register',
      summary: 'Sign a business up on the Free plan; its phone gets a one-time code',
      access: 'none',
      body: Joi.object<Registering>({
        name: Joi.string().min(1).max(64).pattern(/\S/).required().example('Kopi Senja'),
        phone: Phone,
        lang: Joi.string().valid('en', 'id').description('Language of messages from the platform; default: that of the request'),
      }),
      status: 200,
      returns: Ok,
      refuses: ['INVALID_NUMBER', 'PHONE_IN_USE', 'RATE_LIMITED', 'NOT_DELIVERED', 'UNAVAILABLE'],
      run: signUp,
    }),
    row({
      id: 'requestOneTimeCode',
      method: 'POST',
      path: '/auth/request-otp',
      summary: 'Send a login code; the answer is the same for an unknown phone. 5 in a quarter of an hour',
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
      summary: 'Trade a login code for tokens',
      access: 'none',
      body: Joi.object<{ phone: string; code: string }>({ phone: Phone, code: Joi.string().length(6).required().example('204816') }),
      status: 200,
      returns: AuthSuccessSchema,
      refuses: ['INVALID_NUMBER', 'UNAUTHORIZED', 'FORBIDDEN', 'RATE_LIMITED'],
      run: async (world, { body, now }) => openLogin(world, await verifyCode(world, body.phone, body.code, now), now),
    }),
    row({
      id: 'refreshLogin',
      method: 'POST',
      path: '/auth/refresh',
      summary: 'Trade a refresh token for a new pair; one that was used before ends its login',
      access: 'none',
      body: Joi.object<{ refresh_token: string }>({ refresh_token: Joi.string().min(20).max(512).required() }),
      status: 200,
      returns: AuthSuccessSchema,
      refuses: ['UNAUTHORIZED', 'FORBIDDEN'],
      run: (world, { body, now }) => refreshLogin(world, body.refresh_token, now),
    }),
    row({
      id: 'logout',
      method: 'POST',
      path: '/auth/logout',
      summary: 'End this login: its refresh token and its JWT',
      access: 'login',
      status: 200,
      returns: Ok,
      run: logOut,
    }),
  ],
};

async function signUp(world: AuthWorld, { body, lang, address, now }: Call<unknown, unknown, Registering>): Promise<{ ok: boolean }> {
  await take(world, `sign-up:${address}`, 60, MINUTE_MS, now);
  await register(world, { name: body.name, phone: body.phone, lang: body.lang ?? lang, chosen: body.lang }, now);
  return { ok: true };
}

async function askForCode(world: AuthWorld, { body, now }: Call<unknown, unknown, { phone: string }>) {
  const digits = resolveNumber(body.phone, null);
  await take(world, `one-time-code:${digits}`, 5, 15 * MINUTE_MS, now);
  await requestCode(world, digits, now);
  return { ttl: CODE_TTL_SECONDS, via: world.via };
}

async function logOut(world: AuthWorld, { caller, now }: Call<unknown, unknown, unknown>): Promise<{ ok: boolean }> {
  if (caller.family !== null) await endLogin(world, caller.tenantId, caller.family, now);
  if (caller.role === 'agent') await world.agents.away(caller.tenantId, caller.agentId);
  return { ok: true };
}

async function take({ limits }: AuthWorld, key: string, max: number, windowMs: number, now: number): Promise<void> {
  const { ok, resetMs } = await limits.take(key, max, windowMs, now);
  if (!ok) throw refusal('RATE_LIMITED', { retryAfterMs: resetMs });
}
