import { unlink } from 'node:fs/promises';
import { Refusal } from '../../../../runtime/errors.ts';
import type { OpenFile, OutgoingMessage } from '../../port.ts';
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
