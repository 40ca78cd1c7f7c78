import type { KeyPair } from '../curve.ts';

/** One device in the eyes of Signal: `user` is a name of ours, nothing that goes over the wire. */
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

/** What the server hands out for a first message to a device. */
export interface Bundle {
  readonly registrationId: number;
  /** 32 bytes. */
  readonly identity: Buffer;
  readonly signedPreKey: SignedPreKey;
  /** A one-time key; null when none is left. */
  readonly preKey: { readonly id: number; readonly public: Buffer } | null;
}

export type SealedType = 'pkmsg' | 'msg';

export interface Sealed {
  readonly type: SealedType;
  readonly ciphertext: Buffer;
}

/** All that a device is to Signal. */
export interface DeviceKeys {
  readonly registrationId: number;
  readonly identity: KeyPair;
  readonly signedPreKey: SignedPreKey & { readonly private: Buffer };
  /** A new one-time key, remembered until it is used. */
  makePreKey(): { readonly id: number; readonly public: Buffer };
}

/**
 * One simulated device's end of Signal. There are two: `rust` (Signal's protocol in other code than the client's) and
 * `library` (the client library's own). Both do the same; a test holds them to it.
 */
export interface SignalSide {
  hasSession(with_: SignalAddress): Promise<boolean>;
  startSession(with_: SignalAddress, bundle: Bundle): Promise<void>;
  endSession(with_: SignalAddress): Promise<void>;
  encrypt(to: SignalAddress, plain: Uint8Array): Promise<Sealed>;
  /** Rejects when it cannot be read. */
  decrypt(from: SignalAddress, sealed: Sealed): Promise<Buffer>;
  /** `distribution` is what the others need to read it. */
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
