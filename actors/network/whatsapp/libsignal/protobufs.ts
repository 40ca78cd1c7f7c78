import { bytesOf, fieldsOf } from './record.ts';

const IDENTITY_KEY = 3;

export const PreKeyWhisperMessage = {
  /** Reads the claimed identity key. Throws a RangeError if the message has none. */
  decode(bytes: Uint8Array): { readonly identityKey: Uint8Array | null } {
    return { identityKey: bytesOf(fieldsOf(bytes), IDENTITY_KEY) };
  },
};
