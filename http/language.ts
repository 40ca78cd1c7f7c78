import type Joi from 'joi';
import type { Lang } from './row.ts';

/** A short text in both languages of the interface (spec.md convention 5). */
export type Text = Readonly<Record<Lang, string>>;

/** What of a request chooses the language. */
export interface Asked {
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** `?lang=`, then `X-Lang`, then `Accept-Language`; English when none of them names a language of ours. */
export function langOf({ query, headers }: Asked): Lang {
  return known(query?.['lang']) ?? known(headers['x-lang']) ?? preferred(headers['accept-language']) ?? 'en';
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

const wrongType: Say = (field) => ({ en: `${field} has the wrong type`, id: `${field} bertipe salah` });
const wrongForm: Say = (field) => ({ en: `${field} does not have the right form`, id: `format ${field} tidak sesuai` });
const missing: Say = (field) => ({ en: `${field} is required`, id: `${field} wajib diisi` });
const unwelcome: Say = (field) => ({ en: `${field} is not allowed`, id: `${field} tidak diizinkan` });
const tooSmall: Say = (field, limit) => ({ en: `${field} must be at least ${limit}`, id: `${field} minimal ${limit}` });
const tooLarge: Say = (field, limit) => ({ en: `${field} must be at most ${limit}`, id: `${field} maksimal ${limit}` });
const tooShort: Say = (field, limit) => ({
  en: `${field} must have at least ${limit} characters`,
  id: `${field} minimal ${limit} karakter`,
});
const tooLong: Say = (field, limit) => ({
  en: `${field} must have at most ${limit} characters`,
  id: `${field} maksimal ${limit} karakter`,
});
const tooFew: Say = (field, limit) => ({ en: `${field} must have at least ${limit} items`, id: `${field} minimal ${limit} butir` });
const tooMany: Say = (field, limit) => ({ en: `${field} must have at most ${limit} items`, id: `${field} maksimal ${limit} butir` });
const oneTooMany: Say = (_field, present) => ({
  en: `${present} cannot be given together: only one of them`,
  id: `${present} tidak dapat diberikan bersamaan: hanya salah satu`,
});
const invalid: Say = (field) => ({ en: `${field} is not valid`, id: `${field} tidak valid` });

/** By Joi's own name for what is wrong. */
const SAYINGS: Readonly<Record<string, Say>> = {
  'any.required': missing,
  'object.unknown': unwelcome,
  'any.unknown': unwelcome,
  'any.only': (field) => ({ en: `${field} is not one of the allowed values`, id: `${field} bukan salah satu nilai yang diizinkan` }),
  'string.base': wrongType,
  'number.base': wrongType,
  'boolean.base': wrongType,
  'array.base': wrongType,
  'object.base': wrongType,
  'alternatives.types': wrongType,
  'alternatives.match': wrongForm,
  'string.empty': (field) => ({ en: `${field} must not be empty`, id: `${field} tidak boleh kosong` }),
  'string.pattern.base': wrongForm,
  'string.pattern.name': wrongForm,
  'string.uri': wrongForm,
  'string.length': (field, limit) => ({ en: `${field} must have exactly ${limit} characters`, id: `${field} harus ${limit} karakter` }),
  'string.min': tooShort,
  'string.max': tooLong,
  'array.min': tooFew,
  'array.max': tooMany,
  'array.unique': (field) => ({ en: `${field} is there twice`, id: `${field} berulang` }),
  'number.integer': (field) => ({ en: `${field} must be a whole number`, id: `${field} harus bilangan bulat` }),
  'number.min': tooSmall,
  'number.max': tooLarge,
  'number.greater': (field, limit) => ({ en: `${field} must be more than ${limit}`, id: `${field} harus lebih dari ${limit}` }),
  'number.less': (field, limit) => ({ en: `${field} must be less than ${limit}`, id: `${field} harus kurang dari ${limit}` }),
  'object.min': (field) => ({ en: `${field} must not be empty`, id: `${field} tidak boleh kosong` }),
  'object.oxor': oneTooMany,
  'object.xor': oneTooMany,
  'object.with': (_field, peer) => ({ en: `${peer} is required, too`, id: `${peer} juga wajib diisi` }),
  'object.missing': (field, peers) => ({ en: `${field} needs one of ${peers}`, id: `${field} memerlukan salah satu dari ${peers}` }),
};

/** Why Joi refused, naming the field. `where` names the whole (`body`, `query`) when no field is to blame. */
export function reasonOf(item: Joi.ValidationErrorItem, where: string): Text {
  const limit = item.context?.['limit'];
  const peers = item.context?.['present'] ?? item.context?.['peers'] ?? item.context?.['peer'];
  const say = SAYINGS[item.type] ?? invalid;
  return say(fieldAt(item.path, where), peers !== undefined ? [peers].flat().join(', ') : typeof limit === 'number' ? limit : '');
}

const LONGEST_NAME = 64;

/** A path as callers write it, such as `messages.0.body`; the caller's own strange names are cut. */
export function fieldAt(path: readonly (string | number)[], where: string): string {
  return path.length > 0 ? path.join('.').slice(0, LONGEST_NAME) : where;
}

export const unwelcomeField = (field: string): Text => unwelcome(field.slice(0, LONGEST_NAME), '');
