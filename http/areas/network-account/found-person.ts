import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FoundPerson } from '../../../actors/network/account.ts';
import type { MediaLibrary } from '../../../actors/services/media/library.ts';
import { answerId } from '../../../actors/services/messaging/answer-id.ts';
import type { People } from '../../../actors/services/people/people.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';

export interface FoundPersonServices {
  readonly media: Pick<MediaLibrary, 'keep' | 'find'>;
  readonly persons: People;
}

type OfDevice = Pick<DeviceRow, '_id' | 'tenant_id'>;

/** A person as the API shows them: under the name that they have here, with a copy of their picture. Refuses LIMIT_REACHED. */
export async function shownPerson(services: FoundPersonServices, device: OfDevice, found: FoundPerson, now: number) {
  const [person = found.person] = await services.persons.describe(device.tenant_id, [found.person]);
  const picture = found.picture === null ? null : await keyOfPicture(services, device, Buffer.from(found.picture, 'base64'), now);
  return { ...found, person, picture };
}

/** One copy for each device, however often it is asked for: its key follows from its bytes. */
async function keyOfPicture(
  { media }: FoundPersonServices,
  { _id, tenant_id: tenantId }: OfDevice,
  bytes: Buffer,
  now: number,
): Promise<string> {
  const key = `med_${answerId('picture', `0000000000${_id}:${hash('sha256', bytes)}`)}`;
  if (await media.find(tenantId, key)) return key;
  const owner = { devices: [_id], chat_id: null, agent_id: null };
  await media.keep({ tenantId, key, owner, source: Readable.from([bytes]), filename: null }, now).catch(async (cause) => {
    // Another call was faster.
    if (!(await media.find(tenantId, key))) throw cause;
  });
  return key;
}
