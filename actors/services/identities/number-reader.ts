import { Refusal } from '../../../runtime/errors.ts';
import { at } from '../../../runtime/invariant.ts';
import type { KnownNumbers } from '../../../store/identities/known-numbers.ts';
import { digitsRead, type NumberRead, type NumberRules, type OpenNumber, openNumber } from '../../domain/numbers/read-number.ts';
import { refusal } from '../../domain/refusals.ts';
import { isJid, modernJid, userJid } from '../../network/jid.ts';

export interface NumberReader {
  digits(reader: Reader, text: string): string | Promise<string>;
  /** Also converts `@c.us` addresses. Fails with INVALID_JID or INVALID_NUMBER. */
  chat(reader: Reader, text: string): string | Promise<string>;
  chats(reader: Reader, texts: readonly string[]): Promise<readonly (string | Refusal)[]>;
  all(reader: Reader, texts: readonly string[]): Promise<readonly NumberRead[]>;
}

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

function refusalOr<T>(answer: () => T): T | Refusal {
  try {
    return answer();
  } catch (cause) {
    if (cause instanceof Refusal) return cause;
    throw cause;
  }
}

export const expectAll = (found: readonly (string | Refusal)[]): readonly string[] =>
  found.map((one) => {
    if (one instanceof Refusal) throw one;
    return one;
  });

const NOBODY: ReadonlySet<string> = new Set();

export const BY_FORM_ALONE = createNumberReader({ among: async () => NOBODY });

const LONGEST_CHAT_ID = 64;

function addressIn(text: string): string | null {
  if (!text.includes('@')) return null;
  const jid = modernJid(text.trim());
  if (jid.length > LONGEST_CHAT_ID || !isJid(jid)) throw refusal('INVALID_JID', { reason: FORMS });
  return jid;
}

const FORMS = {
  en: 'send a phone number, or digits followed by @s.whatsapp.net, @g.us, @newsletter, @broadcast or @lid',
  id: 'kirim nomor telepon, atau angka yang diikuti @s.whatsapp.net, @g.us, @newsletter, @broadcast atau @lid',
};
