import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FoundPerson } from '../../../actors/network/account.ts';
import { userJid } from '../../../actors/network/jid.ts';
import type { Intake, MediaLibrary } from '../../../actors/services/media/library.ts';
import { answerId } from '../../../actors/services/messaging/answer-id.ts';
import type { People } from '../../../actors/services/people/people.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';
import type { MediaRow } from '../../../store/media/media.ts';

export interface FoundPersonServices {
  readonly media: Pick<MediaLibrary, 'keep' | 'find' | 'dropCopies'>;
  readonly persons: People;
}

type OfDevice = Pick<DeviceRow, '_id' | 'tenant_id'>;

export async function shownPerson(services: FoundPersonServices, device: OfDevice, found: FoundPerson, now: number) {
  const [person = found.person] = await services.persons.describe(device.tenant_id, [found.person]);
  return { ...found, person, picture: await copyOfPicture(services, device, found, now) };
}

/** Returns null if no picture is visible, or if the picture cannot be stored. */
async function copyOfPicture(
  services: FoundPersonServices,
  device: OfDevice,
  { person: { phone, lid }, picture }: FoundPerson,
  now: number,
): Promise<string | null> {
  const { media } = services;
  const { _id, tenant_id: tenantId } = device;
  const chat_id = phone === null ? lid : userJid(phone);
  const shows = `${_id}:${chat_id}`;
  if (picture === null) {
    await media.dropCopies(tenantId, shows, now);
    return null;
  }
  const bytes = Buffer.from(picture, 'base64');
  const key = `med_${answerId('picture', `0000000000${shows}:${hash('sha256', bytes)}`)}`;
  const owner = { devices: [_id], chat_id, agent_id: null };
  const copy = await keptOnce(media, { tenantId, key, owner, shows, source: Readable.from([bytes]), filename: null }, now);
  // If the process crashes before the old copies are removed, the next call removes them.
  if (copy) await media.dropCopies(tenantId, shows, copy.created_at);
  return copy?._id ?? null;
}

async function keptOnce(
  media: FoundPersonServices['media'],
  intake: Intake & { readonly key: string },
  now: number,
): Promise<MediaRow | null> {
  const known = await media.find(intake.tenantId, intake.key);
  if (known) return known;
  try {
    return await media.keep(intake, now);
  } catch (cause) {
    const faster = await media.find(intake.tenantId, intake.key);
    if (faster) return faster;
    if (cause instanceof Refusal && cause.code === 'LIMIT_REACHED') return null;
    throw cause;
  }
}
