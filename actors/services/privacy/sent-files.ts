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

/** Erases the file of a row that is about to go. False: it had none, it is gone, or somebody else holds it. */
export async function eraseFileOf(deps: SentFileDeps, who: Person, row: Row): Promise<boolean> {
  const { direction, media_r2_key: key } = row;
  if (typeof key !== 'string') return false;
  if (direction !== 'inbound' && (await isHeldElsewhere(deps.collections, who, row._id, key))) return false;
  return deps.media.erase(who.tenantId, key);
}

async function isHeldElsewhere(collections: Collections, who: Person, id: string, key: string): Promise<boolean> {
  const { tenantId: tenant_id, devices, addresses, until } = who;
  // The bound names the index, which holds messages with files only.
  const withIt: Filter = { media_r2_key: { $eq: key, $gte: '' }, tenant_id };
  const messages = opened(collections, 'messages');
  const toOthers: Filter = { ...withIt, $or: [{ chat_id: { $nin: addresses } }, { created_at: { $gt: until } }] };
  if ((await messages.countDocuments(toOthers, { limit: 1 })) > 0) return true;
  for (const name of ['campaigns', 'templates'])
    if ((await opened(collections, name).countDocuments({ tenant_id, media_r2_key: key }, { limit: 1 })) > 0) return true;
  const own: Filter = { _id: { $ne: id }, media_r2_key: key };
  for (const session_id of devices)
    for (const name of ['scheduled', 'recurring'])
      for await (const row of opened(collections, name).find({ ...own, session_id }))
        if (!('chat_id' in row && addresses.includes(String(row.chat_id)))) return true;
  return (await filesOfRules(collections, devices, [key])).size > 0;
}
