import { isLid } from '../../jid.ts';
import type { SecretKind } from '../keys/secret-kind.ts';
import type { BinaryNode } from '../library.ts';
import { calculateMAC } from '../libsignal/crypto.ts';
import type { ConnectionContext } from '../session/connection-context.ts';

/** Times are in seconds. */
export interface Token {
  readonly token?: Uint8Array;
  readonly timestamp?: string;
  readonly senderTimestamp?: number;
}

/** Tokens are stored by the person's hidden address, or by number while that address is unknown. */
const TOKEN: SecretKind<Token> = 'tctoken';
const SALT: SecretKind<Uint8Array> = 'nct-salt';

type Parts = Pick<ConnectionContext, 'credentialBuffer' | 'library' | 'socket' | 'creds' | 'isHabit'>;

/** Proves that we may write to a person: with their token or our proof for strangers. */
export async function tokenNodes(parts: Parts, lid: string | null, kept: Token | undefined): Promise<readonly BinaryNode[]> {
  const token = validToken(parts, kept);
  if (token) return parts.socket.serverProps.privacyTokenOn1to1 ? [{ tag: 'tctoken', attrs: {}, content: token }] : [];
  return mayProve(parts, lid) ? proofNodes(parts, lid) : [];
}

export async function tokenOf({ credentialBuffer }: Parts, to: string, lid: string | null): Promise<Token | undefined> {
  const name = lid ?? to;
  return (await credentialBuffer.get(TOKEN, [name]))[name];
}

/** Returns our proof for strangers if we have no token from the person. The library adds tokens itself. */
export async function proofUnlessToken(parts: Parts, to: string, lid: string | null): Promise<readonly BinaryNode[]> {
  if (!mayProve(parts, lid)) return [];
  return validToken(parts, await tokenOf(parts, to, lid)) ? [] : proofNodes(parts, lid);
}

function validToken({ library: { tokens } }: Pick<Parts, 'library'>, kept: Token | undefined): Uint8Array | null {
  const bytes = kept?.token?.length ? kept.token : null;
  return bytes && tokens.isTcTokenExpired(kept?.timestamp) ? null : bytes;
}

const mayProve = ({ creds, isHabit }: Parts, lid: string | null): lid is string =>
  lid !== null && isLid(lid) && creds.props?.cstoken === true && isHabit('cstoken');

async function proofNodes(parts: Parts, lid: string): Promise<readonly BinaryNode[]> {
  const { [SALT]: salt } = await parts.credentialBuffer.get(SALT, [SALT]);
  return salt ? [{ tag: 'cstoken', attrs: {}, content: calculateMAC(salt, Buffer.from(lid)) }] : [];
}

export function keepSalt({ credentialBuffer }: Pick<Parts, 'credentialBuffer'>, salt: Uint8Array | null): void {
  credentialBuffer.set(SALT, { [SALT]: salt });
}

export async function keepTokens({ credentialBuffer }: Parts, tokens: ReadonlyMap<string, Token>): Promise<void> {
  const known = await credentialBuffer.get(TOKEN, [...tokens.keys()]);
  const newer = [...tokens].filter(([jid, { timestamp }]) => Number(timestamp ?? 0) > Number(known[jid]?.timestamp ?? 0));
  if (newer.length > 0) credentialBuffer.set(TOKEN, Object.fromEntries(newer.map(([jid, token]) => [jid, { ...known[jid], ...token }])));
}

export async function moveTokens(
  { credentialBuffer }: Pick<Parts, 'credentialBuffer'>,
  pairs: readonly { readonly lid: string; readonly pn: string }[],
): Promise<void> {
  const kept = await credentialBuffer.get(
    TOKEN,
    pairs.flatMap(({ lid, pn }) => [lid, pn]),
  );
  const moved: Record<string, Token | null> = {};
  for (const { lid, pn } of pairs) {
    const token = kept[pn];
    if (!token) continue;
    moved[pn] = null;
    if (Number(token.timestamp ?? 0) > Number(kept[lid]?.timestamp ?? 0)) moved[lid] = { ...kept[lid], ...token };
  }
  if (Object.keys(moved).length > 0) credentialBuffer.set(TOKEN, moved);
}
