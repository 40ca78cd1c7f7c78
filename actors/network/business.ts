import type { Asks, None, QuestionKind } from './question.ts';

export interface BusinessQuestions {
  /** Fails with NOT_FOUND when the account is not a business. */
  readonly 'business.get': Asks<None, BusinessProfile>;
  /** Fails with FORBIDDEN when the account is not a business. */
  readonly 'business.set': Asks<BusinessChanges, BusinessProfile>;
  /** A number's catalog, or this account's (null, with hidden products). Fails with NOT_FOUND. */
  readonly 'catalog.list': Asks<{ readonly phone: string | null }, readonly Product[]>;
  readonly 'catalog.collections': Asks<None, readonly Collection[]>;
  /** Fails with FORBIDDEN when the account is not a business. */
  readonly 'catalog.create': Asks<NewProduct, Product>;
  /** Fails with NOT_FOUND. */
  readonly 'catalog.update': Asks<AtProduct & { readonly changes: Partial<NewProduct> }, Product>;
  readonly 'catalog.delete': Asks<AtProduct, null>;
}

export const BUSINESS_QUESTIONS = {
  'business.get': 'read',
  'business.set': 'change',
  'catalog.list': 'read',
  'catalog.collections': 'read',
  'catalog.create': 'change',
  'catalog.update': 'change',
  'catalog.delete': 'change',
} as const satisfies Readonly<Record<keyof BusinessQuestions, QuestionKind>>;

export interface BusinessProfile {
  readonly address: string | null;
  readonly description: string | null;
  readonly email: string | null;
  readonly websites: readonly string[];
  readonly categories: readonly string[];
  /** Category names, in the same order. */
  readonly category_names: readonly string[];
  readonly hours: OpeningHours | null;
}

export type BusinessChanges = Partial<Omit<BusinessProfile, 'category_names'>>;

export interface OpeningHours {
  readonly timezone: string;
  readonly days: readonly OpenDay[];
}

export interface OpenDay {
  /** 0: Sunday. */
  readonly day: number;
  /** `HH:MM`; `00:00` to `24:00` means all day. */
  readonly open: string;
  readonly close: string;
}

export interface AtProduct {
  readonly id: string;
}

export interface NewProduct {
  readonly name: string;
  readonly description?: string;
  /** Price in units of the currency. */
  readonly price?: number;
  readonly currency?: string;
  readonly retailerId?: string;
  readonly url?: string;
  readonly isHidden?: boolean;
}

export interface Product extends NewProduct {
  readonly id: string;
  readonly isHidden: boolean;
  readonly imageUrls: Readonly<Record<string, string>>;
  readonly availability: string;
  readonly reviewStatus: Readonly<Record<string, string>>;
}

export interface Collection {
  readonly id: string;
  readonly name: string;
  readonly products: readonly Product[];
}
