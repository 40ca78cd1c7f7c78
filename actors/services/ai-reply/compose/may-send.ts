import { safeText } from '../../../../runtime/safe-text.ts';
import { plainText } from '../engine/claims.ts';

/**
 * Detects content that the assistant must never send, whatever a page or an engine says: a request
 * for a password, a code, a card number or payment details, or a link to another business.
 * Documents and pages may have other authors. Only saved answers were written by the business.
 */

export function asksForSecrets(text: string): boolean {
  const plain = spelledPlainly(text).replace(WARNING, (warning) => (EXCEPTION.test(warning) ? warning : ' '));
  if (REQUEST.test(plain) || QUESTION.test(plain) || FOLLOWED.test(plain) || FOREIGN_SECRET.test(plain)) return true;
  return INTERNATIONAL_SECRET.test(plain) && !KNOWN_LANGUAGE.test(plain);
}

/** Undoes spellings that disguise a word: `p-a-s-s-w-o-r-d`, `P.I.N`, `passw0rd`, other scripts. */
function spelledPlainly(text: string): string {
  const plain = plainText(safeText(text))
    .toLowerCase()
    .replace(/[’']/g, "'")
    .replace(/[\u0300-\u036f*_~`"“”]+/gu, '')
    .replace(/\s+/g, ' ');
  return plain
    .replace(MIXED_SCRIPTS, (word) => word.replace(/[^a-z]/gu, (letter) => ALIKE[letter] ?? letter))
    .replace(/(?<![\p{L}\d])(?:[\p{L}\d][ .,·•/-]{1,3}){2,20}[\p{L}\d](?![\p{L}\d])/gu, (word) => word.replace(/[^\p{L}\d]/gu, ''))
    .replace(/\b(?=[a-z\d@$]*[a-z])(?=[a-z\d@$]*[\d@$])[a-z\d@$]{3,20}\b/g, (word) =>
      word.replace(/[0134@5$]/g, (sign) => LETTERS[sign] ?? sign),
    )
    .replace(/\bp(?:ass)[ -]w(?:ord)/g, 'password');
}

const MIXED_SCRIPTS = /(?=[^\sa-z]{0,40}[a-z])(?=[a-z]{0,40}[аеорсхуітнαεικορτυν])[a-zаеорсхуітнαεικορτυν]{3,40}/gu;
const LETTERS: Readonly<Record<string, string>> = { 0: 'o', 1: 'i', 3: 'e', 4: 'a', '@': 'a', 5: 's', $: 's' };
const ALIKE: Readonly<Record<string, string>> = {
  а: 'a',
  е: 'e',
  о: 'o',
  р: 'p',
  с: 'c',
  х: 'x',
  у: 'y',
  і: 'i',
  т: 't',
  н: 'n',
  α: 'a',
  ε: 'e',
  ι: 'i',
  κ: 'k',
  ο: 'o',
  ρ: 'p',
  τ: 't',
  υ: 'u',
  ν: 'v',
};

const SECRET = [
  '(?<!wi-?fi )pass ?words?(?! (?:wi-?fi|of the wi-?fi))|pass ?codes?|pass ?phrases?|(?:atm |bank |your |6[- ]digit )?pins?(?! (?:point|lokasi|location|map))|kata ?sandi(?! wi-?fi)|(?<!kata )sandi(?! wi-?fi)|otp|one[- ]time (?:pass)?codes?|tan',
  '(?:verification|security|login|log-in|access|authentication|confirmation|activation|secret|recovery|sms|whatsapp|2fa|\\d[- ]digit) codes?',
  'kode (?:otp|verifikasi|keamanan|rahasia|login|masuk|aktivasi|konfirmasi|sms|akses|cvv|\\d (?:digit|angka)|yg|yang|dari|itu|dr)|kodenya',
  '(?:the|that|any|your) codes?(?= (?:you|we|i|that|which|from|sent|received|in (?:the|your)|on (?:the|your)|to (?:us|me|this))|\\s*[.!?,]|$)',
  '(?:photos?|pictures?|screenshots?|scans?) of (?:your|the|both sides of your) (?:credit |debit |bank |atm )?(?:card|sms|code)',
  "cvv2?|cvc2?|(?:credit |debit |bank |atm )?card(?:'s)? (?:number|numbers|no|details|data|information|info|security code|expiry)|card no\\.?|(?:digits|numbers?) (?:on|at|of|from) (?:the (?:front|back|reverse)(?: side)? of )?(?:your|the) (?:credit |debit |bank |atm )?card",
  'expir(?:y|ation) dates? of (?:your|the) card|(?:nomor|nomer|nmr|no\\.?|data|detail|foto|masa berlaku) kartu(?! (?:garansi|nama|member|anggota|keluarga))(?: kredit| debit| atm)?|(?:angka|digit) (?:di|pada) (?:depan |belakang |balik )?kartu',
  '(?:payment|banking|billing|account login|online banking) (?:details|credentials|data|information)|bank (?:details|credentials|login)|(?:data|detail|informasi) (?:pembayaran|bank|rekening)',
  '(?:your|customer) (?:bank )?account (?:number|no\\.?)|your iban|iban of your|(?:nomor|nomer|no\\.?) rekening(?: bank)? (?:anda|kamu|kakak|kak|ibu|bapak|pelanggan)',
  'credentials|seed phrase|private key|(?:user ?name|email|login) and password|m-?banking|sms (?:you|from your bank|from the bank|dari bank)',
].join('|');
/** Indonesian suffixes: `otpnya`, `pinmu`. */
const SECRETS = `(?:${SECRET})(?:-?(?:nya|mu|ku))?`;

const ASKS =
  'send|sending|share|sharing|tell|give|giving|provide|providing|enter|entering|type|typing|reply|text|forward|submit|supply|confirm|verify|write|message|e-?mail|fill in|put in|key in|let (?:us|me) (?:know|have|see)|read (?:us|me|out)|need|needs|require|requires|want|wants|ask(?:s|ing)? (?:you )?for|show|state|disclose|reveal|drop|hand over|dictate|pass on|what|which|' +
  'kirim(?:kan|in)?|mengirim(?:kan)?|beri(?:kan|tahu(?:kan)?|tahukan)?|memberi(?:kan)?|beri tahu|kasih(?:kan)?(?: tahu)?|kasi|sebut(?:kan|in)?|menyebutkan|masukkan|masukan|masukin|input|ketik(?:kan|in)?|balas|bagikan|infokan|info|informasikan|konfirmasi(?:kan)?|minta|mintol|butuh(?:kan)?|memerlukan|perlu(?:kan)?|isi(?:kan)?|tulis(?:kan)?|serahkan|cantumkan|lampirkan|sampaikan|teruskan|kirimkanlah|share|foto(?:kan)?|fotoin|bacakan|bacain|tunjukkan|tolong|mohon';

const REQUEST = new RegExp(`\\b(?:${ASKS})\\b[^.!?\\n]{0,80}?(?<![\\p{L}\\d])${SECRETS}(?![\\p{L}\\d])`, 'u');
const FORGOTTEN = '(?:forgot|forgotten|lost|reset|change|lupa|ganti|ubah|hilang) (?:your |the |my )?';
const QUESTION = new RegExp(
  `(?:what(?:'s| is| was)|which is|apa|berapa) (?:your |the )?${SECRETS}(?![\\p{L}\\d])|(?:your|anda|kamu) ${SECRETS} (?:is|are|will be) (?:needed|required|necessary)|(?<![\\p{L}\\d])(?<!${FORGOTTEN})${SECRETS}(?: anda| kamu| kakak| kak)?(?:,? (?:please|pls|ya kak|dong|donk|berapa|apa|diperlukan|dibutuhkan|is required|is needed)|\\s*(?:\\?|:?\\s*(?:\\.{3,}|…)|:\\s*$))`,
  'u',
);

/** A secret that is named before it is requested: `PIN and code: send both to us`. */
const FOLLOWED = new RegExp(
  `(?<![\\p{L}\\d])${SECRETS}(?![\\p{L}\\d])[^.!?\\n]{0,40}\\b(?:send|share|tell|give|text|reply|kirim(?:kan)?|beri(?:kan)?|sebut(?:kan)?)\\b[^.!?\\n]{0,15}\\b(?:us|me|here|both|them|it|chat|kami|sini|admin|saya)\\b`,
  'u',
);

/** Matches a warning such as `never share your PIN`, but no request in the next clause. */
const WARNING = new RegExp(
  `\\b(?:never|do not|don't|won't|not|jangan(?: pernah)?|tidak (?:akan|pernah|akan pernah)|tak(?: akan)? pernah|dilarang|hindari)(?: ever| have to| need to)? (?:${ASKS}|meminta|ask)\\b[^.!?\\n;:,—–-]*`,
  'g',
);
/** Words that reverse a warning: `share your PIN with nobody but us`. */
const EXCEPTION =
  /\b(?:but|except|unless|other than|apart from|besides|until|only|without first|kecuali|selain|tetapi|tapi|namun|hanya|sebelum|hingga)\b/;

const FOREIGN_SECRET =
  /(?<![\p{L}])(?:contrase[nñ]as?|clave (?:secreta|de acceso|del cajero)|c[oó]digo (?:de verificaci[oó]n|de seguridad|sms)|n[uú]mero de (?:la |tu |su )?tarjeta|senhas?|c[oó]digo de verifica[cç][aã]o|n[uú]mero do (?:seu )?cart[aã]o|mots? de passe|code (?:de v[eé]rification|secret|de s[eé]curit[eé])|num[eé]ro de (?:la |votre |ta )?carte|passw[oö]rt(?:er)?|kennw[oö]rt(?:er)?|geheimzahl|best[aä]tigungscode|kartennummer|kreditkartennummer|wachtwoord(?:en)?|pincode|kaartnummer|verificatiecode|parola d'ordine|codice (?:di verifica|segreto)|numero (?:della |di )?carta|[sş]ifre(?:niz|n|si|nizi)?|parola(?:n[iı]z)?|kart numara(?:n[iı]z|s[iı])?|do[gğ]rulama kodu|has[lł]o|nomor kertu|tembung sandi|kata laluan|nombor kad|kod (?:pengesahan|tac)|mật khẩu|mat khau|mã xác (?:nhận|minh)|ma xac (?:nhan|minh)|số thẻ|so the)(?![\p{L}])|пароль|парол[ьяюе]|napoль|код (?:из смс|подтверждения)|номер карты|密码|密碼|验证码|驗證碼|卡号|卡號|パスワード|暗証番号|認証コード|カード番号|비밀번호|인증번호|카드 ?번호|รหัสผ่าน|รหัส ?otp|หมายเลขบัตร|पासवर्ड|ओटीपी|कार्ड नंबर|كلمة (?:المرور|السر)|رمز التحقق|الرقم السري|رقم البطاقة/u;
const INTERNATIONAL_SECRET = /(?<![\p{L}\d])(?:otp|pin|cvv2?|cvc2?|password|passcode)(?![\p{L}\d])/u;
/** If a text contains none of these words, it is treated as a text in another language. */
const KNOWN_LANGUAGE =
  /(?<![\p{L}])(?:the|a|an|is|are|and|or|we|you|your|our|to|of|for|with|on|at|it|not|never|do|this|yang|dan|di|ke|dari|untuk|dengan|ada|tidak|jangan|kami|kita|anda|kamu|kak|kakak|ini|itu|bisa|akan|atau|pada|sudah|saat|rp|wi-?fi)(?![\p{L}])/u;

const LINK =
  /\b[a-z][a-z\d+.-]{0,30}:\/\/[^\s"'<>“”]+|(?<![\p{L}\d@.])(?:[\p{L}\d](?:[\p{L}\d-]{0,61}[\p{L}\d])?\.){1,10}\p{L}{2,}(?::\d+)?(?:\/[^\s"'<>“”]*)?(?!@)/giu;

/** Domain endings. `daily.Then` is not an address: `Then` is not an ending, and no path follows. */
const ENDS =
  /\.(?:com|net|org|info|biz|app|apps|shop|store|online|site|website|web|xyz|link|links|click|top|live|page|pages|dev|edu|gov|example|test|cloud|club|vip|icu|pro|support|help|services?|agency|company|group|global|world|today|news|blog|email|digital|finance|bank|cash|money|pay|loan|win|bet|games?|fun|space|tech|host|zone|center|life|asia|mobi|name|tel|chat|sale|deals?|gift|promo|market|trade|work|works|academy|school|clinic|care|cafe|restaurant|hotel|travel|tours|one|buzz|cyou|rest|bar|monster|quest|sbs|lol|ink|wiki|[a-z]{2})(?::\d+)?$/;
const ADDRESS_OF_NUMBERS = /(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?(?:\/[^\s"'<>]*)?(?![\d.])/g;
const DOTS =
  /(?<=\p{L}|\d)\s?[[({<]?\s?(?:\bdot\b|\btitik\b|[。｡․‧])\s?[\])}>]?\s?(?=\p{L}|\d)|(?<=\p{L}|\d)\s?[[({]\.[\])}]\s?|\s\.\s(?=(?:com|net|org|co|id|xyz|link|shop|online|site|top|vip)(?![\p{L}\d]))/giu;

export function hostsIn(text: string): readonly string[] {
  const plain = plainText(safeText(text))
    .replace(DOTS, '.')
    .replace(/\bhxxp/gi, 'http')
    .replace(/(?<=:)\s*\/\s*\//g, '//');
  const links = [...plain.matchAll(LINK)].map(([link]) => link.replace(/[.,;!?)]+$/, ''));
  const named = links.filter((link) => link.includes('/') || /^www\./i.test(link) || ENDS.test(link.toLowerCase()));
  const numbered = [...plain.matchAll(ADDRESS_OF_NUMBERS)].map(([link]) => link);
  return [...named, ...numbered].map((link) => hostOf(link) ?? link.toLowerCase());
}

function hostOf(link: string): string | null {
  try {
    const { hostname, protocol } = new URL(/^[a-z][a-z\d+.-]*:/i.test(link) && link.includes('://') ? link : `https://${link}`);
    return protocol === 'https:' || protocol === 'http:' ? hostname.replace(/^www\./, '') : null;
  } catch {
    return null;
  }
}

export const hasOnlyLinksOf = (text: string, own: ReadonlySet<string>): boolean =>
  hostsIn(text).every((host) => own.has(host) || [...own].some((one) => host.endsWith(`.${one}`)));
