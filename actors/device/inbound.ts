import type { Clock } from '../../runtime/clock.ts';
import { Refusal } from '../../runtime/errors.ts';
import { newId } from '../../runtime/ids.ts';
import type { MediaRow } from '../../store/media.ts';
import type { MessageRow, Messages, Owner } from '../../store/messages.ts';
import type { FileReference, InboundMessage } from '../network/port.ts';
import { ArrivingFile, type Download } from './arriving-file.ts';
import type { DeviceFiles } from './files.ts';
import { asOurs, inboundRow, leftThere } from './inbound-row.ts';
import { catchUp, type KeepingPorts } from './keeping.ts';

export interface InboundPorts extends Pick<KeepingPorts, 'acts' | 'people'> {
  readonly messages: Messages;
  readonly files: DeviceFiles;
  readonly download: Download;
  readonly clock: Clock;
}

export interface CameIn {
  readonly message: InboundMessage;
  /** The number's owner wrote it on another device. */
  readonly isOurs: boolean;
}

/**
 * Stores a message that came in, its file before it: what the network is told we have we have for good. A file that the network has no
 * more, or that is too large, leaves a message without one; one that cannot be fetched now is left there until somebody asks for it. Rejects
 * when it may work another time: the network delivers it again.
 */
export async function storeInbound(ports: InboundPorts, owner: Owner, { message, isOurs }: CameIn, now: number): Promise<void> {
  // Ids are in the order of the messages, however long each look-up takes.
  const _id = newId(now);
  const came = inboundRow(owner, message, await ports.people.place(owner.tenantId, message), now);
  const row = { _id, ...came, ...(isOurs && asOurs(message)) };
  if ('file' in message.content) await receiveFile(ports, row, message.file ?? null);
  else await ports.messages.receive(row);
  await catchUp(ports, owner, message.netId);
}

/** A message that comes again may have been deleted meanwhile: its file does not come back. */
async function receiveFile(ports: InboundPorts, row: MessageRow, where: FileReference | null): Promise<void> {
  if (await ports.messages.receive(await withFile(ports, row, where))) return;
  const stored = await ports.messages.known(row.session_id, row.net_id);
  if (stored) await ports.files.dropInbound(stored);
}

async function withFile({ files, download, clock }: InboundPorts, row: MessageRow, where: FileReference | null): Promise<MessageRow> {
  try {
    const file = await new ArrivingFile(download, clock).into((open) => files.keepInbound(row, open));
    if (!file) return { ...row, ...leftThere(where) };
    return { ...row, media_r2_key: file._id, parts: { media: { ...row.parts.media, ...factsOf(file) } } };
  } catch (cause) {
    const error = cause instanceof Refusal && GONE[cause.code];
    if (!error) throw cause;
    return { ...row, error };
  }
}

/** Refusals that no other try will change, as the message's `error`. */
export const GONE: Readonly<Record<string, string>> = {
  NOT_FOUND: 'media_gone',
  PAYLOAD_TOO_LARGE: 'media_too_large',
  VALIDATION_FAILED: 'media_empty',
};

export const factsOf = ({ content_type, filename, size, sha256 }: MediaRow) => ({ content_type, filename, size, sha256 });
