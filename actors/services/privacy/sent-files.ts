import { memberOf } from '../../../runtime/shapes.ts';
import type { Doc, Filter } from '../../../store/port.ts';
import type { MediaLibrary } from '../media/library.ts';
import { type Collections, opened, type Person } from './person.ts';
import { filesOfRules } from './retention/slices.ts';

/**
 * Erases files that were exchanged with the person. A file that the business sent is removed only
 * if it was not sent to anyone else and is not in use. This is checked before the message is
 * removed, so that after a crash, the remaining files are found through the message.
 */

export interface SentFileDeps {
  readonly collections: Collections;
  readonly media: Pick<MediaLibrary, 'erase'>;
}

type Row = Doc & Readonly<Record<string, unknown>>;

const OF_PREVIEW = 'parts.link_preview.media_r2_key';

function filesOf({ media_r2_key, parts }: Row): readonly string[] {
  return [media_r2_key, memberOf(memberOf(parts, 'link_preview'), 'media_r2_key')].flatMap((key) => (typeof key === 'string' ? [key] : []));
}

export async function eraseFilesOf(deps: SentFileDeps, who: Person, row: Row): Promise<number> {
  let erased = 0;
  for (const key of filesOf(row)) {
    if (row['direction'] !== 'inbound' && (await isHeldElsewhere(deps.collections, who, row._id, key))) continue;
    if (await deps.media.erase(who.tenantId, key)) erased += 1;
  }
  return erased;
}

async function isHeldElsewhere(collections: Collections, who: Person, id: string, key: string): Promise<boolean> {
  const { tenantId: tenant_id, devices, addresses, until } = who;
  const messages = opened(collections, 'messages');
  for (const field of ['media_r2_key', OF_PREVIEW]) {
    // With `$gte`, the store uses the index that covers only messages with files.
    const withIt: Filter = { [field]: { $eq: key, $gte: '' }, tenant_id };
    const toOthers: Filter = { ...withIt, $or: [{ chat_id: { $nin: addresses } }, { created_at: { $gt: until } }] };
    if ((await messages.countDocuments(toOthers, { limit: 1 })) > 0) return true;
  }
  for (const name of ['campaigns', 'templates'])
    if ((await opened(collections, name).countDocuments({ tenant_id, media_r2_key: key }, { limit: 1 })) > 0) return true;
  const own: Filter = { _id: { $ne: id }, $or: [{ media_r2_key: key }, { [OF_PREVIEW]: key }] };
  for (const session_id of devices)
    for (const name of ['scheduled', 'recurring'])
      for await (const row of opened(collections, name).find({ ...own, session_id }))
        if (!('chat_id' in row && addresses.includes(String(row.chat_id)))) return true;
  return (await filesOfRules(collections, devices, [key])).size > 0;
}
