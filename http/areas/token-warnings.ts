import Joi from 'joi';
import { unknownTokensIn } from '../../actors/domain/text-tokens.ts';
import type { Lang } from '../core/row.ts';

/** Warns about an unknown placeholder, which will be empty in the sent message. */
interface TokenWarning {
  readonly code: 'UNKNOWN_TOKEN';
  readonly message: string;
  readonly token: string;
}

export interface Warned {
  readonly warnings?: readonly TokenWarning[];
}

export const TokenWarnings = Joi.array()
  .items(
    Joi.object<TokenWarning>({
      code: Joi.string().valid('UNKNOWN_TOKEN').required(),
      message: Joi.string().required(),
      token: Joi.string().required().example('{nmae}'),
    }).meta({ title: 'TokenWarning' }),
  )
  .description('After saving a text: its unknown tokens, which are sent empty');

const MESSAGES: Readonly<Record<Lang, (token: string) => string>> = {
  en: (token) => `${token} is not a known token; it is sent empty`,
  id: (token) => `${token} bukan token yang dikenal; dikirim kosong`,
};

export function tokenWarnings(lang: Lang, ...texts: readonly (string | null | undefined)[]): Warned {
  const tokens = [...new Set(texts.flatMap((text) => unknownTokensIn(text ?? '')))].map((name) => `{${name}}`);
  const warnings = tokens.map((token) => ({ code: 'UNKNOWN_TOKEN', message: MESSAGES[lang](token), token }) as const);
  return warnings.length > 0 ? { warnings } : {};
}
