import { Secret, TOTP } from 'otpauth';
import { type Answer, type Api, codeOn, type Gateway, type Tenant } from './gateway.ts';

export const STEP_MS = 30_000;

/** Returns an authenticator app's code generator. */
export const appWith = (gateway: Gateway, secret: string) => {
  const totp = new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30, algorithm: 'SHA1' });
  return (stepsAhead = 0): string => totp.generate({ timestamp: gateway.clock.now() + stepsAhead * STEP_MS });
};

/** Enables two-factor for the caller, and advances the clock to the next code, because the first one has been used. */
export async function enabled(gateway: Gateway, api: Api) {
  const { body } = await api('POST', '/v1/2fa/setup');
  const app = appWith(gateway, body.secret);
  const { recovery_codes } = (await api('POST', '/v1/2fa/enable', { code: app() })).body;
  await gateway.clock.advance(STEP_MS);
  return { app, recovery: recovery_codes as string[] };
}

/** Completes the first factor with the code that arrives on the phone. */
export async function firstFactor(gateway: Gateway, { phone }: Pick<Tenant, 'phone'>): Promise<Answer['body']> {
  const old = codeOn(gateway.sandbox, phone);
  await gateway.api('POST', '/auth/request-otp', { phone: `+${phone}` });
  const code = await gateway.until('a code', () => codeOn(gateway.sandbox, phone) !== old && codeOn(gateway.sandbox, phone));
  return (await gateway.api('POST', '/auth/verify-otp', { phone: `+${phone}`, code })).body;
}
