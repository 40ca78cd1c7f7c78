import { memberOf } from '../../../runtime/shapes.ts';
import type { Doc, Filter } from '../../../store/port.ts';
import type { MediaLibrary } from '../media/library.ts';
import { type Collections, opened, type Person } from './person.ts';
import { filesOfRules } from './retention/slices.ts';

/**
 * Files that went to the person who is erased. A file that came from them goes with its message; one of the business goes only where it was sent to
 * nobody else and nothing of the business (template, rule, campaign, scheduled or repeated message) names it. The check reads the store alone, while the
 * message is still there, so a process that dies after any write finds the rest again.
 */
export interface SentFileDeps {
  readonly collections: Collections;
  readonly media: Pick<MediaLibrary, 'erase'>;
}

type Row = Doc & Readonly<Record<string, unknown>>;

/** The picture of a link's preview that its sender gave. */
const OF_PREVIEW = 'parts.link_preview.media_r2_key';

/** The files that a row names. */
function filesOf({ media_r2_key, parts }: Row): readonly string[] {
  return [media_r2_key, memberOf(memberOf(parts, 'link_preview'), 'media_r2_key')].flatMap((key) => (typeof key === 'string' ? [key] : []));
}

/** Erases the files of a row that is about to go. Gives how many: not those that are gone, or that somebody else holds. */
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
    // The bound names the index, which holds messages with files only.
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
