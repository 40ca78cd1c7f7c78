import type { Library, proto } from '../library.ts';
import { fieldIn } from './unknown.ts';

/**
 * Unwraps a message. Known wrappers are found by the library's names, newer ones by field number.
 * The meaning of the wrappers (view once, second rendering, no message) is returned with the
 * content.
 */

type Message = proto.IMessage;

export interface Unwrapped {
  readonly plain: Message;
  readonly bytes: Uint8Array | null;
  readonly isViewOnce: boolean;
  readonly isPart: boolean;
  readonly isSilent: boolean;
}

type Meaning = 'plain' | 'viewOnce' | 'part' | 'silent';

/** Wrappers of messages. The content is the first field, except in `deviceSentMessage`. */
const NAMED = [
  ['deviceSentMessage', 31, 'plain'],
  ['viewOnceMessage', 37, 'viewOnce'],
  ['ephemeralMessage', 40, 'plain'],
  ['documentWithCaptionMessage', 53, 'plain'],
  ['viewOnceMessageV2', 55, 'viewOnce'],
  ['editedMessage', 58, 'plain'],
  ['viewOnceMessageV2Extension', 59, 'viewOnce'],
  ['groupMentionedMessage', 62, 'plain'],
  ['botInvokeMessage', 67, 'plain'],
  ['lottieStickerMessage', 74, 'plain'],
  ['eventCoverImage', 85, 'part'],
  ['statusMentionMessage', 87, 'silent'],
  ['pollCreationOptionImageMessage', 90, 'part'],
  ['associatedChildMessage', 91, 'plain'],
  ['groupStatusMentionMessage', 92, 'silent'],
  ['pollCreationMessageV4', 93, 'plain'],
  ['statusAddYours', 95, 'plain'],
  ['groupStatusMessage', 96, 'plain'],
  ['botTaskMessage', 100, 'plain'],
  ['questionMessage', 101, 'plain'],
  ['groupStatusMessageV2', 103, 'plain'],
  ['botForwardedMessage', 104, 'plain'],
  ['questionReplyMessage', 106, 'plain'],
] as const satisfies readonly (readonly [keyof Message, number, Meaning])[];

const NUMBERED = [[118, 'plain']] as const satisfies readonly (readonly [number, Meaning])[];

const FROM_OWN_DEVICE = 31;
const MAX_DEPTH = 8;

export function unwrap(library: Library, message: Message, bytes: Uint8Array | null): Unwrapped {
  let [plain, raw] = [message, bytes];
  const meanings = new Set<Meaning>();
  // The library removes one `deviceSentMessage` from live messages. Remove it from the raw bytes, too.
  if (raw && copiesIn(raw) > copiesOf(plain)) raw = insideCopy(raw);
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const next = opened(library, plain, raw);
    if (!next) break;
    meanings.add(next.meaning);
    const { messageContextInfo } = plain;
    plain = messageContextInfo && !next.plain.messageContextInfo ? { ...ownFields(next.plain), messageContextInfo } : next.plain;
    raw = next.bytes;
  }
  return {
    plain,
    bytes: raw,
    isViewOnce: meanings.has('viewOnce'),
    isPart: meanings.has('part'),
    isSilent: meanings.has('silent'),
  };
}

const insideCopy = (bytes: Uint8Array): Uint8Array | null => {
  const copy = fieldIn(bytes, FROM_OWN_DEVICE);
  return copy && fieldIn(copy, 2);
};

function copiesOf(message: Message): number {
  let count = 0;
  for (let inside = message.deviceSentMessage?.message; inside && count < MAX_DEPTH; inside = inside.deviceSentMessage?.message) count += 1;
  return count;
}

function copiesIn(bytes: Uint8Array): number {
  let count = 0;
  for (let inside = insideCopy(bytes); inside && count <= MAX_DEPTH; inside = insideCopy(inside)) count += 1;
  return count;
}

const ownFields = (message: Message): Message => ({ ...message });

interface Layer {
  readonly plain: Message;
  readonly bytes: Uint8Array | null;
  readonly meaning: Meaning;
}

function opened({ proto }: Library, plain: Message, bytes: Uint8Array | null): Layer | null {
  for (const [name, field, meaning] of NAMED) {
    const inside = plain[name]?.message;
    if (!inside) continue;
    const wrapper = bytes && fieldIn(bytes, field);
    return { plain: inside, bytes: wrapper && fieldIn(wrapper, field === FROM_OWN_DEVICE ? 2 : 1), meaning };
  }
  for (const [field, meaning] of bytes ? NUMBERED : []) {
    const wrapper = bytes && fieldIn(bytes, field);
    const inside = wrapper && fieldIn(wrapper, 1);
    if (!inside) continue;
    try {
      return { plain: proto.Message.decode(inside), bytes: inside, meaning };
    } catch {
      return null;
    }
  }
  return null;
}
