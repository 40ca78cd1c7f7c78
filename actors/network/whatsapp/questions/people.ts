import type { Readable } from 'node:stream';
import { MOST_BYTES } from '../../../../runtime/cluster/envelope.ts';
import type { AtUsername, FoundPerson, FoundUsername } from '../../account.ts';
import { isLid, userJid } from '../../jid.ts';
import { networkRefusal } from '../../network-refusal.ts';
import { type Person, personAt, withoutDevice } from '../../person.ts';
import { contactsOf, usersIn } from '../outbound/contacts.ts';
import { GONE } from '../outbound/files.ts';
import { inside } from '../repairs/stanzas.ts';
import { statusOf } from '../session/closing.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { aboutOf } from '../session/profile.ts';
import { businessOf } from './business-profile.ts';
import { numberOf } from './query.ts';

const NOT_FOUND = 404;
const NOT_THERE = { en: 'this number is not on the network', id: 'nomor ini tidak ada di jaringan' };

export interface Addresses {
  readonly pn: string | null;
  readonly lid: string | null;
}

/** Fails with NOT_FOUND if a number is not on the network. Hidden addresses are not checked. */
export async function addressesOf(context: ConnectionContext, phone: string): Promise<Addresses> {
  if (isLid(phone)) return { pn: await numberAt(context, phone), lid: phone };
  const [found] = await contactsOf(context, [phone]);
  if (!found?.isOnNetwork) throw networkRefusal(NOT_FOUND, NOT_THERE);
  const pn = found.pn ?? userJid(phone);
  return { pn, lid: found.lid ?? (await context.socket.signalRepository.lidMapping.getLIDForPN(pn)) };
}

async function numberAt({ socket }: ConnectionContext, lid: string): Promise<string | null> {
  const pn = await socket.signalRepository.lidMapping.getPNForLID(lid);
  return pn ? withoutDevice(pn) : null;
}

export const personOf = async (context: ConnectionContext, jid: string): Promise<Person> =>
  personAt(jid, context.library.isLidUser(jid) ? await numberAt(context, jid) : null);

export async function findPerson(context: ConnectionContext, phone: string): Promise<FoundPerson> {
  const { pn, lid } = await addressesOf(context, phone);
  const jid = pn ?? lid ?? '';
  const [about, picture, business] = await Promise.all([aboutOf(context, jid), pictureOf(context, jid), businessOf(context, jid)]);
  return { person: personAt(jid, lid), about, picture: picture?.toString('base64') ?? null, business };
}

/** Finds a person by username. If a key protects it, a wrong key gets no address from the network. */
export async function findUsername(context: ConnectionContext, { username, key }: AtUsername): Promise<FoundUsername> {
  const contact = { tag: 'contact', attrs: { username, ...(key !== null && { pin: key }) } };
  const [user] = await usersIn(context, [{ tag: 'user', attrs: {}, content: [contact] }], [NAMES]);
  const { jid = '', type } = user?.attrs ?? {};
  if (isLid(jid)) return { outcome: 'found', lid: withoutDevice(jid) };
  const isOut = user === undefined || type === 'out' || jid !== '' || inside(user, 'contact').some(({ attrs }) => attrs['type'] === 'out');
  const isRefused = user !== undefined && inside(user, 'error').length > 0;
  return { outcome: isOut || isRefused ? 'nobody' : 'key_required', lid: null };
}

const NAMES = { tag: 'business', attrs: {}, content: [{ tag: 'verified_name', attrs: {} }] };

const HIDDEN: ReadonlySet<number | null> = new Set([401, 403, 404]);

/** Downloads the picture at once, because its address expires. */
async function pictureOf({ socket, library, tunnel }: ConnectionContext, jid: string): Promise<Buffer | null> {
  try {
    const url = await socket.profilePictureUrl(jid, 'image');
    return url ? await bytesOf(await library.getHttpStream(url, tunnel?.downloads ?? {})) : null;
  } catch (cause) {
    if (HIDDEN.has(numberOf(cause)) || GONE.has(statusOf(cause))) return null;
    throw cause;
  }
}

async function bytesOf(stream: Readable): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const piece = Buffer.from(chunk);
    size += piece.length;
    // Reject a larger picture, because it could not be passed to a caller on another node.
    if (size > MOST_BYTES) {
      stream.destroy();
      return null;
    }
    chunks.push(piece);
  }
  return Buffer.concat(chunks);
}
