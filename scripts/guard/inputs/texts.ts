export interface HostileText {
  readonly title: string;
  /** Returns as many whole characters as fit into `length` UTF-16 units. */
  of(length: number): string;
}

/** All general categories of Unicode except surrogates, which are not text. */
const CATEGORIES = [
  ...['Lu', 'Ll', 'Lt', 'Lm', 'Lo', 'Mn', 'Mc', 'Me', 'Nd', 'Nl', 'No', 'Pc', 'Pd', 'Ps', 'Pe', 'Pi', 'Pf', 'Po'],
  ...['Sm', 'Sc', 'Sk', 'So', 'Zs', 'Zl', 'Zp', 'Cc', 'Cf', 'Co', 'Cn'],
] as const;

const LAST_BEFORE_PLANES = 0x1ffff;
const SURROGATES = { from: 0xd800, to: 0xdfff };

export const HOSTILE_TEXTS: readonly HostileText[] = [
  // `normalize` sorts combining marks by class, which takes quadratic time if their order is wrong.
  {
    title: 'combining marks in the wrong order',
    of: (length) => `a${'\u0315'.repeat(half(length - 1))}${'\u0300'.repeat(half(length - 1))}`.slice(0, length),
  },
  repeated('combining marks that alternate', '\u0315\u0300'),
  repeated('combining marks of four classes', '\u0345\u0315\u0300\u0334'),
  repeated('marks after each letter', 'e\u0301\u0323\u0315'),
  repeated('marks, cut by the joiner', `${'\u0315\u0300'.repeat(15)}\u034f`),
  repeated('signs that decompose into many', '\ufdfa'),
  repeated('letters that fold into several', 'ŉßΐİ'),
  repeated('Hangul that composes', '\u1100\u1161\u11a8'),
  repeated('Thai without spaces', 'ภาษาไทย'),
  repeated('Khmer marks', '\u17d2\u1780'),
  repeated('emoji joined to one', '👩\u200d'),
  repeated('flags', '🇦🇧'),
  repeated('keycaps', '1\ufe0f\u20e3'),
  repeated('direction overrides', '\u202e\u2066'),
  repeated('halves of characters in pairs', '\u{10ffff}'),
  // These texts stress parsers of words, sentences, numbers, links, templates, patterns and markup.
  repeated('one letter', 'a'),
  repeated('one letter in capitals', 'A'),
  repeated('one digit', '7'),
  repeated('digits in groups', '0812-3456 '),
  repeated('phone numbers', '+62 812 3456 7890 '),
  repeated('words of one letter', 'a '),
  repeated('short words', 'ok ya '),
  repeated('a question', 'Berapa ongkos kirim ke Surabaya? '),
  repeated('a word of consent', 'STOP '),
  repeated('the start of a pattern', 'order '),
  repeated('spaces', ' '),
  repeated('line feeds', '\n'),
  repeated('carriage returns', '\r\n'),
  repeated('tabs', '\t'),
  repeated('full stops', '.'),
  repeated('full stops and spaces', '. '),
  repeated('question marks', '?'),
  repeated('commas', 'a,'),
  repeated('quotes', '"'),
  repeated('apostrophes', "'"),
  repeated('backslashes', '\\'),
  repeated('control characters', '\u0001'),
  repeated('opening brackets', '['),
  repeated('brackets that nest', '[('),
  repeated('opening braces', '{{'),
  repeated('tokens', '{{name}}'),
  repeated('tokens without an end', '{{name|'),
  repeated('stars', '*_~`'),
  repeated('hyphens', '-'),
  repeated('at signs', '@6281211110001 '),
  repeated('links', 'https://a.id/?q=1 '),
  { title: 'one long link', of: (length) => `https://${'a.'.repeat(half(length))}id/`.slice(-length) },
  { title: 'one long domain', of: (length) => `${'a.'.repeat(half(length))}`.slice(0, length) },
  { title: 'one long mail address', of: (length) => `${'a'.repeat(half(length))}@${'a.'.repeat(half(length) / 2)}`.slice(0, length) },
  repeated('slashes', '/'),
  repeated('per cents', '%25'),
  repeated('ampersands', '&amp;'),
  repeated('opening tags', '<a '),
  repeated('tags', '<b>'),
  repeated('comments', '<!--'),
  repeated('semicolons', ';'),
  repeated('equals signs', '=cmd|'),
  repeated('dollars', '$&'),
  repeated('prices', 'Rp 15.000 '),
  repeated('dates', '31/12/2026 '),
  repeated('base64', 'QUJD'),
  { title: 'letters before what does not match', of: (length) => `${'a'.repeat(Math.max(0, length - 1))}!` },
  {
    title: 'different words',
    of: (length) =>
      Array.from({ length: half(length) }, (_, n) => n.toString(36))
        .join(' ')
        .slice(0, length),
  },
  ...CATEGORIES.flatMap(ofCategory),
];

function repeated(title: string, unit: string): HostileText {
  return { title, of: (length) => unit.repeat(Math.max(1, Math.floor(length / unit.length))) };
}

function half(length: number): number {
  return Math.max(0, Math.ceil(length / 2));
}

function ofCategory(category: string): readonly HostileText[] {
  const characters = charactersOf(category);
  const one = characters[0] ?? '';
  if (characters.length === 1) return [repeated(`one of category ${category}`, one)];
  return [repeated(`one of category ${category}`, one), repeated(`many of category ${category}`, characters.join(''))];
}

function charactersOf(category: string): readonly string[] {
  const pattern = new RegExp(`\\p{${category}}`, 'u');
  const all: string[] = [];
  for (let code = 1; code <= LAST_BEFORE_PLANES; code += 1) {
    const character = String.fromCodePoint(code);
    if ((code < SURROGATES.from || code > SURROGATES.to) && pattern.test(character)) all.push(character);
  }
  const step = Math.max(1, Math.floor(all.length / 64));
  return all.filter((_, nth) => nth % step === 0).slice(0, 64);
}
