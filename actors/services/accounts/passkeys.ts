import { hash } from 'node:crypto';
import { isIP } from 'node:net';
import type {
  AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { newId } from '../../../runtime/ids.ts';
import type { PasskeyRow, Passkeys } from '../../../store/accounts/passkeys.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { Agents } from '../../../store/agents/agents.ts';
import { refusal } from '../../domain/refusals.ts';
import { expectPerson, findPerson, type Person } from './sign-in.ts';

/**
 * Sign-in with a passkey, which counts as both factors. Each challenge works once, and a passkey is
 * bound to the gateway's host name. Private keys never leave the authenticator.
 */

export interface PasskeyDeps {
  readonly passkeys: Passkeys;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly agents: Pick<Agents, 'find'>;
  address(): string;
}

type CreationOptions = Awaited<ReturnType<typeof generateRegistrationOptions>>;
type RequestOptions = Awaited<ReturnType<typeof generateAuthenticationOptions>>;

/** The library is loaded on demand, because it has hundreds of modules, and few people need it. */
const library = () => import('@simplewebauthn/server');

const NAME = 'Messaging Gateway';
const CHALLENGE_MS = 5 * 60_000;
const PASSKEYS_PER_PERSON = 20;
/** COSE identifiers of EdDSA, ES256 and RS256. */
const ALGORITHMS = [-8, -7, -257];

const WRONG = { en: 'the passkey was not accepted', id: 'passkey tidak diterima' };
const NO_HOST = {
  en: 'passkeys need a host name: set BASE_URL to a host name instead of an IP address',
  id: 'passkey memerlukan nama host: isi BASE_URL dengan nama host, bukan alamat IP',
};
const FULL = {
  en: `the passkey is already registered, or you already have ${PASSKEYS_PER_PERSON} passkeys`,
  id: `passkey sudah terdaftar, atau Anda sudah memiliki ${PASSKEYS_PER_PERSON} passkey`,
};

interface RelyingParty {
  readonly id: string;
  readonly origin: string;
}

const HERE = /^(127(\.\d{1,3}){3}|0\.0\.0\.0|::1?)$/;

/** Returns null for IP addresses, because browsers reject those. Loopback becomes `localhost`. */
export function relyingPartyAt(address: string): RelyingParty | null {
  const url = new URL(address);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (HERE.test(host)) url.hostname = 'localhost';
  else if (isIP(host) !== 0) return null;
  return { id: url.hostname, origin: url.origin };
}

function relyingPartyOf({ address }: PasskeyDeps): RelyingParty {
  const found = relyingPartyAt(address());
  if (!found) throw refusal('CONFLICT', { reason: NO_HOST });
  return found;
}

const registering = (person: string): string => `registering ${person}`;
const fingerprint = (challenge: string): string => hash('sha256', challenge, 'hex');

function challengeIn({ response: { clientDataJSON } }: { readonly response: { readonly clientDataJSON: string } }): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString());
    return typeof challenge === 'string' ? challenge : '';
  } catch {
    return '';
  }
}

