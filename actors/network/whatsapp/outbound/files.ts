import { unlink } from 'node:fs/promises';
import { Refusal } from '../../../../runtime/errors.ts';
import type { FileContent, OpenFile, OutgoingMessage } from '../../port.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import type { Uploaded } from './uploaded.ts';

const KEPT_MS = 86_400_000;

export async function uploadOnce(context: ConnectionContext, message: OutgoingMessage, open: OpenFile): Promise<Uploaded> {
  const { fileKey, content } = message;
  if (fileKey === undefined || !('file' in content)) return upload(context, message, open);
  const { account, clock } = context;
  const name = `${fileKey} ${kindOf(content)}`;
  const known = account.uploads.get(name);
  if (known && clock.now() - known.at < KEPT_MS) {
    (await open()).on('error', () => {}).destroy();
    return known.uploaded;
  }
  const uploaded = upload(context, message, open);
  account.uploads.set(name, { uploaded, at: clock.now() });
  uploaded.catch(() => account.uploads.get(name)?.uploaded === uploaded && account.uploads.delete(name));
  return uploaded;
}

function kindOf({ type, voiceNote, gif, round }: FileContent): FileContent['type'] | 'ptt' | 'gif' | 'ptv' {
  if (type === 'audio' && voiceNote) return 'ptt';
  return type === 'video' && round ? 'ptv' : type === 'video' && gif ? 'gif' : type;
}

/** Uploads from a stream, so that the library never gets an address to fetch. */
async function upload({ library, socket }: ConnectionContext, message: OutgoingMessage, open: OpenFile): Promise<Uploaded> {
  const { content } = message;
  if (!('file' in content)) throw new Refusal('NOT_FOUND');
  const sealed = await library.encryptedStream({ stream: await open() }, kindOf(content));
  try {
    const fileEncSha256B64 = sealed.fileEncSha256.toString('base64');
    const { mediaUrl, directPath } = await socket.waUploadToServer(sealed.encFilePath, { fileEncSha256B64, mediaType: kindOf(content) });
    const { mediaKey, fileSha256, fileEncSha256, fileLength } = sealed;
    return { url: mediaUrl, directPath: directPath ?? '', mediaKey, fileSha256, fileEncSha256, fileLength };
  } finally {
    await unlink(sealed.encFilePath);
  }
}

export const GONE: ReadonlySet<number | null> = new Set([403, 404, 410]);
