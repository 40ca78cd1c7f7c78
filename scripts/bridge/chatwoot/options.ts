import { isIP } from 'node:net';
import { isPublic } from '../../../runtime/egress/addresses.ts';
import { BridgeRefused } from './refused.ts';

/** Reads a bridge's addresses, numbers and secrets. Rejects invalid ones before the first request. */

const MIN_SECRET = 8;

/**
 * `http` is allowed only for hosts in the local network, because requests carry an agent's token.
 */
export function chatwootUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new BridgeRefused('--to must be the address of Chatwoot, such as https://chat.example.com.');
  if (url.username !== '' || url.password !== '' || url.search !== '')
    throw new BridgeRefused('--to must not contain a password or a query. Set the token in CHATWOOT_TOKEN.');
  if (url.protocol === 'http:' && !isNear(url.hostname))
    throw new BridgeRefused('--to must be an https address outside of your own network.');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** Hosts without a dot count as local, because container names do not have one. */
function isNear(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) ? !isPublic(host) : !host.includes('.');
}

export function publicUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '')
    throw new BridgeRefused('--public-url must be the address at which Chatwoot reaches this process, such as https://bridge.example.com.');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

/** Reads `--listen`, a port or `host:port`. By default, only this machine can connect. */
export function listenAt(text: string): { readonly host: string; readonly port: number } {
  const found = /^(?:(.+):)?(\d{1,5})$/.exec(text);
  const port = Number(found?.[2]);
  if (!found || port > 65_535) throw new BridgeRefused('--listen must be a port, or an address and a port such as 0.0.0.0:3100.');
  return { host: found[1]?.replace(/^\[|\]$/g, '') ?? '127.0.0.1', port };
}

export function idOf(text: string, option: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new BridgeRefused(`--${option} must be a number.`);
  return Number(text);
}

export function secretsIn(env: NodeJS.ProcessEnv): { readonly token: string; readonly secret: string | null; readonly key: string } {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    throw new BridgeRefused(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 would send the token to unverified servers. Remove it, and set NODE_EXTRA_CA_CERTS to the path of your CA certificate.',
    );
  const [token = '', key = '', secret = ''] = [env['CHATWOOT_TOKEN'], env['GATEWAY_KEY'], env['CHATWOOT_WEBHOOK_SECRET']];
  if (token === '') throw new BridgeRefused('Set CHATWOOT_TOKEN to the access token of an administrator or agent of Chatwoot.');
  if (key === '') throw new BridgeRefused('Set GATEWAY_KEY to an API key of this device with the scopes read and send.');
  if (secret !== '' && secret.length < MIN_SECRET)
    throw new BridgeRefused('CHATWOOT_WEBHOOK_SECRET is too short: copy the one that Chatwoot shows.');
  return { token, key, secret: secret === '' ? null : secret };
}
