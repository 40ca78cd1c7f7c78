import { type KeyPair, makeKeyPair, sign, typed } from '../curve.ts';
import type { Luck } from '../luck.ts';
import type { DeviceKeys, OneTimeKeys } from './signal.ts';

/** A new device's keys, as its app makes them when it is installed. */
export function makeDeviceKeys(luck: Luck): { readonly keys: DeviceKeys; readonly oneTime: OneTimeKeys } {
  const identity = makeKeyPair(luck);
  const signed = makeKeyPair(luck);
  const oneTime = new Map<number, KeyPair>();
  let made = 0;
  const makePreKey = (): { id: number; public: Buffer } => {
    made += 1;
    const pair = makeKeyPair(luck);
    oneTime.set(made, pair);
    return { id: made, public: pair.public };
  };
  const signature = sign(identity.private, typed(signed.public));
  return {
    keys: { registrationId: 1 + luck.number(13), identity, signedPreKey: { id: 1, ...signed, signature }, makePreKey },
    oneTime: { take: (id) => oneTime.get(id) ?? null, drop: (id) => void oneTime.delete(id) },
  };
}
