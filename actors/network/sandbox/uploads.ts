import { Refusal } from '../../../runtime/errors.ts';
import { ByteMeter } from '../../services/media/byte-meter.ts';
import type { Turn } from '../album-turns.ts';
import type { FileContent, OpenFile, OutgoingMessage } from '../port.ts';

interface Ends {
  readonly turn: Turn;
  send(message: OutgoingMessage): void;
  refuse(reason: string): void;
}

/**
 * Reads a message's file to its end, as an upload to a network would, and sends the message with the size and hash of what was read. A file
 * that is gone is refused; one that cannot be read now leaves the message without an answer, so that its device tries again. What is sent
 * names no file of ours (`fileKey`): the node of a sandbox in another process has read it already.
 */
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
    // Only measured: the sandbox keeps no files.
  }
  const { size, sha256 } = meter.measured();
  return { ...content, file: { ...content.file, size, sha256 } };
}
