import { createHash } from 'node:crypto';
import { Refusal } from '../../../runtime/errors.ts';
import { inChunks } from '../../../runtime/in-chunks.ts';
import { isFromNetwork } from '../../../store/messaging/message-row.ts';
import type { MessageRow } from '../../../store/messaging/messages.ts';
import type { OutboxHandler } from '../messaging/outbox-processor.ts';
import { type DerivedLibrary, isDerived } from './derived-library.ts';
import type { DeviceFiles } from './device-files.ts';
import type { MediaLibrary } from './library.ts';
import { isMediaType } from './types.ts';

const MAX_INBOUND_BYTES = 100 * 1024 * 1024;

export function messageFiles(media: MediaLibrary, derived: Pick<DerivedLibrary, 'open'>): DeviceFiles {
  return {
    open: async (tenantId, key) => (isDerived(key) ? derived.open(tenantId, key) : media.open(await media.get(tenantId, key))),

    async keepInbound(message, download, maxBytes = MAX_INBOUND_BYTES) {
      const { tenant_id: tenantId, parts, created_at: now } = message;
      const key = keyOf(message);
      const known = await media.find(tenantId, key);
      if (known) return known;
      await media.expectRoom(tenantId, parts.media?.size ?? 1);
      const intake = {
        tenantId,
        key,
        source: await download(),
        filename: parts.media?.filename ?? null,
        owner: { devices: [message.session_id], chat_id: message.chat_id, agent_id: null },
        maxBytes,
        lent: true,
      };
      try {
        return await media.keep(intake, now);
      } catch (cause) {
        if (cause instanceof Refusal && cause.code === 'CONFLICT') return media.get(tenantId, key);
        throw cause;
      }
    },

    dropInbound: (message) => dropFile(media, message),
  };
}

export function dropDeletedFiles(media: Pick<MediaLibrary, 'giveBack'>): OutboxHandler {
  return {
    name: 'files',
    plan(rows) {
      const deleted = rows.filter(isDeletedFile);
      return deleted.length > 0 ? { alone: () => dropAll(media, deleted) } : null;
    },
  };
}

const DROPPED_AT_ONCE = 4;

async function dropAll(media: Pick<MediaLibrary, 'giveBack'>, deleted: readonly MessageRow[]): Promise<void> {
  for (const some of inChunks(deleted, DROPPED_AT_ONCE)) await Promise.all(some.map((row) => dropFile(media, row)));
}

const isDeletedFile = (row: MessageRow): boolean => isFromNetwork(row) && row.status === 'deleted' && isMediaType(row.message_type);

async function dropFile(media: Pick<MediaLibrary, 'giveBack'>, row: MessageRow): Promise<void> {
  if (isDeletedFile(row)) await media.giveBack(row.tenant_id, keyOf(row));
}

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The file's key derives from its message, so that a redelivered message finds the file. */
function keyOf({ session_id, net_id, twin }: MessageRow): string {
  const digest = createHash('sha256')
    .update([session_id, net_id, ...(twin === undefined ? [] : [twin])].join(':'))
    .digest();
  return `med_${Array.from(digest.subarray(0, 26), (byte) => LETTERS[byte % 32]).join('')}`;
}
