import { createCipheriv, hkdfSync } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';

interface SeededRandom {
  bytes(length: number): Buffer;
}

import type { Message } from './handset.ts';
import type { Target } from './sayings.ts';

/**
 * Context of a payload that is encrypted with a message's secret: its author and the message's author, as addresses
 * without devices.
 */
export interface SealedFor {
  readonly key: Target;
  readonly author: string;
  readonly maker: string;
  readonly secret: Uint8Array;
}

function seal({ key, author, maker, secret }: SealedFor, label: string, plain: Uint8Array, random: SeededRandom) {
  const encIv = random.bytes(12);
  const sealedWith = Buffer.from(hkdfSync('sha256', secret, '', `${key.id}${author}${maker}${label}`, 32));
  const cipher = createCipheriv('aes-256-gcm', sealedWith, encIv);
  return { targetMessageKey: key, encPayload: Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]), encIv };
}

/** Returns an edit in the format that phones currently use. */
export function sealedEdit(what: SealedFor, text: string, random: SeededRandom): Message {
  const { MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;
  const plain = { protocolMessage: { key: what.key, type: MESSAGE_EDIT, editedMessage: { conversation: text } } };
  return sealedMessage(what, proto.Message.encode(plain).finish(), random);
}

/** Returns the encrypted message that replaces another one in an edit. */
export const sealedMessage = (what: SealedFor, plain: Uint8Array, random: SeededRandom): Message => ({
  secretEncryptedMessage: { ...seal(what, 'Message Edit', plain, random), secretEncType: 2 },
});

export const sealedReaction = (what: SealedFor, text: string, random: SeededRandom): Message => ({
  encReactionMessage: seal(what, 'Enc Reaction', proto.Message.ReactionMessage.encode({ text }).finish(), random),
});

export const sealedComment = (what: SealedFor, text: string, random: SeededRandom): Message => ({
  encCommentMessage: seal(what, 'Enc Comment', proto.Message.encode({ conversation: text }).finish(), random),
});
