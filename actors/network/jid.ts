export { STORIES } from '../../store/messaging/log-filter.ts';

const USER_DOMAIN = 's.whatsapp.net';

/** `0` is the network itself, which sends announcements. Only old group addresses have a dash. */
const JID = /^((0|[1-9]\d*)@s\.whatsapp\.net|\d[\d-]*@g\.us|\d+@(newsletter|broadcast|lid))$/;

export const userJid = (digits: string): string => `${digits}@${USER_DOMAIN}`;

export const isJid = (text: string): boolean => JID.test(text);

export const modernJid = (text: string): string => text.replace(/^(\d+)@c\.us$/, `$1@${USER_DOMAIN}`);

/** Broadcast lists and the status feed are not chats and cannot be replied to. */
export const isBroadcast = (jid: string): boolean => jid.endsWith('@broadcast');

export const isLid = (jid: string): boolean => jid.endsWith('@lid');

/** Returns the user part of an address, which all devices of a person share. */
export function userOf(jid: string | undefined): string | undefined {
  const at = jid?.indexOf('@') ?? -1;
  if (jid === undefined || at < 0) return undefined;
  const colon = jid.indexOf(':');
  const agent = jid.indexOf('_');
  return jid.slice(0, Math.min(at, colon < 0 ? at : colon, agent < 0 ? at : agent));
}

export function phoneOf(jid: string): string | null {
  const at = jid.indexOf('@');
  return at > 0 && jid.slice(at + 1) === USER_DOMAIN ? jid.slice(0, at) : null;
}

export interface LookedUp {
  readonly phone: string;
  readonly exists: boolean;
  readonly jid: string | null;
  readonly lid: string | null;
}
