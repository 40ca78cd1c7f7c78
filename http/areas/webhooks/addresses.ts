import { type Blocked, blockedText } from '../../../runtime/egress/egress.ts';

export function blockedBecause(blocked: Blocked, url: string): { readonly en: string; readonly id: string } {
  const allow = `EGRESS_ALLOW=${placeIn(url)}`;
  switch (blocked) {
    case 'not_https':
      return {
        en: `the address is not https; the operator can allow plain http with ${allow}`,
        id: `alamat bukan https; operator dapat mengizinkan http biasa dengan ${allow}`,
      };
    case 'private':
      return {
        en: `the address is on a private network; the operator can allow it with ${allow}`,
        id: `alamat berada di jaringan privat; operator dapat mengizinkannya dengan ${allow}`,
      };
    case 'port':
      return {
        en: `only the https port is allowed; the operator can allow this one with ${allow}`,
        id: `hanya port https yang diizinkan; operator dapat mengizinkannya dengan ${allow}`,
      };
    default:
      return blockedText(blocked, 'EGRESS_ALLOW');
  }
}

function placeIn(url: string): string {
  const parsed = URL.parse(url);
  return parsed ? `${parsed.hostname}:${parsed.port || (parsed.protocol === 'https:' ? 443 : 80)}` : 'host:port';
}
