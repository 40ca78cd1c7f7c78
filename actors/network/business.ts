import type { Asks, None, QuestionKind } from './question.ts';

/** What a business shows: its profile and its catalogue. */
export interface BusinessQuestions {
  /** Refuses NOT_FOUND of an account that is no business. */
  readonly 'business.get': Asks<None, BusinessProfile>;
  /** Refuses FORBIDDEN of an account that is no business. */
  readonly 'business.set': Asks<BusinessChanges, BusinessProfile>;
  /** Of a number (digits), or of this account, which sees its hidden products too. Refuses NOT_FOUND where there is no business. */
  readonly 'catalog.list': Asks<{ readonly phone: string | null }, readonly Product[]>;
  readonly 'catalog.collections': Asks<None, readonly Collection[]>;
  /** Refuses FORBIDDEN of an account that is no business. */
  readonly 'catalog.create': Asks<NewProduct, Product>;
  /** Refuses NOT_FOUND. */
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
  /** The network's ids. */
  readonly categories: readonly string[];
  /** Their names, in the same order. */
  readonly category_names: readonly string[];
  readonly hours: OpeningHours | null;
}

export type BusinessChanges = Partial<Omit<BusinessProfile, 'category_names'>>;

/** A day that is not named is closed. */
export interface OpeningHours {
  readonly timezone: string;
  readonly days: readonly OpenDay[];
}

export interface OpenDay {
  /** 0: Sunday. */
  readonly day: number;
  /** `HH:MM`; from `00:00` to `24:00`: all day. */
  readonly open: string;
  readonly close: string;
}

export interface AtProduct {
  readonly id: string;
}

/** What a caller says of a product. */
export interface NewProduct {
  readonly name: string;
  readonly description?: string;
  /** In units of the currency. */
  readonly price?: number;
  readonly currency?: string;
  readonly retailerId?: string;
  readonly url?: string;
  readonly isHidden?: boolean;
}

/** A product as it is shown (WaCatalogProduct). */
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
