import { isLid, phoneOf } from './jid.ts';

export interface Person {
  readonly phone: string | null;
  readonly lid: string | null;
  readonly username: string | null;
  readonly name: string | null;
}

export function personAt(address: string, alt: string | null = null, name: string | null = null, username: string | null = null): Person {
  const one = withoutDevice(address);
  const other = withoutDevice(alt ?? '');
  const lid = isLid(one) ? one : other;
  return { phone: phoneOf(one) ?? phoneOf(other), lid: isLid(lid) ? lid : null, username, name };
}

export const withoutDevice = (jid: string): string => (jid.includes(':') ? jid.replace(/:\d+(?=@)/, '') : jid);
