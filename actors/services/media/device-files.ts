import type { Readable } from 'node:stream';
import type { MediaRow } from '../../../store/media/media.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { Download } from './incoming-file.ts';

/** Access of devices to the files of messages. */
export interface DeviceFiles {
  /** Opens a file. Rejects with Refusal NOT_FOUND when it no longer exists. */
  open(tenantId: string, key: string): Promise<Readable>;
  /**
   * Stores the file of an inbound message, once however often the message arrives. Refuses
   * PAYLOAD_TOO_LARGE, VALIDATION_FAILED for an empty file, and like `download`. `maxBytes`
   * defaults to 100 MB, more than phones send except as documents.
   */
  keepInbound(message: MessageRow, download: Download, maxBytes?: number): Promise<MediaRow>;
  /** Removes the file of an inbound message if the message has been deleted. */
  dropInbound(message: MessageRow): Promise<void>;
}
