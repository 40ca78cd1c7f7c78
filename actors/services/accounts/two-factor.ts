import { hash, randomBytes } from 'node:crypto';
import type { Sealer } from '../../../runtime/sealing/seal.ts';
import type { OneTimeCodes } from '../../../store/accounts/one-time-codes.ts';
import type { SecondFactors } from '../../../store/accounts/second-factors.ts';
import { refusal } from '../../domain/refusals.ts';
import { GROUP } from '../credentials/sealed-secrets.ts';
import type { Person } from './sign-in.ts';
import { newTotpSecret, otpauthUrl, stepOfCode } from './totp.ts';

/**
 * Two-factor sign-in with authenticator codes and recovery codes. Invariant: each code works once,
 * and wrong guesses are limited per person and day, across all challenges. The secret is sealed;
 * recovery codes are stored as keyed hashes (store/accounts/second-factors.ts).
 */

export interface TwoFactorDeps {
  readonly secondFactors: SecondFactors;
  readonly oneTimeCodes: Pick<OneTimeCodes, 'takeFailure' | 'giveBackFailure'>;
  readonly sealer: Sealer;
}

const ISSUER = 'Messaging Gateway';
const aboutOf = (person: string): string => `second factor ${person}`;
const SETUP_MS = 10 * 60_000;
const CHALLENGE_MS = 5 * 60_000;
const CHALLENGE_TRIES = 5;
/** Maximum number of wrong codes per person, across all challenges and calls. */
const WRONG_CODES_A_DAY = 30;
const RECOVERY_CODES = 10;
/** 10 bytes (80 bits) cannot be guessed, so a fast keyed hash is sufficient. */
const RECOVERY_BYTES = 10;

const WRONG = { en: 'the code is wrong, has already been used, or has expired', id: 'kode salah, sudah dipakai, atau kedaluwarsa' };
const NOT_ON = { en: 'two-factor sign-in is not on', id: 'verifikasi dua faktor tidak aktif' };
const IS_ON = { en: 'two-factor sign-in is already on', id: 'verifikasi dua faktor sudah aktif' };
const NO_SETUP = {
  en: 'set up two-factor sign-in first; a secret is valid for 10 minutes',
  id: 'siapkan verifikasi dua faktor dahulu; rahasia berlaku 10 menit',
};

export async function setUpTwoFactor(
  { secondFactors, sealer }: TwoFactorDeps,
  person: string,
  tenantId: string,
  label: string,
  now: number,
): Promise<{ otpauth_url: string; secret: string }> {
  const secret = newTotpSecret();
  const pending = { secret: sealer.seal(GROUP, aboutOf(person), secret), expires_at: now + SETUP_MS };
  if (!(await secondFactors.propose(person, tenantId, pending))) throw refusal('CONFLICT', { reason: IS_ON });
  return { otpauth_url: otpauthUrl(secret, ISSUER, label), secret };
}

export async function enableTwoFactor(
  deps: TwoFactorDeps,
  person: string,
  code: string,
  now: number,
  prepare: () => Promise<void> = async () => {},
): Promise<readonly string[]> {
  const row = await deps.secondFactors.find(person);
  if (row?.secret) throw refusal('CONFLICT', { reason: IS_ON });
  if (!row?.pending || row.pending.expires_at <= now) throw refusal('CONFLICT', { reason: NO_SETUP });
  const { pending } = row;
  return guessed(deps, person, now, async () => {
    const step = stepOfCode(deps.sealer.open(GROUP, aboutOf(person), pending.secret), code, now);
    if (step === null) return null;
    await prepare();
    const codes = newRecoveryCodes();
    const hashes = codes.map((one) => hashOf(deps, person, one));
    return (await deps.secondFactors.enable(person, pending.secret, step, hashes, now)) ? codes : null;
  });
}

export const isRecoveryCode = (code: string): boolean => !/^\d{6}$/.test(code);

export async function acceptCode(deps: TwoFactorDeps, person: string, code: string, now: number): Promise<void> {
  const row = await deps.secondFactors.find(person);
  if (!row?.secret) throw refusal('CONFLICT', { reason: NOT_ON });
  const factor = { _id: row._id, secret: row.secret };
  await guessed(deps, person, now, async () => (await isAccepted(deps, factor, code, now)) || null);
}

