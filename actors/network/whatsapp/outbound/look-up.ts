import type { LookedUp } from '../../jid.ts';
import type { Online } from '../session/online.ts';
import { contactsOf } from './contacts.ts';

export async function lookUp({ context, inbound }: Online, digits: readonly string[]): Promise<readonly LookedUp[]> {
  const found = digits.length > 0 ? await contactsOf(context, digits) : await ping(context.socket);
  await inbound.caughtUp();
  return digits.map((phone, nth) => {
    const { isOnNetwork = false, pn = null, lid = null } = found[nth] ?? {};
    return { phone, exists: isOnNetwork, jid: isOnNetwork ? (pn ?? lid) : null, lid };
  });
}

async function ping(socket: Online['context']['socket']): Promise<[]> {
  await socket.query({ tag: 'iq', attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'w:p' }, content: [{ tag: 'ping', attrs: {} }] });
  return [];
}
