import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';
import type { SeededRandom } from '../random.ts';
import type { Message } from './handset.ts';

const { Type } = proto.Message.ProtocolMessage;
const TAG_BYTES = 16;

/** A reference to the message to act on, as the acting side writes it. */
export type Target = proto.IMessageKey;

export const reaction = (key: Target, text: string, at: number): Message => ({ reactionMessage: { key, text, senderTimestampMs: at } });

export const deletion = (key: Target): Message => ({ protocolMessage: { key, type: Type.REVOKE } });

export const edit = (key: Target, text: string, at: number): Message => ({
  protocolMessage: { key, type: Type.MESSAGE_EDIT, editedMessage: { conversation: text }, timestampMs: at },
});

/** The phone's response to its computer, which knows that these messages exist but lacks their content. */
export const whole = (messages: readonly proto.IWebMessageInfo[]): Message => ({
  protocolMessage: {
    type: Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
    peerDataOperationRequestResponseMessage: {
      peerDataOperationResult: messages.map((one) => ({
        placeholderMessageResendResponse: { webMessageInfoBytes: proto.WebMessageInfo.encode(one).finish() },
      })),
    },
  },
});

export const quote = (text: string, id: string, from: string): Message => ({
  extendedTextMessage: { text, contextInfo: { stanzaId: id, participant: from, quotedMessage: { conversation: '' } } },
});

export const location = (lat: number, lng: number): Message => ({ locationMessage: { degreesLatitude: lat, degreesLongitude: lng } });

/** `secret`: key with which votes are encrypted. */
export const poll = (name: string, choices: readonly string[], secret: Buffer): Message => ({
  messageContextInfo: { messageSecret: secret },
  pollCreationMessageV3: { name, options: choices.map((optionName) => ({ optionName })), selectableOptionsCount: 0 },
});

/** The voter and poll of an encrypted vote. Only people who saw the poll can decrypt it. */
export interface Ballot {
  readonly pollId: string;
  /** Addresses as they appear in the poll and the vote. */
  readonly creator: string;
  readonly voter: string;
  readonly secret: Uint8Array;
}

/** Encrypts the complete current choice of a voter. */
export function vote(key: Target, ballot: Ballot, choices: readonly string[], random: SeededRandom, at: number): Message {
  const iv = random.bytes(12);
  const cipher = createCipheriv('aes-256-gcm', keyOf(ballot), iv);
  cipher.setAAD(Buffer.from(`${ballot.pollId}\0${ballot.voter}`));
  const plain = proto.Message.PollVoteMessage.encode({ selectedOptions: choices.map(optionHash) }).finish();
  const encPayload = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return { pollUpdateMessage: { pollCreationMessageKey: key, vote: { encPayload, encIv: iv }, senderTimestampMs: at } };
}

/**
 * Returns which of `choices` an encrypted vote names. Throws if it was encrypted with another secret or by someone
 * else.
 */
export function openVote(
  { encPayload, encIv }: proto.Message.IPollEncValue,
  ballot: Ballot,
  choices: readonly string[],
): readonly string[] {
  const sealed = Buffer.from(encPayload ?? []);
  const cipher = createDecipheriv('aes-256-gcm', keyOf(ballot), encIv ?? Buffer.alloc(0));
  cipher.setAAD(Buffer.from(`${ballot.pollId}\0${ballot.voter}`));
  cipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const plain = Buffer.concat([cipher.update(sealed.subarray(0, -TAG_BYTES)), cipher.final()]);
  const chosen = proto.Message.PollVoteMessage.decode(plain).selectedOptions.map((each) => Buffer.from(each).toString('hex'));
  return choices.filter((choice) => chosen.includes(optionHash(choice).toString('hex')));
}

const optionHash = (name: string): Buffer => createHash('sha256').update(name).digest();

const hmac = (key: Uint8Array, data: Uint8Array): Buffer => createHmac('sha256', key).update(data).digest();

function keyOf({ pollId, creator, voter, secret }: Ballot): Buffer {
  const use = Buffer.concat([Buffer.from(`${pollId}${creator}${voter}Poll Vote`), Buffer.from([1])]);
  return hmac(hmac(Buffer.alloc(32), secret), use);
}
