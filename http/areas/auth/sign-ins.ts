import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { refusal } from '../../../actors/domain/refusals.ts';
import { namedBy, type PasskeyDeps, provenBy } from '../../../actors/services/accounts/passkeys.ts';
import { expectPerson, holderOf, type Person, type SignInDeps, verifyCode } from '../../../actors/services/accounts/sign-in.ts';
import {
  acceptCode,
  challenge,
  challenged,
  endChallenge,
  isRecoveryCode,
  type TwoFactorDeps,
  twoFactorStatus,
} from '../../../actors/services/accounts/two-factor.ts';
import type { AuditTrail } from '../../../actors/services/audit/audit-trail.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { Logins } from '../../../store/accounts/logins.ts';
import type { OneTimeCodes } from '../../../store/accounts/one-time-codes.ts';
import type { AuditDraft } from '../../../store/audit/entry.ts';
import type { Proof } from '../../auth/logins.ts';
import { networkOf } from '../../core/caller-address.ts';
import type { Call } from '../../core/row.ts';
import { type Limits, takeOrRefuse } from '../../limits/limits.ts';
import { refused, signInDraft, type TwoFactorRequired } from './sign-in-answers.ts';

type By<Body> = Pick<Call<unknown, unknown, Body>, 'body' | 'address' | 'requestId' | 'header' | 'now'>;

const MAX_USER_AGENT = 256;

export const OPENS_LOGIN = { headers: ['user-agent'] } as const;

/** The value is displayed to people, so only printable characters are kept. */
const userAgentOf = ({ header }: Pick<By<unknown>, 'header'>): string | null =>
  header('user-agent')
    ?.replace(/[^\x20-\x7e]/g, '')
    .slice(0, MAX_USER_AGENT) || null;

export type Open<Answer> = (person: Person, proof: Proof, now: number) => Promise<Answer>;

export interface Factor {
  readonly code?: string;
  readonly credential?: AuthenticationResponseJSON;
}

export interface CodeSignInDeps extends SignInDeps {
  readonly oneTimeCodes: GuessDeps['oneTimeCodes'];
  readonly audit: AuditTrail;
  readonly logins: Logins;
}

export interface FactorSignInDeps extends TwoFactorDeps, PasskeyDeps {
  readonly audit: AuditTrail;
}

interface GuessDeps {
  readonly oneTimeCodes: Pick<OneTimeCodes, 'takeFailure' | 'giveBackFailure'>;
}

export interface PasskeySignInDeps extends PasskeyDeps {
  readonly audit: AuditTrail;
  readonly limits: Limits;
}

const MINUTE_MS = 60_000;
const TRIES_PER_MINUTE = 60;
/**
 * Wrong codes allowed from one network (see `networkOf`). The limit is high, because a lockout
 * affects everyone on the network.
 */
const WRONG_CODES = 100;
const WRONG_CODES_MS = 10 * MINUTE_MS;

/** Fails with INVALID_NUMBER, UNAUTHORIZED, FORBIDDEN or RATE_LIMITED. */
export async function signInByCode<Answer>(
  services: CodeSignInDeps,
  call: By<{ readonly phone: string; readonly code: string }>,
  open: Open<Answer>,
): Promise<Answer | TwoFactorRequired> {
  const { body, now } = call;
  const person = await guessed(services, call, () =>
    verifyCode(services, body.phone, body.code, now).catch(async (cause) => {
      if (!(cause instanceof Refusal)) throw cause;
      const holder = await holderOf(services, body.phone);
      if (holder) await services.audit.refused(signInDraft(holder, call, 'otp'), cause.code);
      throw cause;
    }),
  );
  if (await isTwoFactorOn(services, person)) return required(services, person, now);
  const proof = { auth: 'otp', address: call.address, userAgent: userAgentOf(call), secondFactorAt: null } as const;
  const answer = await services.audit.act(signInDraft(person, call, 'otp'), { collection: 'logins' }, () => open(person, proof, now));
  // If two-factor was turned on while this login was being opened, the login is ended and a code is
  // required.
  if (!(await isTwoFactorOn(services, person))) return answer;
  await services.logins.endOthers(person.tenantId, person.agentId, '', now);
  return required(services, person, now);
}

