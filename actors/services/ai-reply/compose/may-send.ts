import { safeText } from '../../../../runtime/safe-text.ts';
import { plainText } from '../engine/claims.ts';

/**
 * Checks for content that the assistant never sends, whatever a page or an engine says: a request
 * for a password, a code, a card number or payment details, and a link to another business.
 * Documents and pages may come from others; only saved answers were written by the business.
 */
export function asksForSecrets(text: string): boolean {
  const plain = plainText(safeText(text)).toLowerCase().replace(/[’']/g, "'").replace(/\s+/g, ' ').replace(WARNING, ' ');
  return REQUEST.test(plain) || QUESTION.test(plain);
}

const SECRET = [
  'pass ?words?|pass ?codes?|pass ?phrases?|pins?|pin (?:codes?|numbers?|atm)|kata sandi|sandi|otp|one[- ]time (?:pass)?codes?|tan',
  '(?:verification|security|login|log-in|access|authentication|confirmation|activation|secret|recovery|sms|whatsapp|2fa|\\d[- ]digit) codes?',
  'kode (?:otp|verifikasi|keamanan|rahasia|login|masuk|aktivasi|konfirmasi|sms|akses|cvv|\\d digit)',
  '(?:the|that|any|your) codes?(?= (?:you|we|i|that|which|from|sent|received|in (?:the|your)|on (?:the|your)|to (?:us|me|this))|\\s*[.!?,]|$)|kode(?:nya)? (?:yang|dari|itu)',
  'photos? of (?:your|the) (?:credit |debit |bank |atm )?card',
  "cvv2?|cvc2?|(?:credit |debit |bank |atm )?card(?:'s)? (?:number|numbers|details|data|information|info|security code|expiry)|card no\\.?",
  'expir(?:y|ation) dates? of (?:your|the) card|(?:nomor|no\\.?|data|detail|foto|masa berlaku) kartu(?! (?:garansi|nama|member|anggota|keluarga))(?: kredit| debit| atm)?',
  '(?:payment|banking|bank|billing|account login|online banking) (?:details|credentials|data|information)|(?:data|detail|informasi) (?:pembayaran|bank|rekening)',
  'credentials|seed phrase|private key|(?:user ?name|email|login) and password|m-?banking',
].join('|');

const ASKS =
  'send|share|tell|give|provide|enter|type|reply|text|forward|submit|supply|confirm|verify|write|message|e-?mail|fill in|let (?:us|me) (?:know|have)|read (?:us|me|out)|need|require|want|ask(?:ing)? (?:you )?for|show|state|disclose|hand over|dictate|' +
  'kirim(?:kan|in)?|mengirim(?:kan)?|beri(?:kan|tahu(?:kan)?|tahukan)?|beri tahu|kasih(?:kan)?(?: tahu)?|kasi|sebut(?:kan|in)?|masukkan|masukan|input|ketik(?:kan)?|balas|bagikan|infokan|informasikan|konfirmasi(?:kan)?|minta|butuh(?:kan)?|memerlukan|perlu(?:kan)?|isi(?:kan)?|tulis(?:kan)?|serahkan|cantumkan|lampirkan|sampaikan|share|foto(?:kan)?|bacakan|tunjukkan';

const REQUEST = new RegExp(`\\b(?:${ASKS})\\b[^.!?\\n]{0,80}?(?<![\\p{L}\\d])(?:${SECRET})(?![\\p{L}\\d])`, 'u');
const QUESTION = new RegExp(
  `(?:what(?:'s| is| was)|which is|apa|berapa) (?:your |the )?(?:${SECRET})(?![\\p{L}\\d])|(?:your|anda|kamu) (?:${SECRET}) (?:is|are|will be) (?:needed|required|necessary)|(?:${SECRET})(?: anda| kamu| kakak)?,? (?:please|ya kak|dong|diperlukan|dibutuhkan|is required|is needed)`,
  'u',
);

/**
 * A warning against such requests: `never share your PIN`, `jangan berikan kode OTP`, `we will
 * never ask for your password`.
 */
const WARNING = new RegExp(
  `\\b(?:never|do not|don't|won't|not|jangan(?: pernah)?|tidak (?:akan|pernah|akan pernah)|tak(?: akan)? pernah|dilarang|hindari)(?: ever| have to| need to)? (?:${ASKS}|meminta|ask)\\b[^.!?\\n;]*`,
  'g',
);

const LINK =
  /\b[a-z][a-z\d+.-]{0,30}:\/\/[^\s"'<>“”]+|(?<![\p{L}\d@.])(?:[\p{L}\d](?:[\p{L}\d-]{0,61}[\p{L}\d])?\.){1,10}\p{L}{2,}(?::\d+)?(?:\/[^\s"'<>“”]*)?(?!@)/giu;

/** Endings of an address without a path: `daily.Then` is two sentences. */
const ENDS =
  /\.(?:com|net|org|info|biz|app|shop|store|online|site|web|xyz|link|click|top|live|page|dev|edu|gov|example|test|[a-z]{2})(?::\d+)?$/;

/**
 * Returns the hosts of the web addresses in a text, normalized; an unreadable address is returned
 * as is.
 */
export function hostsIn(text: string): readonly string[] {
  const plain = plainText(safeText(text)).replace(/(?<=\p{L}|\d)\s?[[(](?:dot|titik)[\])]\s?/giu, '.');
  const links = [...plain.matchAll(LINK)].map(([link]) => link.replace(/[.,;!?)]+$/, ''));
  return links.filter((link) => link.includes('/') || ENDS.test(link)).map((link) => hostOf(link) ?? link.toLowerCase());
}

/** Returns null when it is not an address. */
function hostOf(link: string): string | null {
  try {
    const { hostname, protocol } = new URL(/^[a-z][a-z\d+.-]*:/i.test(link) && link.includes('://') ? link : `https://${link}`);
    return protocol === 'https:' || protocol === 'http:' ? hostname.replace(/^www\./, '') : null;
  } catch {
    return null;
  }
}

/** Whether all links of a text are on these hosts, or hosts under them. */
export const hasOnlyLinksOf = (text: string, own: ReadonlySet<string>): boolean =>
  hostsIn(text).every((host) => own.has(host) || [...own].some((one) => host.endsWith(`.${one}`)));
