import { relyingPartyAt } from '../../actors/services/accounts/passkeys.ts';
import type { Node } from './node.ts';

/** Browsers do not create passkeys for a page on an IP address, so `localhost` is used for this machine. */
const named = (url: string): string => relyingPartyAt(url)?.origin ?? url;

/** The tour uses this address by default. */
const DEFAULT_URL = 'http://127.0.0.1:8080';

/** Prints the addresses of a node: as text on a terminal, otherwise as one JSON log line, regardless of LOG_LEVEL. */
export function greet({ url: address, secrets, sandbox, log: ofNode }: Node, isSandboxOpen: boolean): void {
  if (process.stdout.isTTY) {
    process.stdout.write(`${linesFor(address, secrets.adminFile, sandbox !== null && isSandboxOpen).join('\n')}\n`);
    return;
  }
  const url = named(address);
  const log = ofNode.child({}, { level: 'info' });
  log.info({ event: 'node.listening', url, console: `${url}/console/`, docs: `${url}/docs` }, `The gateway listens on ${url}`);
}

/**
 * Returns the greeting lines. `adminFile`: the file with the operator's secret; null if the gateway did not
 * generate it.
 */
export function linesFor(address: string, adminFile: string | null, hasTour: boolean): readonly string[] {
  const url = named(address);
  const tour = address === DEFAULT_URL ? 'npm run tour' : `GATEWAY_URL=${address} npm run tour`;
  return [
    `The gateway listens on ${url}`,
    `  console     ${url}/console/`,
    `  guides      ${url}/docs`,
    ...(adminFile ? [`  operator    X-Admin-Secret is in ${adminFile}`] : []),
    ...(hasTour ? [`  try next    ${tour}   (in another terminal: sends a message to a phone and receives the answer)`] : []),
  ];
}
