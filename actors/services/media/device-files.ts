import type { Readable } from 'node:stream';
import type { MediaRow } from '../../../store/media/media.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { Download } from './incoming-file.ts';

/** The files that messages carry. */
export interface DeviceFiles {
  /** Rejects with Refusal NOT_FOUND when there is no such file any more. */
  open(tenantId: string, key: string): Promise<Readable>;
  /**
   * Stores the file of an inbound message, once however often the message comes. Refuses PAYLOAD_TOO_LARGE, VALIDATION_FAILED for an empty
   * one, and as `download` does. `maxBytes`: default 100 MB, which is more than any phone can send but as a document.
   */
  keepInbound(message: MessageRow, download: Download, maxBytes?: number): Promise<MediaRow>;
  /** Removes the file of an inbound message, if that is deleted by now. */
  dropInbound(message: MessageRow): Promise<void>;
}
