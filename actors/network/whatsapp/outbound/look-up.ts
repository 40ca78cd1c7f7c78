import { type LookedUp, userJid } from '../../jid.ts';
import type { Online } from '../session/online.ts';

/** Which of these numbers are on the network; answered after everything that came in before was received. */
export async function lookUp({ context, inbound }: Online, digits: readonly string[]): Promise<readonly LookedUp[]> {
  const found = digits.length > 0 ? await context.socket.onWhatsApp(...digits.map(userJid)) : await ping(context.socket);
  await inbound.caughtUp();
  const jids = new Map((found ?? []).filter(({ exists }) => exists).map(({ jid }) => [jid.split('@')[0], jid]));
  return digits.map((phone) => ({ phone, exists: jids.has(phone), jid: jids.get(phone) ?? null }));
}

async function ping(socket: Online['context']['socket']): Promise<[]> {
  await socket.query({ tag: 'iq', attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'w:p' }, content: [{ tag: 'ping', attrs: {} }] });
  return [];
}