export async function creationOptions(deps: PasskeyDeps, { tenantId, agentId, agentName }: Person, now: number): Promise<CreationOptions> {
  const { id } = relyingPartyOf(deps);
  const known = await deps.passkeys.list(tenantId, agentId);
  const { generateRegistrationOptions } = await library();
  const options = await generateRegistrationOptions({
    rpName: NAME,
    rpID: id,
    userName: agentName,
    userDisplayName: agentName,
    userID: Uint8Array.from(Buffer.from(agentId)),
    attestationType: 'none',
    excludeCredentials: known.map(({ credential }) => ({ id: credential })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  });
  await deps.passkeys.putChallenge(registering(agentId), fingerprint(options.challenge), now + CHALLENGE_MS);
  return options;
}

export async function addPasskey(
  deps: PasskeyDeps,
  { tenantId, role, agentId }: Person,
  { name, credential }: { readonly name: string; readonly credential: RegistrationResponseJSON },
  now: number,
): Promise<PasskeyRow> {
  const rp = relyingPartyOf(deps);
  const { verifyRegistrationResponse } = await library();
  const challenge = challengeIn(credential);
  if (!(await deps.passkeys.takeChallenge(registering(agentId), fingerprint(challenge), now)))
    throw refusal('VALIDATION_FAILED', { reason: WRONG });
  const made = await verifyRegistrationResponse({
    response: credential,
    expectedChallenge: challenge,
    expectedOrigin: rp.origin,
    expectedRPID: rp.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(() => null);
  // Attestation was not requested. An unrequested one is unverified, so the passkey is rejected.
  if (!made?.verified || made.registrationInfo.fmt !== 'none') throw refusal('VALIDATION_FAILED', { reason: WRONG });
  const { id, publicKey, counter } = made.registrationInfo.credential;
  const row: PasskeyRow = {
    _id: newId(now),
    tenant_id: tenantId,
    role,
    person: agentId,
    name,
    credential: id,
    public_key: Buffer.from(publicKey).toString('base64url'),
    host: relyingPartyOf(deps).id,
    counter,
    created_at: now,
  };
  if (!(await deps.passkeys.add(row, PASSKEYS_PER_PERSON))) throw refusal('CONFLICT', { reason: FULL });
  return row;
}

export async function requestOptions(deps: PasskeyDeps, now: number): Promise<RequestOptions> {
  const { id } = relyingPartyOf(deps);
  const { generateAuthenticationOptions } = await library();
  const options = await generateAuthenticationOptions({ rpID: id, userVerification: 'required' });
  const challenge = fingerprint(options.challenge);
  await deps.passkeys.putChallenge(challenge, challenge, now + CHALLENGE_MS);
  return options;
}

export async function namedBy(deps: PasskeyDeps, { id }: AuthenticationResponseJSON): Promise<Person | null> {
  const row = await deps.passkeys.byCredential(id);
  return row && findPerson(deps, whomOf(row));
}

/** Returns whose passkey it is. Rejects a decreasing counter, which reveals a copied passkey. */
export async function provenBy(deps: PasskeyDeps, credential: AuthenticationResponseJSON, now: number, of?: string): Promise<Person> {
  const known = await deps.passkeys.byCredential(credential.id);
  const row = of === undefined || known?.person === of ? known : null;
  const proof = await verified(deps, row, credential, now);
  if (!row || proof === null || !(await deps.passkeys.advance(row._id, row.counter, proof.counter)))
    throw refusal('UNAUTHORIZED', { reason: WRONG });
  return expectPerson(deps, whomOf(row));
}

async function verified(
  deps: PasskeyDeps,
  row: PasskeyRow | null,
  credential: AuthenticationResponseJSON,
  now: number,
): Promise<{ readonly counter: number } | null> {
  if (!row || credential.response.userHandle !== Buffer.from(row.person).toString('base64url')) return null;
  const rp = relyingPartyOf(deps);
  const { verifyAuthenticationResponse } = await library();
  const challenge = challengeIn(credential);
  const spent = fingerprint(challenge);
  if (!(await deps.passkeys.takeChallenge(spent, spent, now))) return null;
  const answer = await verifyAuthenticationResponse({
    response: credential,
    expectedChallenge: challenge,
    expectedOrigin: rp.origin,
    expectedRPID: rp.id,
    requireUserVerification: true,
    credential: { id: row.credential, publicKey: Uint8Array.from(Buffer.from(row.public_key, 'base64url')), counter: row.counter },
  }).catch(() => null);
  return answer?.verified ? { counter: answer.authenticationInfo.newCounter } : null;
}

const whomOf = ({ tenant_id: tenantId, role, person: agentId }: PasskeyRow) => ({ tenantId, role, agentId });
