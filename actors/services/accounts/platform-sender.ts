import type { ActorRef } from '../../../runtime/actor-system/actor.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { newId } from '../../../runtime/ids.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import { isDuplicateKey } from '../../../store/port.ts';
import type { DeviceCommand } from '../../device/protocol.ts';
import { refusal } from '../../domain/refusals.ts';
import { phoneOf, userJid } from '../../network/jid.ts';
import { newDevice } from '../devices/new-device.ts';
import { networkId } from '../messaging/sending.ts';

/** This is not a ULID, so no tenant can have this id. */
export const PLATFORM = 'platform';

/** A fixed id, so that concurrent calls create a single row. */
const SENDER_ID = '00000000000000000000SENDER';

export interface Sender {
  find(): Promise<DeviceRow>;
  device(row: DeviceRow): ActorRef<DeviceCommand>;
  /** Fails with UNAVAILABLE or NOT_DELIVERED. The network drops a second message with the same `key`. */
  send(digits: string, text: string, key?: string): Promise<void>;
}

export interface SenderDeps {
  readonly devices: Devices;
  readonly now: () => number;
  device(row: DeviceRow): ActorRef<DeviceCommand>;
}

export function createSender({ devices, now, device }: SenderDeps): Sender {
  const find = async (): Promise<DeviceRow> => {
    const [known] = await devices.list(PLATFORM, null);
    if (known) return known;
    return create({ ...newDevice(PLATFORM, 'One-time codes', null, now()), _id: SENDER_ID });
  };

  const create = async (made: DeviceRow): Promise<DeviceRow> => {
    try {
      await devices.create(made);
      return made;
    } catch (cause) {
      const first = isDuplicateKey(cause) && (await devices.find(PLATFORM, SENDER_ID));
      if (!first) throw cause;
      return first;
    }
  };

  return {
    find,
    device,
    async send(digits, text, key) {
      const row = await find();
      const at = now();
      const message = {
        netId: key === undefined ? networkId(row.secret, newId(at), at) : networkId(row.secret, key, 0),
        to: userJid(digits),
        content: { type: 'text', body: text },
        quotes: null,
      } as const;
      try {
        await device(row).ask({ type: 'deliver', message }, 25_000);
      } catch (cause) {
        throw asDelivery(cause);
      }
    },
  };
}

const KNOWN_MS = 60_000;

/** Finds chats with one-time codes. An agent who read such a code could sign in as the owner. */
export function platformChats(devices: Devices, clock: Pick<Clock, 'now'>): (chat: string) => Promise<boolean> {
  let known: { readonly phone: Promise<string | null>; readonly at: number } | null = null;
  const phoneNow = (): Promise<string | null> => {
    const phone = devices.list(PLATFORM, null).then(([sender]) => sender?.phone_number ?? null);
    known = { phone, at: clock.now() };
    phone.catch(() => {
      known = null;
    });
    return phone;
  };
  return async (chat) => {
    const phone = phoneOf(chat);
    if (phone === null) return false;
    return phone === (await (known && Math.abs(clock.now() - known.at) < KNOWN_MS ? known.phone : phoneNow()));
  };
}

function asDelivery(cause: unknown): unknown {
  if (!(cause instanceof Refusal)) return cause;
  if (cause.code === 'NOT_CONNECTED' || cause.code === 'UNAVAILABLE' || cause.code === 'OVERLOADED') return refusal('UNAVAILABLE');
  return refusal('NOT_DELIVERED');
}
