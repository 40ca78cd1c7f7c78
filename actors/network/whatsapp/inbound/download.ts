import type { Readable } from 'node:stream';
import { Refusal } from '../../../../runtime/errors.ts';
import type { FileReference } from '../../port.ts';
import type { proto } from '../library.ts';
import { GONE } from '../outbound/files.ts';
import { statusOf } from '../session/closing.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { VerifiedFile } from './verified-file.ts';

/**
 * Downloads received files. The author of a message chooses its file's address, so only the path is
 * used, on the network's own hosts. If no host has the file, asks our phone to upload it again.
 */

type Context = ConnectionContext;
type MediaType = Parameters<Context['library']['getMediaKeys']>[1];

const PHONE_WITHIN_MS = 60_000;
const ORIGIN = 'https://web.whatsapp.com';

/** Fails with NOT_FOUND if no host has the file, or UNSUPPORTED_MEDIA_TYPE if it was altered. */
export async function download(context: Context, reference: FileReference): Promise<Readable> {
  const { type, key, url, path, sha256 } = reference;
  const directPath = typeof path === 'string' ? path : pathOf(url);
  if (typeof key !== 'string' || typeof type !== 'string' || !directPath?.startsWith('/')) throw new Refusal('NOT_FOUND');
  const mediaKey = Buffer.from(key, 'base64');
  const { iv, cipherKey, macKey } = await context.library.getMediaKeys(mediaKey, mediaTypeOf(type));
  if (!macKey) throw new Refusal('NOT_FOUND');
  const open = async (at: string): Promise<Readable> => {
    const sealed = await fromHosts(context, at);
    const opened = new VerifiedFile({ iv, cipherKey, macKey }, typeof sha256 === 'string' ? sha256 : '');
    sealed.on('error', (cause) => opened.destroy(cause));
    opened.on('close', () => sealed.destroy());
    return sealed.pipe(opened);
  };
  try {
    return await open(directPath);
  } catch (cause) {
    if (!GONE.has(statusOf(cause))) throw cause;
    const again = await askPhone(context, reference, mediaKey);
    if (again === null) throw new Refusal('NOT_FOUND', {}, { cause });
    return open(again);
  }
}

const TYPES = ['image', 'video', 'audio', 'document', 'sticker'] as const;
const mediaTypeOf = (type: string): MediaType => TYPES.find((one) => one === type) ?? 'document';

async function fromHosts({ library, socket, tunnel }: Context, path: string): Promise<Readable> {
  const { hosts } = await socket.refreshMediaConn();
  const names = [...new Set([socket.getMediaHost(), ...hosts.map(({ hostname }) => hostname)])];
  let failure: unknown = new Refusal('NOT_FOUND');
  for (const host of names) {
    try {
      return await library.getHttpStream(`https://${host}${path}`, { ...tunnel?.downloads, headers: { Origin: ORIGIN } });
    } catch (cause) {
      failure = cause;
    }
  }
  throw failure;
}

async function askPhone({ socket, clock }: Context, reference: FileReference, mediaKey: Uint8Array): Promise<string | null> {
  const { id, chat, fromMe, participant } = reference;
  if (typeof id !== 'string' || typeof chat !== 'string') return null;
  const imageMessage: proto.Message.IImageMessage = { mediaKey, directPath: '', url: '' };
  const key = { id, remoteJid: chat, fromMe: fromMe === true, ...(typeof participant === 'string' && { participant }) };
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const cancel = clock.after(PHONE_WITHIN_MS, () => resolve(null));
  const asked = socket.updateMediaMessage({ key, message: { imageMessage } }).then(
    () => imageMessage.directPath || null,
    () => null,
  );
  const path = await Promise.race([asked, late]);
  cancel();
  return path?.startsWith('/') ? path : null;
}

function pathOf(url: unknown): string | null {
  if (typeof url !== 'string' || !URL.canParse(url)) return null;
  const { pathname, search } = new URL(url);
  return pathname + search;
}
