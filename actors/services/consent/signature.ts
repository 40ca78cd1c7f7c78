/**
 * Detects mail signatures under a short message; some programs add them to replies. Accepts only
 * endings that cannot be part of the message: a line of dashes, "Sent from my …", a closing formula
 * with a name, or a name with that person's contact details. Reads at most 1,000 characters.
 */

const LONGEST = 1_000;
const MOST_LINES = 8;
const LONGEST_LINE = 80;

export function beforeSignature(text: string): string | null {
  if (text.length > LONGEST) return null;
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.replace(/\p{DI}/gu, '').trim());
  for (let nth = 1; nth < lines.length; nth += 1)
    if (isSignature(lines.slice(nth), lines[nth - 1] === '')) return lines.slice(0, nth).join('\n');
  return null;
}

function isSignature(lines: readonly string[], isApart: boolean): boolean {
  const [first = '', ...rest] = lines;
  const below = rest.filter((line) => line !== '');
  if (below.length > MOST_LINES || lines.some((line) => line.length > LONGEST_LINE)) return false;
  if (DASHES.test(first)) return below.length > 0;
  if (SENT_FROM.test(first)) return below.every((line) => SENT_FROM.test(line));
  if (CLOSING.test(first)) return below.every((line) => isOfPerson(line) || FEW_WORDS.test(line));
  if (THANKS.test(first)) return below.every(isOfPerson);
  return isApart && isOfPerson(first) && below.every(isOfPerson) && [first, ...below].some(isContact);
}

const DASHES = /^(?:[-–—_=*~]\s?){2,}$/;
const SENT_FROM = new RegExp(
  `^(?:${[
    'sent (?:from|via|with) (?:my |a |the )?\\w',
    'get outlook for',
    'dikirim (?:dari|melalui) ',
    'dihantar (?:dari|daripada) ',
    'enviado (?:desde|do|a partir|de) ',
    'envoyé (?:de|depuis|à partir) ',
    'gesendet (?:von|mit) ',
    'von meinem .+ gesendet',
    'inviato (?:da|dal) ',
    '(?:verstuurd|verzonden) (?:vanaf|met) ',
    'skickat från ',
    'отправлено (?:с|из) ',
    'wysłane z ',
    "iphone'?umdan gönderildi",
  ].join('|')})`,
  'iu',
);

const FORMULAS =
  'best regards|kind regards|kindest regards|warm regards|warmest regards|many regards|best wishes|kind wishes|regards|rgds|best|br|' +
  'sincerely|yours sincerely|yours faithfully|yours truly|sincerely yours|cheers|respectfully|thanks and regards|thanks and best regards|' +
  'thanks & regards|thanks & best regards|salam|salam hangat|hormat saya|hormat kami|dengan hormat|saludos|un saludo|saludos cordiales|' +
  'atentamente|cordialement|bien cordialement|cdlt|bien à vous|mit freundlichen grüßen|mit freundlichen gruessen|freundliche grüße|' +
  'viele grüße|beste grüße|mfg|atenciosamente|att|abraços|cordiais saudações|cordiali saluti|distinti saluti|saluti|' +
  'met vriendelijke groet|met vriendelijke groeten|mvg|groeten|med vänlig hälsning|med vänliga hälsningar|с уважением|з повагою|' +
  'pozdrawiam|saygılarımla|مع تحياتي|تحياتي';
const GRATITUDE =
  'thanks|thank you|many thanks|thx|terima kasih|terimakasih|makasih|gracias|merci|obrigado|obrigada|danke|vielen dank|grazie|bedankt|teşekkürler|спасибо|شكرا';
const CLOSING = new RegExp(`^(?:${FORMULAS})[,.!]?$`, 'iu');
const THANKS = new RegExp(`^(?:${GRATITUDE})[,.!]?$`, 'iu');
const FEW_WORDS = /^[\p{L}\p{M}.'’-]+(?: [\p{L}\p{M}.'’-]+){0,2}$/u;

/** A few words, each of which is capitalized or in a script without capitals. */
const WORD = "(?:[\\p{Lu}\\p{Lt}\\p{Lo}\\p{N}][\\p{L}\\p{M}\\p{N}.,'’&/()-]*|of|and|the|de|da|do|van|von|dan|bin|binti|&|-|–)";
const NAME = new RegExp(`^${WORD}(?: +${WORD}){0,7}$`, 'u');
const LABEL =
  '(?:(?:t|tel|telp|telepon|telefon|phone|ph|p|mobile|mob|m|hp|h|wa|whatsapp|cell|fax|f|e|email|e-mail|mail|web|w|website|office|o|direct|d|ig)[.:]? *)?';
const CONTACT = new RegExp(`^${LABEL}(?:[^\\s@]+@[^\\s@]+|https?://\\S+|www\\.\\S+|[+(]?\\d[\\d ().-]{6,}\\d)$`, 'iu');

const partsOf = (line: string): readonly string[] =>
  line
    .split(/[|·•;]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
const isContact = (line: string): boolean => partsOf(line).some((part) => CONTACT.test(part));
const isOfPerson = (line: string): boolean =>
  SENT_FROM.test(line) || (!/[?!]/.test(line) && partsOf(line).every((part) => CONTACT.test(part) || NAME.test(part)));
