import type Joi from 'joi';
import { closestTo } from './closest.ts';
import type { Lang } from './row.ts';

export type Text = Readonly<Record<Lang, string>>;

export interface LanguageRequest {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
}

export const langOf = (asked: LanguageRequest): Lang => langAskedBy(asked) ?? 'en';

export function langAskedBy({ query, headers }: LanguageRequest): Lang | null {
  return known(query?.['lang']) ?? known(headers['x-lang']) ?? preferred(headers['accept-language']) ?? null;
}

function known(value: unknown): Lang | undefined {
  if (typeof value !== 'string') return undefined;
  const tag = value.slice(0, 2).toLowerCase();
  if (value.length > 2 && value[2] !== '-') return undefined;
  return tag === 'id' || tag === 'en' ? tag : undefined;
}

function preferred(header: unknown): Lang | undefined {
  if (typeof header !== 'string' || header === '*') return undefined;
  let best: { readonly lang: Lang; readonly weight: number } | undefined;
  for (const part of header.split(',', 20)) {
    const [tag = '', ...options] = part.trim().split(';');
    const lang = known(tag);
    const weight = weightOf(options);
    if (lang && weight > (best?.weight ?? 0)) best = { lang, weight };
  }
  return best?.lang;
}

function weightOf(options: readonly string[]): number {
  const q = options.map((option) => option.trim()).find((option) => option.startsWith('q='));
  return q ? Number(q.slice(2)) || 0 : 1;
}

type Say = (field: string, limit: unknown) => Text;

const typed =
  (en: string, id: string): Say =>
  (field) => ({ en: `${field} must be ${en}`, id: `${field} harus berupa ${id}` });
const wrongType: Say = (field, types) =>
  (types === '' ? typed('a different type', 'tipe lain') : typed(`one of: ${types}`, `salah satu dari: ${types}`))(field, '');
const WRONG_FORM = ' has the wrong format';
const wrongForm: Say = (field) => ({ en: `${field}${WRONG_FORM}`, id: `format ${field} tidak sesuai` });
const INTERNATIONAL = /^\+\d[\d -]+$/;
const formLike = (field: string, { en, id }: Text, example: string): Text =>
  INTERNATIONAL.test(example)
    ? {
        en: `${field} must be in international format, for example ${example}`,
        id: `${field} harus dalam format internasional, misalnya ${example}`,
      }
    : { en: `${en}; use one like ${example}`, id: `${id}; gunakan format seperti ${example}` };
const missing: Say = (field) => ({ en: `${field} is required`, id: `${field} wajib diisi` });
const notThere: Say = (field, meant) => ({
  en: `${field} is not a known field${meant === '' ? '' : `; did you mean ${meant}?`}`,
  id: `${field} bukan kolom yang dikenal${meant === '' ? '' : `; maksud Anda ${meant}?`}`,
});
const unwelcome: Say = (field) => ({ en: `${field} is not allowed here`, id: `${field} tidak diizinkan di sini` });
/**
 * Present-day times in milliseconds are above this number, so a smaller number is probably in
 * seconds.
 */
export const EARLIEST_MS = 100_000_000_000;
const inSeconds: Say = (field) => ({
  en: `${field} must be a time in milliseconds since 1970, not in seconds`,
  id: `${field} harus berupa waktu dalam milidetik (milliseconds) sejak 1970, bukan detik`,
});
export const PRINTABLE = 'printable';
const unprintable: Say = (field) => ({
  en: `${field} must not contain control characters`,
  id: `${field} tidak boleh berisi karakter kontrol`,
});
const tooSmall: Say = (field, limit) => (limit === EARLIEST_MS ? inSeconds(field, '') : atLeast(field, limit));
const atLeast: Say = (field, limit) => ({ en: `${field} must be at least ${limit}`, id: `${field} minimal ${limit}` });
const tooLarge: Say = (field, limit) => ({ en: `${field} must be at most ${limit}`, id: `${field} maksimal ${limit}` });
const counted = (limit: unknown, one: string): string => `${limit} ${one}${limit === 1 ? '' : 's'}`;
const tooShort: Say = (field, limit) => ({
  en: `${field} must have at least ${counted(limit, 'character')}`,
  id: `${field} minimal ${limit} karakter`,
});
const tooLong: Say = (field, limit) => ({
  en: `${field} must have at most ${counted(limit, 'character')}`,
  id: `${field} maksimal ${limit} karakter`,
});
const tooFew: Say = (field, limit) => ({
  en: `${field} must have at least ${counted(limit, 'item')}`,
  id: `${field} minimal ${limit} butir`,
});
const tooMany: Say = (field, limit) => ({
  en: `${field} must have at most ${counted(limit, 'item')}`,
  id: `${field} maksimal ${limit} butir`,
});
const oneTooMany: Say = (_field, present) => ({
  en: `${present} cannot be sent together; send only one of them`,
  id: `${present} tidak dapat diberikan bersamaan: kirim salah satu saja`,
});
const invalid: Say = (field) => ({ en: `${field} is not valid`, id: `${field} tidak valid` });

