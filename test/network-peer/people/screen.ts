import { proto } from '@whiskeysockets/baileys';
import type { Message } from './handset.ts';
import { openVote } from './sayings.ts';

const { Type } = proto.Message.ProtocolMessage;

/** A message as a phone currently shows it. */
export interface Shown {
  readonly netId: string;
  /** Sender's number, as digits. */
  readonly from: string;
  /** The other person, or the group. */
  readonly chat: string;
  readonly message: Message;
  /** `message` with all its wrappers. */
  readonly whole: Message;
  /** Text or caption, as last edited. */
  readonly text: string;
  readonly isEdited: boolean;
  readonly isDeleted: boolean;
  /** Emoji by the reacting person's number (digits). */
  readonly reactions: ReadonlyMap<string, string>;
  /** Choices by the voter's number (digits), in the order of the poll. */
  readonly votes: ReadonlyMap<string, readonly string[]>;
  /** Epoch ms. */
  readonly at: number;
}

type Made = Pick<Shown, 'from' | 'at'>;

export type Arrival = Pick<Shown, 'netId' | 'from' | 'chat' | 'message' | 'at'>;

/** The messages that one phone shows, oldest first. */
export class Screen {
  readonly #shown = new Map<string, Shown>();
  /**
   * Creation time (epoch ms) of the edit shown for each message, and of the reaction shown for each person and
   * message.
   */
  readonly #madeAt = new Map<string, number>();
  readonly #addressesOf: (digits: string) => readonly string[];

  /** `addressesOf`: all addresses that may stand for a person in an encrypted vote. */
  constructor(addressesOf: (digits: string) => readonly string[]) {
    this.#addressesOf = addressesOf;
  }

  get messages(): readonly Shown[] {
    return [...this.#shown.values()];
  }

  get(netId: string): Shown | null {
    return this.#shown.get(netId) ?? null;
  }

  /** Applies an arrival. Returns the message that is new or looks different; null if nothing changed. */
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

  /** Whether it is newer than the shown one; an older edit or reaction is ignored. */
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

/** Returns a message without its wrappers. */
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
