import type { IncomingHttpHeaders } from 'node:http';
import { refusal } from '../../actors/domain/refusals.ts';

const OTHER_PAGE = {
  en: 'only the console itself may call this address',
  id: 'hanya konsol itu sendiri yang boleh memanggil alamat ini',
};

/** The browser sends `none` if a person typed the address. */
const OWN: readonly unknown[] = ['same-origin', 'none'];

/** Checks `Origin` if there is no `Sec-Fetch-Site`, which older browsers do not send. */
export function expectSameOrigin(headers: IncomingHttpHeaders, isKnownOrigin: (origin: string) => boolean): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined ? isOwnOrigin(headers, isKnownOrigin) : OWN.includes(site)) return;
  throw refusal('FORBIDDEN', { reason: OTHER_PAGE });
}

function isOwnOrigin({ origin, host }: IncomingHttpHeaders, isKnownOrigin: (origin: string) => boolean): boolean {
  if (origin === undefined) return true;
  return URL.canParse(origin) && (new URL(origin).host === host || isKnownOrigin(origin));
}
