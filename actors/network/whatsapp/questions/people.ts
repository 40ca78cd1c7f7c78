import type { Readable } from 'node:stream';
import { MOST_BYTES } from '../../../../runtime/cluster/envelope.ts';
import type { FoundPerson } from '../../account.ts';
import { userJid } from '../../jid.ts';
import { networkRefusal } from '../../network-refusal.ts';
import { type Person, personAt } from '../../person.ts';
import { contactsOf } from '../outbound/contacts.ts';
import { GONE } from '../outbound/files.ts';
import { statusOf } from '../session/closing.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { aboutOf } from '../session/profile.ts';
import { businessOf } from './business-profile.ts';
import { numberOf } from './query.ts';

const NOT_FOUND = 404;
const NOT_THERE = { en: 'this number is not on the network', id: 'nomor ini tidak ada di jaringan' };

/** The two addresses of a number, in the network's form. Refuses NOT_FOUND when it is not on the network. */
export async function addressesOf(
  context: ConnectionContext,
  phone: string,
): Promise<{ readonly pn: string; readonly lid: string | null }> {
  const [found] = await contactsOf(context, [phone]);
  if (!found?.isOnNetwork) throw networkRefusal(NOT_FOUND, NOT_THERE);
  const pn = found.pn ?? userJid(phone);
  return { pn, lid: found.lid ?? (await context.socket.signalRepository.lidMapping.getLIDForPN(pn)) };
}

/** The person at an address of either kind, with the other one where it is known here. */
export async function personOf({ socket, library }: ConnectionContext, jid: string): Promise<Person> {
  const { lidMapping } = socket.signalRepository;
  const alt = library.isLidUser(jid) ? await lidMapping.getPNForLID(jid) : null;
  return personAt(jid, alt);
}

/** What a person shows. Refuses NOT_FOUND when the number is not on the network. */
export async function findPerson(context: ConnectionContext, phone: string): Promise<FoundPerson> {
  const { pn, lid } = await addressesOf(context, phone);
  const [about, picture, business] = await Promise.all([aboutOf(context, pn), pictureOf(context, pn), businessOf(context, pn)]);
  return { person: personAt(pn, lid), about, picture: picture?.toString('base64') ?? null, business };
}

const HIDDEN: ReadonlySet<number | null> = new Set([401, 403, 404]);

/** The address of a picture expires: its bytes are fetched at once. Null: hidden, or there is none. */
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
    // Pictures are small; a larger one would not reach a caller on another node.
    if (size > MOST_BYTES) {
      stream.destroy();
      return null;
    }
    chunks.push(piece);
  }
  return Buffer.concat(chunks);
}
