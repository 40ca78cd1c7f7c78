import type { Collection } from '../port.ts';
import type { LinkPreview, MessageRow, Owner } from './message-row.ts';
import { FIRST } from './net-ids.ts';

export interface PreviewNotes {
  notePreview(owner: Owner, netId: string, preview: LinkPreview): Promise<void>;
}

export function previewNotesIn(messages: Collection<MessageRow>): PreviewNotes {
  return {
    async notePreview({ sessionId, epoch }, net_id, preview) {
      const filter = { session_id: sessionId, net_id, ...FIRST, status: 'sending', epoch: { $lte: epoch } };
      await messages.updateOne(filter, { $set: { 'parts.preview': preview } });
    },
  };
}