async function isAccepted(
  deps: TwoFactorDeps,
  { _id, secret }: { readonly _id: string; readonly secret: string },
  code: string,
  now: number,
): Promise<boolean> {
  if (isRecoveryCode(code)) return deps.secondFactors.spendRecovery(_id, hashOf(deps, _id, code));
  const step = stepOfCode(deps.sealer.open(GROUP, aboutOf(_id), secret), code, now);
  return step !== null && deps.secondFactors.spendStep(_id, step);
}

/** Counts each guess before checking it, because guesses may be concurrent. Right ones are subtracted. */
async function guessed<T>({ oneTimeCodes }: TwoFactorDeps, person: string, now: number, look: () => Promise<T | null>): Promise<T> {
  const counter = `second factor ${person}`;
  if (!(await oneTimeCodes.takeFailure(counter, WRONG_CODES_A_DAY, now)))
    throw refusal('RATE_LIMITED', { retryAfterMs: untilTomorrow(now), limit: WRONG_CODES_A_DAY });
  const found = await look();
  if (found === null) throw refusal('UNAUTHORIZED', { reason: WRONG });
  await oneTimeCodes.giveBackFailure(counter, now);
  return found;
}

const DAY_MS = 86_400_000;
const untilTomorrow = (now: number): number => DAY_MS - (now % DAY_MS);

export async function disableTwoFactor(deps: TwoFactorDeps, person: string, code: string, now: number): Promise<void> {
  await acceptCode(deps, person, code, now);
  await deps.secondFactors.disable(person);
}

export async function renewRecoveryCodes(deps: TwoFactorDeps, person: string, code: string, now: number): Promise<readonly string[]> {
  await acceptCode(deps, person, code, now);
  const codes = newRecoveryCodes();
  await deps.secondFactors.replaceRecovery(
    person,
    codes.map((one) => hashOf(deps, person, one)),
  );
  return codes;
}

export async function twoFactorStatus(
  { secondFactors }: Pick<TwoFactorDeps, 'secondFactors'>,
  person: string,
): Promise<{ enabled: boolean; recovery_codes_left: number }> {
  const row = await secondFactors.find(person);
  return { enabled: row?.secret != null, recovery_codes_left: row?.secret ? row.recovery.length : 0 };
}

export async function challenge({ secondFactors }: Pick<TwoFactorDeps, 'secondFactors'>, person: Person, now: number): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const { tenantId, role, agentId, agentName } = person;
  const row = { tenant_id: tenantId, role, agent_id: agentId, agent_name: agentName, tries: 0, expires_at: now + CHALLENGE_MS };
  await secondFactors.openChallenge({ _id: hash('sha256', token, 'hex'), ...row });
  return token;
}

export async function challenged({ secondFactors }: Pick<TwoFactorDeps, 'secondFactors'>, token: string, now: number): Promise<Person> {
  const row = await secondFactors.tryChallenge(hash('sha256', token, 'hex'), CHALLENGE_TRIES, now);
  if (!row) throw refusal('UNAUTHORIZED', { reason: WRONG });
  return { tenantId: row.tenant_id, role: row.role, agentId: row.agent_id, agentName: row.agent_name };
}

export async function endChallenge({ secondFactors }: Pick<TwoFactorDeps, 'secondFactors'>, token: string): Promise<void> {
  if (!(await secondFactors.endChallenge(hash('sha256', token, 'hex')))) throw refusal('UNAUTHORIZED', { reason: WRONG });
}

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Crockford's base32 avoids letters that look like digits. */
const newRecoveryCodes = (): string[] =>
  Array.from({ length: RECOVERY_CODES }, () => {
    const bits = BigInt(`0x${randomBytes(RECOVERY_BYTES).toString('hex')}`);
    const text = Array.from({ length: 16 }, (_, nth) => LETTERS[Number((bits >> BigInt(5 * nth)) & 31n)]).join('');
    return text.replace(/(.{4})(?=.)/g, '$1-');
  });

const hashOf = ({ sealer }: Pick<TwoFactorDeps, 'sealer'>, person: string, code: string): string =>
  sealer.keyedHash(GROUP, `${aboutOf(person)} ${code.toUpperCase().replace(/[\s-]/g, '').replace(/O/g, '0').replace(/[IL]/g, '1')}`);
