/**
 * Access tokens (JWT) and refresh tokens. Nothing is stored here: every node derives the same keys
 * from JWT_SECRET, so any node can verify the tokens of the others.
 */

import { createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { JOSEError } from 'jose/errors';
import { SignJWT } from 'jose/jwt/sign';
import { jwtVerify } from 'jose/jwt/verify';

const ACCESS_TTL_SECONDS = 7_200;

const ISSUER = 'messaging-gateway';
const AUDIENCE = 'messaging-gateway/v1';
const TYPE = 'at+jwt';
const LONGEST_TOKEN = 2_048;

export interface Claims {
  readonly tenantId: string;
  readonly role: 'admin' | 'agent';
  readonly agentId: string;
  readonly family: string;
  /** Time of the second factor in epoch ms; if absent, the login's value applies. */
  readonly factorAt?: number;
}

export interface ReadClaims extends Claims {
  readonly expiresAt: number;
}

export const expiryOf = (now: number): number => (Math.floor(now / 1000) + ACCESS_TTL_SECONDS) * 1000;

export interface Tokens {
  issue(claims: Claims, now: number): Promise<string>;
  read(token: string, now: number): Promise<ReadClaims | null>;
  /** Creates a signed token, so that a used token differs from one that was never issued. */
  refreshToken(family: string): string;
  familyOf(refreshToken: string): string | null;
}

/** The tokens have enough randomness, so a fast hash is sufficient. */
export const fingerprint = (token: string): string => hash('sha256', token, 'hex');

const KEY_BYTES = 32;

/** Never starts with a dash, because a command would read such a key as one of its options. */
export function newApiKey(): string {
  for (;;) {
    const key = randomBytes(KEY_BYTES).toString('base64url');
    if (!key.startsWith('-')) return key;
  }
}

export function createTokens(secret: string): Tokens {
  const signing = Buffer.from(hkdfSync('sha256', secret, '', 'access tokens', 32));
  const marking = Buffer.from(hkdfSync('sha256', secret, '', 'refresh tokens', 32));
  const markOf = (unmarked: string): string => createHmac('sha256', marking).update(unmarked).digest('base64url').slice(0, 22);

  return {
    issue({ tenantId, role, agentId, family, factorAt }, now) {
      const issued = Math.floor(now / 1000);
      return new SignJWT({ tenant: tenantId, role, agent: agentId, family, ...(factorAt !== undefined && { factor: factorAt }) })
        .setProtectedHeader({ alg: 'HS256', typ: TYPE })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setIssuedAt(issued)
        .setExpirationTime(issued + ACCESS_TTL_SECONDS)
        .sign(signing);
    },

    async read(token, now) {
      if (token.length > LONGEST_TOKEN || !isCanonical(token)) return null;
      try {
        const { payload } = await jwtVerify(token, signing, {
          algorithms: ['HS256'],
          issuer: ISSUER,
          audience: AUDIENCE,
          typ: TYPE,
          requiredClaims: ['exp'],
          currentDate: new Date(now),
        });
        return claimsIn(payload);
      } catch (cause) {
        if (cause instanceof JOSEError) return null;
        throw cause;
      }
    },

    refreshToken(family) {
      const unmarked = `${family}.${randomBytes(24).toString('base64url')}`;
      return `${unmarked}.${markOf(unmarked)}`;
    },

    familyOf(refreshToken) {
      const [family = '', random = '', mark = '', ...more] = refreshToken.split('.', 4);
      return more.length === 0 && isSame(mark, markOf(`${family}.${random}`)) ? family : null;
    },
  };
}

/** Rejects other spellings of a token, which exist because base64url decoders ignore spare bits. */
const isCanonical = (token: string): boolean =>
  token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);

function claimsIn(payload: Readonly<Record<string, unknown>>): ReadClaims | null {
  const { tenant, role, agent, family, factor, exp } = payload;
  if (typeof tenant !== 'string' || typeof agent !== 'string' || typeof family !== 'string' || typeof exp !== 'number') return null;
  if (role !== 'admin' && role !== 'agent') return null;
  const proven = typeof factor === 'number' ? { factorAt: factor } : {};
  return { tenantId: tenant, role, agentId: agent, family, ...proven, expiresAt: exp * 1000 };
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
