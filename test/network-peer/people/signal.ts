import type { KeyPair } from '../curve.ts';

/** The Signal address of a device. `user` is a local name that never goes over the wire. */
export interface SignalAddress {
  readonly user: string;
  readonly device: number;
}

export interface SignedPreKey {
  readonly id: number;
  /** 32 bytes. */
  readonly public: Buffer;
  readonly signature: Buffer;
}

/** The keys that the server hands out for a first message to a device. */
export interface Bundle {
  readonly registrationId: number;
  /** 32 bytes. */
  readonly identity: Buffer;
  readonly signedPreKey: SignedPreKey;
  /** A one-time key; null if all have been used. */
  readonly preKey: { readonly id: number; readonly public: Buffer } | null;
}

export type SealedType = 'pkmsg' | 'msg';

export interface Sealed {
  readonly type: SealedType;
  readonly ciphertext: Buffer;
}

/** The Signal identity and keys of a device. */
export interface DeviceKeys {
  readonly registrationId: number;
  readonly identity: KeyPair;
  readonly signedPreKey: SignedPreKey & { readonly private: Buffer };
  /** Makes a one-time key, which is stored until it is used. */
  makePreKey(): { readonly id: number; readonly public: Buffer };
}

/**
 * Signal on one simulated device. There are two implementations: `rust` (independent of the client's code) and
 * `library` (the client library's own). A test checks that both behave the same.
 */
export interface SignalSide {
  hasSession(with_: SignalAddress): Promise<boolean>;
  startSession(with_: SignalAddress, bundle: Bundle): Promise<void>;
  endSession(with_: SignalAddress): Promise<void>;
  encrypt(to: SignalAddress, plain: Uint8Array): Promise<Sealed>;
  /** Rejects if the message cannot be decrypted. */
  decrypt(from: SignalAddress, sealed: Sealed): Promise<Buffer>;
  /** `distribution`: the sender key message that the other members need for decryption. */
  encryptGroup(group: string, own: SignalAddress, plain: Uint8Array): Promise<{ ciphertext: Buffer; distribution: Buffer }>;
  learnGroup(group: string, author: SignalAddress, distribution: Uint8Array): Promise<void>;
  decryptGroup(group: string, author: SignalAddress, ciphertext: Uint8Array): Promise<Buffer>;
  forgetGroups(): void;
}

export interface OneTimeKeys {
  take(id: number): KeyPair | null;
  drop(id: number): void;
}

export type MakeSignalSide = (keys: DeviceKeys, oneTime: OneTimeKeys) => SignalSide;
