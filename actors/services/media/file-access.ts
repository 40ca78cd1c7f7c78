import { at } from '../../../runtime/invariant.ts';
import { ANY_DEVICE, type FileOwner, type MediaPage, type MediaRow } from '../../../store/media/media.ts';
import { refusal } from '../../domain/refusals.ts';
import type { Visibility } from '../conversations/visibility.ts';
import type { MediaLibrary } from './library.ts';

export interface FileViewer {
  readonly tenantId: string;
  readonly sessionIds: readonly string[] | null;
  readonly agentId: string | null;
}

/**
 * Decides which caller may use which file. A caller who is restricted to devices may use the files
 * of these devices and of the whole business. An agent may use the files of visible chats and of
 * the whole business, and their own uploads. Any other file fails with NOT_FOUND, as if it did not
 * exist.
 */

export interface FileAccess {
  get(viewer: FileViewer, key: string): Promise<MediaRow>;
  use(viewer: FileViewer, key: string): Promise<MediaRow>;
  list(viewer: FileViewer, page: MediaPage): AsyncIterable<MediaRow>;
  /** Fails with FORBIDDEN if devices that the caller may not use can also use the file. */
  remove(viewer: FileViewer, key: string): Promise<void>;
}

export interface FileAccessDeps {
  readonly media: Pick<MediaLibrary, 'get' | 'use' | 'list' | 'remove'>;
  readonly visibility: Pick<Visibility, 'expectChat'>;
}

export function createFileAccess({ media, visibility }: FileAccessDeps): FileAccess {
  async function get(viewer: FileViewer, key: string): Promise<MediaRow> {
    const row = await media.get(viewer.tenantId, key);
    if (!isOfItsDevices(viewer, row) || !isOfItsAgent(viewer, row)) throw refusal('NOT_FOUND');
    if (row.chat_id) await visibility.expectChat(viewer.agentId, { tenant_id: row.tenant_id, _id: at(row.devices, 0) }, row.chat_id);
    return row;
  }

  return {
    get,

    async use(viewer, key) {
      await get(viewer, key);
      return media.use(viewer.tenantId, key);
    },

    list: ({ tenantId, sessionIds }, page) => media.list(tenantId, page, sessionIds),

    async remove(viewer, key) {
      const { devices } = await get(viewer, key);
      if (viewer.sessionIds !== null && !devices.every((id) => viewer.sessionIds?.includes(id))) throw refusal('FORBIDDEN');
      await media.remove(viewer.tenantId, key);
    },
  };
}

export const ownerOf = ({ sessionIds, agentId }: FileViewer): FileOwner => ({
  devices: sessionIds ?? [ANY_DEVICE],
  chat_id: null,
  agent_id: agentId,
});

const isOfItsDevices = ({ sessionIds }: FileViewer, { devices = [] }: Partial<FileOwner>): boolean =>
  sessionIds === null || devices.some((id) => id === ANY_DEVICE || sessionIds.includes(id));

const isOfItsAgent = ({ agentId }: FileViewer, { agent_id }: FileOwner): boolean =>
  agentId === null || agent_id === null || agent_id === agentId;
