import { bytesOf, fieldsOf } from './record.ts';

const IDENTITY_KEY = 3;

/** The message that begins a session. */
export const PreKeyWhisperMessage = {
  /** As much of it as is asked for: whose it says that it is. Throws a RangeError when it is no such message. */
  decode(bytes: Uint8Array): { readonly identityKey: Uint8Array | null } {
    return { identityKey: bytesOf(fieldsOf(bytes), IDENTITY_KEY) };
  },
};
