import { unlink } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { Refusal } from '../../../../runtime/errors.ts';
import type { FileReference, OpenFile, OutgoingMessage } from '../../port.ts';
import { statusOf } from '../session/closing.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import type { Uploaded } from './compose.ts';

/** A file is encrypted while it is read, to a temporary file, and that is uploaded. The library is never given an address to fetch. */
export async function upload({ library, socket }: ConnectionContext, message: OutgoingMessage, open: OpenFile): Promise<Uploaded> {
  const { content } = message;
  if (!('file' in content)) throw new Refusal('NOT_FOUND');
  const kind = content.type === 'audio' && content.voiceNote ? 'ptt' : content.type;
  const sealed = await library.encryptedStream({ stream: await open() }, kind);
  try {
    const fileEncSha256B64 = sealed.fileEncSha256.toString('base64');
    const { mediaUrl, directPath } = await socket.waUploadToServer(sealed.encFilePath, { fileEncSha256B64, mediaType: content.type });
    const { mediaKey, fileSha256, fileEncSha256, fileLength } = sealed;
    return { url: mediaUrl, directPath: directPath ?? '', mediaKey, fileSha256, fileEncSha256, fileLength };
  } finally {
    await unlink(sealed.encFilePath);
  }
}

/** The network's answer for a file that it no longer has. */
export const GONE: ReadonlySet<number | null> = new Set([403, 404, 410]);

/**
 * The bytes of a file that came in. Its writer chose the address, so only the path of it is followed, on the network's own host. Rejects with
 * Refusal NOT_FOUND when the network has them no more.
 */
export async function download({ library, socket, tunnel }: ConnectionContext, { type, key, url, path }: FileReference): Promise<Readable> {
  const directPath = typeof path === 'string' ? path : pathOf(url);
  if (typeof key !== 'string' || typeof type !== 'string' || !directPath?.startsWith('/')) throw new Refusal('NOT_FOUND');
  await socket.refreshMediaConn();
  const host = socket.getMediaHost();
  try {
    const way = { host, ...(tunnel && { options: tunnel.downloads }) };
    return await library.downloadContentFromMessage({ mediaKey: Buffer.from(key, 'base64'), directPath }, type as 'image', way);
  } catch (cause) {
    throw GONE.has(statusOf(cause)) ? new Refusal('NOT_FOUND', {}, { cause }) : cause;
  }
}

function pathOf(url: unknown): string | null {
  if (typeof url !== 'string' || !URL.canParse(url)) return null;
  const { pathname, search } = new URL(url);
  return pathname + search;
}
