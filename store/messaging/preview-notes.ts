import type { Collection } from '../port.ts';
import type { LinkPreview, MessageRow, Owner } from './message-row.ts';
import { FIRST } from './net-ids.ts';

/** What came of previews that messages on the wire have to be given. Nothing else follows from them. */
export interface PreviewNotes {
  /** With the row, so that a resend shows the same. Nothing where its device no longer owns it, or it has left. */
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
