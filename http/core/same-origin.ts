import type { IncomingHttpHeaders } from 'node:http';
import { refusal } from '../../actors/domain/refusals.ts';

const OTHER_PAGE = {
  en: 'only the console itself may call this address',
  id: 'hanya konsol itu sendiri yang boleh memanggil alamat ini',
};

/** A person who typed the address sends `none`. */
const OWN: readonly unknown[] = ['same-origin', 'none'];

/**
 * Throws Refusal FORBIDDEN for the call of a page that is not ours: where a cookie signs in, another page could use it. Browsers say it in
 * `Sec-Fetch-Site`; older ones in `Origin` only, which has to name the host that is called, or be known.
 */
export function expectSameOrigin(headers: IncomingHttpHeaders, isKnownOrigin: (origin: string) => boolean): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined ? isOwnOrigin(headers, isKnownOrigin) : OWN.includes(site)) return;
  throw refusal('FORBIDDEN', { reason: OTHER_PAGE });
}

function isOwnOrigin({ origin, host }: IncomingHttpHeaders, isKnownOrigin: (origin: string) => boolean): boolean {
  if (origin === undefined) return true;
  return URL.canParse(origin) && (new URL(origin).host === host || isKnownOrigin(origin));
}
