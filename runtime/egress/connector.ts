/**
 * Opens sockets for undici. Names are resolved only here, and the socket connects to exactly the
 * checked address, so a DNS answer that changes later (rebinding) has no effect. A name with even
 * one forbidden address is refused.
 */

import type { LookupAddress, LookupOptions } from 'node:dns';
import { isIP } from 'node:net';
import { buildConnector } from 'undici';

export interface Resolved {
  readonly address: string;
  readonly family: number;
}

export type Resolve = (hostname: string) => Promise<readonly Resolved[]>;

export class EgressBlocked extends Error {
  override readonly name = 'EgressBlocked';
  readonly code = 'EGRESS_BLOCKED';
}

export interface Rules {
  isAllowed(host: string, port: string): boolean;
  isPublic(address: string): boolean;
  readonly resolve: Resolve;
  readonly resolveAllowed: Resolve;
}

const CONNECTS_WITHIN_MS = 10_000;

type Looked = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

export function guardedConnector({ isAllowed, isPublic, resolve, resolveAllowed }: Rules): buildConnector.connector {
  const refuse = (host: string): EgressBlocked => new EgressBlocked(`${host} is not a public address`);

  async function vetted(host: string): Promise<readonly Resolved[]> {
    const found = await resolve(host);
    if (found.length === 0 || !found.every(({ address }) => isPublic(address))) throw refuse(host);
    return found;
  }

  const open = buildConnector({ timeout: CONNECTS_WITHIN_MS, lookup: lookupOf(resolveAllowed) });
  const openVetted = buildConnector({ timeout: CONNECTS_WITHIN_MS, lookup: lookupOf(vetted) });

  return (options, done) => {
    const { hostname, protocol } = options;
    const port = options.port || (protocol === 'https:' ? '443' : '80');
    const host = hostname.replace(/^\[|\]$/g, '');
    if (isAllowed(isIP(host) === 6 ? `[${host}]` : host, port)) return open(options, done);
    const isFit = protocol === 'https:' && port === '443' && (isIP(host) === 0 || isPublic(host));
    if (!isFit) return done(refuse(hostname), null);
    openVetted(options, done);
  };
}

function lookupOf(resolve: Resolve) {
  return (host: string, options: LookupOptions, done: Looked): void => {
    resolve(host).then(
      (found) => answerWith(found, options, done),
      (cause: Error) => done(cause, []),
    );
  };
}

export function answerWith(found: readonly Resolved[], { all }: LookupOptions, done: Looked): void {
  const [first] = found;
  if (all) done(null, [...found]);
  else done(first ? null : new Error('no address'), first?.address ?? '', first?.family);
}
