import { type KeyPair, makeKeyPair, sign, typed } from '../curve.ts';
import type { SeededRandom } from '../random.ts';
import type { DeviceKeys, OneTimeKeys } from './signal.ts';

/** Makes the keys of a new device, as its app does when it is installed. */
export function makeDeviceKeys(random: SeededRandom): { readonly keys: DeviceKeys; readonly oneTime: OneTimeKeys } {
  const identity = makeKeyPair(random);
  const signed = makeKeyPair(random);
  const oneTime = new Map<number, KeyPair>();
  let made = 0;
  const makePreKey = (): { id: number; public: Buffer } => {
    made += 1;
    const pair = makeKeyPair(random);
    oneTime.set(made, pair);
    return { id: made, public: pair.public };
  };
  const signature = sign(identity.private, typed(signed.public));
  return {
    keys: { registrationId: 1 + random.number(13), identity, signedPreKey: { id: 1, ...signed, signature }, makePreKey },
    oneTime: { take: (id) => oneTime.get(id) ?? null, drop: (id) => void oneTime.delete(id) },
  };
}
