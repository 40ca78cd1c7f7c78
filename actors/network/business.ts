import type { Asks, None, QuestionKind } from './question.ts';

export interface BusinessQuestions {
  readonly 'business.get': Asks<None, BusinessProfile>;
  /** Questions that change data fail with FORBIDDEN if the account is not a business. */
  readonly 'business.set': Asks<BusinessChanges, BusinessProfile>;
  /** A null `phone` lists our own products, including hidden ones. NOT_FOUND if there is no catalog. */
  readonly 'catalog.list': Asks<{ readonly phone: string | null }, readonly Product[]>;
  readonly 'catalog.collections': Asks<None, readonly Collection[]>;
  readonly 'catalog.create': Asks<NewProduct, Product>;
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
  readonly category_names: readonly string[];
  readonly hours: OpeningHours | null;
}

export type BusinessChanges = Partial<Omit<BusinessProfile, 'category_names'>>;

export interface OpeningHours {
  readonly timezone: string;
  readonly days: readonly OpenDay[];
}

export interface OpenDay {
  readonly day: number;
  /** Time as `HH:MM`; `24:00` is valid as a closing time. */
  readonly open: string;
  readonly close: string;
}

export interface AtProduct {
  readonly id: string;
}

export interface NewProduct {
  readonly name: string;
  readonly description?: string;
  /** Price in whole units of the currency. */
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
