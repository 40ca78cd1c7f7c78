import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FoundPerson } from '../../../actors/network/account.ts';
import { userJid } from '../../../actors/network/jid.ts';
import type { MediaLibrary } from '../../../actors/services/media/library.ts';
import { answerId } from '../../../actors/services/messaging/answer-id.ts';
import type { People } from '../../../actors/services/people/people.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';

export interface FoundPersonServices {
  readonly media: Pick<MediaLibrary, 'keep' | 'find'>;
  readonly persons: People;
}

type OfDevice = Pick<DeviceRow, '_id' | 'tenant_id'>;

/** A person as the API shows them: under the name that they have here, with a copy of their picture, if there is room for it. */
export async function shownPerson(services: FoundPersonServices, device: OfDevice, found: FoundPerson, now: number) {
  const [person = found.person] = await services.persons.describe(device.tenant_id, [found.person]);
  const picture = found.picture === null ? null : await keyOfPicture(services, device, found, now);
  return { ...found, person, picture };
}

/** One copy for each device and person, however often it is asked for, which is theirs: an erasure finds it. Null: there is no room for it. */
async function keyOfPicture(
  { media }: FoundPersonServices,
  { _id, tenant_id: tenantId }: OfDevice,
  { person: { phone, lid }, picture }: FoundPerson,
  now: number,
): Promise<string | null> {
  const bytes = Buffer.from(picture ?? '', 'base64');
  const chat_id = phone === null ? lid : userJid(phone);
  const key = `med_${answerId('picture', `0000000000${_id}:${chat_id}:${hash('sha256', bytes)}`)}`;
  if (await media.find(tenantId, key)) return key;
  const owner = { devices: [_id], chat_id, agent_id: null };
  try {
    await media.keep({ tenantId, key, owner, source: Readable.from([bytes]), filename: null }, now);
    return key;
  } catch (cause) {
    // Another call was faster.
    if (await media.find(tenantId, key)) return key;
    if (cause instanceof Refusal && cause.code === 'LIMIT_REACHED') return null;
    throw cause;
  }
}