export async function signInByFactor<Answer>(
  services: FactorSignInDeps,
  call: By<Factor & { readonly challenge: string }>,
  open: Open<Answer>,
): Promise<Answer> {
  const { body, address, now } = call;
  const auth = body.credential ? 'passkey' : 'totp';
  const { person, draft } = await guessed(services, call, async () => {
    const person = await expectPerson(services, await challenged(services, body.challenge, now));
    const draft = signInDraft(person, call, auth);
    await acceptFactor(services, person, call).catch((cause) => refused(services, draft, cause));
    await endChallenge(services, body.challenge);
    return { person, draft };
  });
  return services.audit.act(draft, { collection: 'logins' }, () =>
    open(person, { auth, address, userAgent: userAgentOf(call), secondFactorAt: now }, now),
  );
}

/** Fails with UNAUTHORIZED, FORBIDDEN, CONFLICT (no passkeys at this address) or RATE_LIMITED. */
export async function signInByPasskey<Answer>(
  services: PasskeySignInDeps,
  call: By<{ readonly credential: AuthenticationResponseJSON }>,
  open: Open<Answer>,
): Promise<Answer> {
  const { body, address, now } = call;
  await takePasskeyTry(services, `passkeys:${networkOf(address)}`, now);
  const person = await provenBy(services, body.credential, now).catch(async (cause) => {
    const named = await namedBy(services, body.credential);
    if (named) return refused(services, signInDraft(named, call, 'passkey'), cause);
    throw cause;
  });
  return services.audit.act(signInDraft(person, call, 'passkey'), { collection: 'logins' }, () =>
    open(person, { auth: 'passkey', address, userAgent: userAgentOf(call), secondFactorAt: now }, now),
  );
}

/**
 * Counts a failure before checking the guess, because guesses may run in parallel. A correct guess
 * is refunded.
 */
async function guessed<T>({ oneTimeCodes }: GuessDeps, { address, now }: By<unknown>, look: () => Promise<T>): Promise<T> {
  const counter = `codes from ${networkOf(address)} in ${Math.floor(now / WRONG_CODES_MS)}`;
  if (!(await oneTimeCodes.takeFailure(counter, WRONG_CODES, now)))
    throw refusal('RATE_LIMITED', { retryAfterMs: WRONG_CODES_MS - (now % WRONG_CODES_MS), limit: WRONG_CODES });
  let isWrong = false;
  try {
    return await look();
  } catch (cause) {
    isWrong = cause instanceof Refusal && cause.code === 'UNAUTHORIZED';
    throw cause;
  } finally {
    // If the refund fails, the attempt stays counted. Failing the sign-in would be worse, because
    // its code is used up.
    if (!isWrong) await oneTimeCodes.giveBackFailure(counter, now).catch(() => {});
  }
}

export const takePasskeyTry = ({ limits }: { readonly limits: Limits }, key: string, now: number): Promise<void> =>
  takeOrRefuse(limits, { key, max: TRIES_PER_MINUTE, windowMs: MINUTE_MS }, now);

/** Fails with UNAUTHORIZED, CONFLICT (two-factor is off), RATE_LIMITED or FORBIDDEN (suspended). */
export async function acceptFactor(services: FactorSignInDeps, person: Person, call: By<Factor>): Promise<void> {
  const { code = '', credential } = call.body;
  if (credential) await provenBy(services, credential, call.now, person.agentId);
  else await acceptAudited(services, { person: person.agentId, code, draft: signInDraft(person, call, 'totp') }, call.now);
}

export function acceptAudited(
  services: TwoFactorDeps & { readonly audit: AuditTrail },
  { person, code, draft }: { readonly person: string; readonly code: string; readonly draft: AuditDraft },
  now: number,
): Promise<void> {
  const accept = (): Promise<void> => acceptCode(services, person, code, now);
  if (!isRecoveryCode(code)) return accept();
  const used: AuditDraft = { ...draft, action: 'two_factor.use_recovery_code', target: { kind: 'two_factor', id: person } };
  return services.audit.act(used, { collection: 'second_factors' }, accept);
}

const isTwoFactorOn = async (services: CodeSignInDeps, { agentId }: Person): Promise<boolean> =>
  (await twoFactorStatus(services, agentId)).enabled;

const required = async (services: CodeSignInDeps, person: Person, now: number): Promise<TwoFactorRequired> => ({
  two_factor_required: true,
  challenge: await challenge(services, person, now),
  role: person.role,
});
