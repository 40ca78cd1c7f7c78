import type { StatusFacts } from '../../content.ts';
import type { BinaryNode } from '../library.ts';
import type { ConnectionContext } from '../session/connection-context.ts';

/** Uses hidden addresses if our account has one. The network would refuse numbers (479) unnoticed. */
export async function audienceOf({ library, socket, creds }: ConnectionContext, audience: readonly string[]): Promise<readonly string[]> {
  const { id, lid } = creds.me;
  const own = [id, ...(lid ? [lid] : [])];
  const others = audience.filter((jid) => !own.some((mine) => library.areJidsSameUser(jid, mine)));
  const named = lid ? await hidden(socket, others) : others;
  return named.length === 0 ? [] : [...new Set([...named, library.jidNormalizedUser(lid ?? id)])];
}

async function hidden({ signalRepository }: ConnectionContext['socket'], jids: readonly string[]): Promise<readonly string[]> {
  const known = jids.filter((jid) => jid.endsWith('@lid'));
  const numbers = jids.filter((jid) => !jid.endsWith('@lid'));
  const pairs = numbers.length === 0 ? null : await signalRepository.lidMapping.getLIDsForPNs(numbers);
  return [...known, ...(pairs ?? []).map(({ lid }) => lid.replace(/:\d+(?=@)/, ''))];
}

/** Marks a status as sent to individually chosen recipients. */
export const STATUS_SETTING: BinaryNode = { tag: 'meta', attrs: { status_setting: 'allowlist' } };

export function argbOf({ background }: StatusFacts): number | null {
  const rgb = /^#([\da-f]{6})$/i.exec(background ?? '')?.[1];
  return rgb === undefined ? null : Number.parseInt(`ff${rgb}`, 16);
}
