import { relyingPartyAt } from '../../actors/services/accounts/passkeys.ts';
import type { Node } from './node.ts';

/** Names this machine `localhost`, because browsers do not create passkeys for an IP address. */
const named = (url: string): string => relyingPartyAt(url)?.origin ?? url;

const DEFAULT_URL = 'http://127.0.0.1:8080';

/** Prints text on a terminal. Otherwise, writes one JSON log line, regardless of LOG_LEVEL. */
export function greet({ url: address, secrets, sandbox, log: ofNode }: Node, isSandboxOpen: boolean): void {
  if (process.stdout.isTTY) {
    process.stdout.write(`${linesFor(address, secrets.adminFile, sandbox !== null && isSandboxOpen).join('\n')}\n`);
    return;
  }
  const url = named(address);
  const log = ofNode.child({}, { level: 'info' });
  log.info({ event: 'node.listening', url, console: `${url}/console/`, docs: `${url}/docs` }, `The gateway listens on ${url}`);
}

/** `adminFile` is null if the gateway did not generate the operator's secret. */
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
