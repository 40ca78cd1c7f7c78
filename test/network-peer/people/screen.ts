import { proto } from '@whiskeysockets/baileys';
import type { Message } from './handset.ts';
import { openVote } from './sayings.ts';

const { Type } = proto.Message.ProtocolMessage;

/** A message as a phone shows it at present. */
export interface Shown {
  readonly netId: string;
  /** Digits. */
  readonly from: string;
  /** The conversation: the other person, or the group. */
  readonly chat: string;
  readonly message: Message;
  /** `message` with all that it was wrapped in. */
  readonly whole: Message;
  /** The words, or what is written below a picture; as edited last. */
  readonly text: string;
  readonly isEdited: boolean;
  readonly isDeleted: boolean;
  /** Digits and what they reacted with. */
  readonly reactions: ReadonlyMap<string, string>;
  /** Digits and what they chose, in the poll's own order. */
  readonly votes: ReadonlyMap<string, readonly string[]>;
  /** Epoch ms. */
  readonly at: number;
}

type Made = Pick<Shown, 'from' | 'at'>;

export type Arrival = Pick<Shown, 'netId' | 'from' | 'chat' | 'message' | 'at'>;

/** What one phone shows, oldest first. */
export class Screen {
  readonly #shown = new Map<string, Shown>();
  /** Of edits by their message, of reactions by their maker and message: when the one that is shown was made, epoch ms. */
  readonly #madeAt = new Map<string, number>();
  readonly #addressesOf: (digits: string) => readonly string[];

  /** `addressesOf`: all that a person may be called in a sealed vote. */
  constructor(addressesOf: (digits: string) => readonly string[]) {
    this.#addressesOf = addressesOf;
  }

  get messages(): readonly Shown[] {
    return [...this.#shown.values()];
  }

  get(netId: string): Shown | null {
    return this.#shown.get(netId) ?? null;
  }

  /** Answers what is new on it: a message, or one that looks different now; null when nothing is. */
  apply({ message: whole, ...arrival }: Arrival): Shown | null {
    const message = unwrapped(whole);
    const { protocolMessage, reactionMessage, pollUpdateMessage } = message;
    if (reactionMessage) return this.#react(arrival, reactionMessage);
    if (protocolMessage) return this.#protocol(arrival, protocolMessage);
    if (pollUpdateMessage) return this.#vote(arrival.from, pollUpdateMessage);
    if (!hasContent(message) || this.#shown.has(arrival.netId)) return null;
    return this.#put({
      ...arrival,
      message,
      whole,
      text: textOf(message),
      isEdited: false,
      isDeleted: false,
      reactions: new Map(),
      votes: new Map(),
    });
  }

  #react({ from, at }: Made, { key, text, senderTimestampMs }: proto.Message.IReactionMessage): Shown | null {
    const shown = this.get(key?.id ?? '');
    if (!shown || !this.#isLatest(`${from} ${shown.netId}`, Number(senderTimestampMs ?? at))) return null;
    const reactions = new Map(shown.reactions);
    if (text) reactions.set(from, text);
    else reactions.delete(from);
    return this.#put({ ...shown, reactions });
  }

  #vote(from: string, { pollCreationMessageKey, vote }: proto.Message.IPollUpdateMessage): Shown | null {
    const shown = this.get(pollCreationMessageKey?.id ?? '');
    const poll = shown && pollOf(shown.message);
    const secret = shown?.message.messageContextInfo?.messageSecret;
    if (!shown || !poll || !secret || !vote) return null;
    const choices = (poll.options ?? []).map(({ optionName }) => optionName ?? '');
    for (const creator of this.#addressesOf(shown.from)) {
      for (const voter of this.#addressesOf(from)) {
        const chosen = opened(() => openVote(vote, { pollId: shown.netId, creator, voter, secret }, choices));
        if (chosen) return this.#put({ ...shown, votes: new Map(shown.votes).set(from, chosen) });
      }
    }
    return null;
  }

  #protocol({ from, at }: Made, { type, key, editedMessage, timestampMs }: proto.Message.IProtocolMessage): Shown | null {
    const shown = this.get(key?.id ?? '');
    if (!shown || shown.from !== from) return null;
    if (type === Type.REVOKE) return this.#put({ ...shown, isDeleted: true, text: '', message: {} });
    if (type !== Type.MESSAGE_EDIT || !editedMessage || !this.#isLatest(shown.netId, Number(timestampMs ?? at))) return null;
    return this.#put({ ...shown, isEdited: true, text: textOf(unwrapped(editedMessage)) });
  }

  /** One that was made before the one that is shown changes nothing. */
  #isLatest(of: string, at: number): boolean {
    if (at < (this.#madeAt.get(of) ?? 0)) return false;
    this.#madeAt.set(of, at);
    return true;
  }

  #put(shown: Shown): Shown {
    this.#shown.set(shown.netId, shown);
    return shown;
  }
}

export const pollOf = ({ pollCreationMessage, pollCreationMessageV2, pollCreationMessageV3 }: Message) =>
  pollCreationMessage ?? pollCreationMessageV2 ?? pollCreationMessageV3;

function opened<T>(open: () => T): T | null {
  try {
    return open();
  } catch {
    return null;
  }
}

/** Without the envelopes that messages come in. */
export function unwrapped(message: Message): Message {
  const { deviceSentMessage, ephemeralMessage, viewOnceMessage, viewOnceMessageV2, documentWithCaptionMessage, editedMessage } = message;
  const wrapped = [deviceSentMessage, ephemeralMessage, viewOnceMessage, viewOnceMessageV2, documentWithCaptionMessage, editedMessage];
  const inside = wrapped.find((each) => each?.message)?.message;
  return inside ? unwrapped(inside) : message;
}

function textOf({ conversation, extendedTextMessage, imageMessage, videoMessage, documentMessage }: Message): string {
  return conversation || (extendedTextMessage?.text ?? imageMessage?.caption ?? videoMessage?.caption ?? documentMessage?.caption ?? '');
}

const BESIDE_THE_POINT = new Set(['senderKeyDistributionMessage', 'messageContextInfo', 'fastRatchetKeySenderKeyDistributionMessage']);

const hasContent = (message: Message): boolean =>
  Object.entries(message).some(([name, value]) => !BESIDE_THE_POINT.has(name) && value !== null && value !== undefined && value !== '');
