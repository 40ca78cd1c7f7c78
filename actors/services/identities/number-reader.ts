import { Refusal } from '../../../runtime/errors.ts';
import { at } from '../../../runtime/invariant.ts';
import type { KnownNumbers } from '../../../store/identities/known-numbers.ts';
import { digitsRead, type NumberRead, type NumberRules, type OpenNumber, openNumber } from '../../domain/numbers/read-number.ts';
import { refusal } from '../../domain/refusals.ts';
import { isJid, modernJid, userJid } from '../../network/jid.ts';

/**
 * Reads written numbers for a tenant: `openNumber` with the people whom the tenant knows. Nearly all numbers are read without a question
 * to the store; one of them asks once, and a list asks once for all of its numbers.
 */
export interface NumberReader {
  /** Digits. Refuses INVALID_NUMBER. */
  digits(reader: Reader, text: string): string | Promise<string>;
  /** The address of a chat: an address as it is (`@c.us` as of today), or that of a number's person. Refuses INVALID_JID, INVALID_NUMBER. */
  chat(reader: Reader, text: string): string | Promise<string>;
  /** As `chat` for each of these texts, in their order; a refusal where it would refuse. */
  chats(reader: Reader, texts: readonly string[]): Promise<readonly (string | Refusal)[]>;
  /** What each of these texts means, in their order; refuses nothing. */
  all(reader: Reader, texts: readonly string[]): Promise<readonly NumberRead[]>;
}

/** Whose people and country decide. */
export interface Reader extends NumberRules {
  readonly tenantId: string;
}

export function createNumberReader(known: KnownNumbers): NumberReader {
  const digits = (reader: Reader, text: string): string | Promise<string> => {
    const open = openNumber(text, reader);
    if (open.asks.length === 0) return digitsRead(text, open.decide(NOBODY));
    return known.among(reader.tenantId, open.asks).then((found) => digitsRead(text, open.decide(found)));
  };

  async function all(reader: Reader, texts: readonly string[]): Promise<readonly NumberRead[]> {
    const opened = texts.map((text): OpenNumber => openNumber(text, reader));
    const asked = new Set(opened.flatMap(({ asks }) => asks));
    const found = asked.size === 0 ? NOBODY : await known.among(reader.tenantId, [...asked]);
    return opened.map(({ decide }) => decide(found));
  }

  return {
    digits,
    all,

    chat(reader, text) {
      const address = addressIn(text);
      if (address !== null) return address;
      const read = digits(reader, text);
      return typeof read === 'string' ? userJid(read) : read.then(userJid);
    },

    async chats(reader, texts) {
      const addresses = texts.map((text) => refusalOr(() => addressIn(text)));
      const reads = await all(reader, texts);
      return texts.map((text, nth) => addresses[nth] ?? refusalOr(() => userJid(digitsRead(text, at(reads, nth)))));
    },
  };
}

/** The answer, or the refusal in its place. */
function refusalOr<T>(answer: () => T): T | Refusal {
  try {
    return answer();
  } catch (cause) {
    if (cause instanceof Refusal) return cause;
    throw cause;
  }
}

/** All of these. Throws the first refusal among them. */
export const expectAll = (found: readonly (string | Refusal)[]): readonly string[] =>
  found.map((one) => {
    if (one instanceof Refusal) throw one;
    return one;
  });

const NOBODY: ReadonlySet<string> = new Set();

/** The reader of what knows no people: numbers are read by their form alone. */
export const BY_FORM_ALONE = createNumberReader({ among: async () => NOBODY });

const LONGEST_CHAT_ID = 64;

/** An address of the network, as it is written today; null: the text is a number. Refuses INVALID_JID. */
function addressIn(text: string): string | null {
  if (!text.includes('@')) return null;
  const jid = modernJid(text.trim());
  if (jid.length > LONGEST_CHAT_ID || !isJid(jid)) throw refusal('INVALID_JID', { reason: FORMS });
  return jid;
}

const FORMS = {
  en: 'write a phone number, or digits and @s.whatsapp.net, @g.us, @newsletter, @broadcast or @lid',
  id: 'tulis nomor telepon, atau angka dan @s.whatsapp.net, @g.us, @newsletter, @broadcast atau @lid',
};
