import type { Readable } from 'node:stream';
import type { MediaRow } from '../../../store/media/media.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { Download } from './incoming-file.ts';

export interface DeviceFiles {
  open(tenantId: string, key: string): Promise<Readable>;
  /** Fails with PAYLOAD_TOO_LARGE, VALIDATION_FAILED (empty), or an error of `download`. */
  keepInbound(message: MessageRow, download: Download, maxBytes?: number): Promise<MediaRow>;
  dropInbound(message: MessageRow): Promise<void>;
}