const wrongAddress: Say = (field, schemes) => {
  const kinds = String(schemes)
    .split('|')
    .map((scheme) => `${scheme}://`);
  const [en, id] = [kinds.join(' or '), kinds.join(' atau ')];
  const isProxy = kinds.includes('socks5://');
  return {
    en: `${field} must be an address that begins with ${en}${isProxy ? '; write @ in a password as %40' : ''}`,
    id: `${field} harus berupa alamat yang diawali ${id}${isProxy ? '; tulis @ dalam kata sandi sebagai %40' : ''}`,
  };
};

const SAYINGS: Readonly<Record<string, Say>> = {
  'any.required': missing,
  'object.unknown': notThere,
  'any.unknown': unwelcome,
  'any.only': (field, values) => ({ en: `${field} must be one of: ${values}`, id: `${field} harus salah satu dari: ${values}` }),
  'string.base': typed('text', 'teks'),
  'number.base': typed('a number', 'angka'),
  'number.infinity': typed('a number', 'angka'),
  'number.unsafe': typed('a number in the safe range', 'angka dalam rentang yang aman'),
  'boolean.base': typed('true or false', 'true atau false'),
  'array.base': typed('a list', 'daftar'),
  'object.base': typed('an object', 'objek'),
  'alternatives.types': wrongType,
  'alternatives.match': wrongForm,
  'string.empty': (field) => ({ en: `${field} must not be empty`, id: `${field} tidak boleh kosong` }),
  'string.pattern.base': wrongForm,
  'string.pattern.name': (field, name) => (name === PRINTABLE ? unprintable : wrongForm)(field, name),
  'string.uri': wrongForm,
  'string.uriCustomScheme': wrongAddress,
  'string.length': (field, limit) => ({ en: `${field} must have exactly ${limit} characters`, id: `${field} harus ${limit} karakter` }),
  'string.min': tooShort,
  'string.max': tooLong,
  'array.min': tooFew,
  'array.max': tooMany,
  'array.unique': (field) => ({ en: `${field} contains a duplicate`, id: `${field} berisi duplikat` }),
  'number.integer': (field) => ({ en: `${field} must be a whole number`, id: `${field} harus bilangan bulat` }),
  'number.min': tooSmall,
  'number.max': tooLarge,
  'number.greater': (field, limit) => ({ en: `${field} must be more than ${limit}`, id: `${field} harus lebih dari ${limit}` }),
  'number.less': (field, limit) => ({ en: `${field} must be less than ${limit}`, id: `${field} harus kurang dari ${limit}` }),
  'object.min': (field) => ({ en: `${field} must not be empty`, id: `${field} tidak boleh kosong` }),
  'object.oxor': oneTooMany,
  'object.xor': oneTooMany,
  'object.with': (_field, peer) => ({ en: `${peer} is also required`, id: `${peer} juga wajib diisi` }),
  'object.missing': (field, peers) => ({ en: `${field} needs one of ${peers}`, id: `${field} memerlukan salah satu dari ${peers}` }),
};

/** `where` is the name of the whole input if the error does not concern a field. */
export function reasonOf({ type, path, context = {} }: Joi.ValidationErrorItem, where: string, example: () => string | null): Text {
  const say = SAYINGS[type] ?? invalid;
  const said = say(fieldAt(path, where), particularOf(context));
  if (said.en.endsWith(WRONG_FORM)) {
    const one = example();
    return one === null ? said : formLike(fieldAt(path, where), said, one);
  }
  const meant = type === 'any.only' ? meantBy(context) : null;
  return meant === null ? said : { en: `${said.en}; did you mean ${meant}?`, id: `${said.id}; maksud Anda ${meant}?` };
}

const FEW = 8;

function meantBy({ value, valids }: Joi.Context): string | null {
  if (typeof value !== 'string' || !Array.isArray(valids) || valids.length <= FEW) return null;
  return closestTo(
    value,
    valids.filter((one) => typeof one === 'string'),
  );
}

const MAX_VALUES = 60;

export const withFewValues = (text: string): string => text.replace(/(: (?:[^,;]+, ){5})(?:[^,;]+, ){3,}[^,;]+/, '$1…');

function particularOf(context: Joi.Context): string | number {
  const { limit, present, peers, peer, valids, types, name, scheme }: Readonly<Record<string, unknown>> = context;
  const names = present ?? peers ?? peer ?? types ?? name ?? scheme;
  if (Array.isArray(valids)) return listed(valids);
  if (names !== undefined) return [names].flat().join(', ');
  return typeof limit === 'number' ? limit : '';
}

function listed(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_VALUES).map((value) => (value === '' ? '""' : String(value)));
  return [...shown, ...(values.length > MAX_VALUES ? ['…'] : [])].join(', ');
}

const LONGEST_NAME = 64;

export function fieldAt(path: readonly (string | number)[], where: string): string {
  return path.length > 0 ? path.join('.').slice(0, LONGEST_NAME) : where;
}

export const unknownField = (field: string, meant: string | null): Text => notThere(field.slice(0, LONGEST_NAME), meant ?? '');
