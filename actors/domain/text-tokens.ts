import { at } from '../../runtime/invariant.ts';
/** Values of placeholders, by name. A blank value is treated as missing. */
export interface TokenValues {
  readonly name?: string | null;
  readonly phone?: string | null;
  readonly username?: string | null;
  readonly var1?: string | null;
  readonly var2?: string | null;
  readonly var3?: string | null;
  readonly var4?: string | null;
  readonly var5?: string | null;
  readonly attrs?: Readonly<Record<string, string>>;
}

interface Token {
  readonly name: string;
  readonly fallback: string | null;
  readonly read: (values: TokenValues) => string | null | undefined;
  readonly after: string;
}

export interface Compiled {
  readonly start: string;
  readonly tokens: readonly Token[];
}

export interface Rendered {
  readonly text: string;
  readonly missing: readonly string[];
}

export const MAX_TEXT_LENGTH = 65_536;
export const MAX_CAPTION_LENGTH = 1_024;

export const ATTRIBUTE_KEY = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

// Also matches unknown names in braces, so that customers get an empty text instead of the braces.
const NAME = 'attr\\.[^{}|]{1,80}|[\\p{L}\\p{N}_.]{1,80}';
// Fallbacks have no braces, so that a text with a thousand opening braces is scanned only once.
const TOKEN = new RegExp(`\\{\\{(${NAME})(?:\\|([^{}]*))?\\}\\}|\\{(${NAME})\\}`, 'giu');
const KNOWN = /^(name|first_name|phone|var[1-5]|attr\.[^{}|]{1,80})$/i;
const NOTHING: readonly string[] = [];

/** Parses `{token}`, `{{token}}` and `{{token|fallback}}`. Values are never parsed. */
export function compile(text: string): Compiled {
  const matches = [...text.matchAll(TOKEN)];
  const tokens = matches.map(([whole, double, fallback, single], nth): Token => {
    const name = double ?? single ?? '';
    const after = text.slice(at(matches, nth).index + whole.length, matches[nth + 1]?.index);
    return { name, fallback: fallback ?? null, read: readerOf(name), after };
  });
  return { start: text.slice(0, matches[0]?.index), tokens };
}

export const unknownTokensIn = (text: string): readonly string[] => [
  ...new Set(compile(text).tokens.flatMap(({ name }) => (KNOWN.test(name) ? [] : [name]))),
];

export function render({ start, tokens }: Compiled, values: TokenValues, maxLength: number): Rendered | null {
  let text = start;
  let missing: Set<string> | null = null;
  for (const token of tokens) {
    const value = token.read(values);
    if (isGiven(value)) text += value;
    else if (token.fallback !== null) text += token.fallback;
    else missing = (missing ?? new Set()).add(token.name);
    text += token.after;
    if (text.length > maxLength) return null;
  }
  return { text, missing: missing === null ? NOTHING : [...missing] };
}

function readerOf(written: string): Token['read'] {
  const name = written.toLowerCase();
  switch (name) {
    case 'name':
      return (values) => values.name?.trim();
    case 'first_name':
      return ({ name: whole }) => whole?.trim().split(/\s/u, 1)[0];
    case 'phone':
      return (values) => values.phone;
    case 'var1':
    case 'var2':
    case 'var3':
    case 'var4':
    case 'var5':
      return (values) => values[name];
    default:
      return name.startsWith('attr.') ? attributeOf(written.slice('attr.'.length)) : () => null;
  }
}

function attributeOf(key: string): Token['read'] {
  const folded = key.trim().toLowerCase();
  return ({ attrs = {} }) =>
    Object.hasOwn(attrs, key) ? attrs[key] : Object.entries(attrs).find(([name]) => name.toLowerCase() === folded)?.[1];
}

const isGiven = (value: string | null | undefined): value is string => value !== null && value !== undefined && value.trim() !== '';
