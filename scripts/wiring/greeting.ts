import { relyingPartyAt } from '../../actors/services/accounts/passkeys.ts';
import type { Node } from './node.ts';

/** Browsers make no passkeys for a page whose host is an address: of this machine it is `localhost`. */
const named = (url: string): string => relyingPartyAt(url)?.origin ?? url;

/** The tour plays against this address where it is told no other. */
const DEFAULT_URL = 'http://127.0.0.1:8080';

/** Says where a node listens: in lines for people on a terminal, elsewhere in one line of the log, which stays JSON, whatever LOG_LEVEL leaves out. */
export function greet({ url: address, secrets, sandbox, log: ofNode }: Node, isSandboxOpen: boolean): void {
  if (process.stdout.isTTY) {
    process.stdout.write(`${linesFor(address, secrets.adminFile, sandbox !== null && isSandboxOpen).join('\n')}\n`);
    return;
  }
  const url = named(address);
  const log = ofNode.child({}, { level: 'info' });
  log.info({ event: 'node.listening', url, console: `${url}/console/`, docs: `${url}/docs` }, `The gateway listens on ${url}`);
}

/** `adminFile`: where the operator's secret is, if the gateway made it. */
export function linesFor(address: string, adminFile: string | null, hasTour: boolean): readonly string[] {
  const url = named(address);
  const tour = address === DEFAULT_URL ? 'npm run tour' : `GATEWAY_URL=${address} npm run tour`;
  return [
    `The gateway listens on ${url}`,
    `  console     ${url}/console/`,
    `  reference   ${url}/docs`,
    ...(adminFile ? [`  operator    X-Admin-Secret is in ${adminFile}`] : []),
    ...(hasTour ? [`  try next    ${tour}   (in another terminal: sends a message to a phone and receives the answer)`] : []),
  ];
}
