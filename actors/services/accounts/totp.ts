import { timingSafeEqual } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

const PERIOD_SECONDS = 30;
const STEP_MS = PERIOD_SECONDS * 1_000;
const SECRET_BYTES = 20;

const totpOf = (secret: string, issuer = '', label = ''): TOTP =>
  new TOTP({ issuer, label, algorithm: 'SHA1', digits: 6, period: PERIOD_SECONDS, secret: Secret.fromBase32(secret) });

export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

export const otpauthUrl = (secret: string, issuer: string, label: string): string => totpOf(secret, issuer, label).toString();

export function stepOfCode(secret: string, code: string, now: number): number | null {
  const totp = totpOf(secret);
  const current = Math.floor(now / STEP_MS);
  const steps = [current, current - 1].filter((step) => isSame(totp.generate({ timestamp: step * STEP_MS }), code));
  return steps[0] ?? null;
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
