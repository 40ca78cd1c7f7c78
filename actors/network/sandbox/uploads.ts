import { Refusal } from '../../../runtime/errors.ts';
import { ByteMeter } from '../../services/media/byte-meter.ts';
import type { Turn } from '../album-turns.ts';
import type { FileContent, OpenFile, OutgoingMessage } from '../port.ts';

interface Ends {
  readonly turn: Turn;
  send(message: OutgoingMessage): void;
  refuse(reason: string): void;
}

/** Sends a message with its file. An unreadable file gets no response, so that the device retries. */
export function sendLoaded(message: OutgoingMessage, open: OpenFile | undefined, { turn, send, refuse }: Ends): void {
  const { fileKey, ...loaded } = message;
  const { content } = loaded;
  if (!('file' in content) || fileKey === undefined) return send(loaded);
  if (!open) return refuse('media_gone');
  turn(
    () => measured(content, open),
    (measuredContent) => send({ ...loaded, content: measuredContent }),
  ).catch((cause) => {
    if (cause instanceof Refusal && cause.code === 'NOT_FOUND') refuse('media_gone');
  });
}

async function measured(content: FileContent, open: OpenFile): Promise<FileContent> {
  const meter = new ByteMeter();
  for await (const _chunk of meter.through(await open())) {
  }
  const { size, sha256 } = meter.measured();
  return { ...content, file: { ...content.file, size, sha256 } };
}
