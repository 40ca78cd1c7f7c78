import type { Item, Price } from './facts.ts';

export interface TemplateValues {
  readonly name: string | null;
  readonly order: string | null;
  readonly total: string | null;
  readonly items: string | null;
  readonly status: string | null;
  readonly courier: string | null;
  readonly tracking_number: string | null;
  readonly tracking_url: string | null;
  readonly checkout_url: string | null;
  readonly store: string | null;
}

export const NO_VALUES: TemplateValues = {
  name: null,
  order: null,
  total: null,
  items: null,
  status: null,
  courier: null,
  tracking_number: null,
  tracking_url: null,
  checkout_url: null,
  store: null,
};

const PLACEHOLDERS = [
  'name',
  'order',
  'total',
  'items',
  'status',
  'courier',
  'tracking_number',
  'tracking_url',
  'checkout_url',
  'store',
] as const;
const PLACEHOLDER = new RegExp(`\\{(${PLACEHOLDERS.join('|')})\\}`, 'g');
const MAX_ITEMS = 5;
export const NOTHING_TO_SAY = 'the message would be empty';
const MAX_VALUE = 500;

/** Drops lines whose placeholders are all empty. Keeps other words in braces. */
export function renderTemplate(template: string, values: TemplateValues): string {
  const lines = template.split(/\r?\n/).flatMap((line) => renderLine(line, values) ?? []);
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function renderLine(line: string, values: TemplateValues): string | null {
  let hasPlaceholder = false;
  let hasValue = false;
  const text = line.replace(PLACEHOLDER, (_whole, name: (typeof PLACEHOLDERS)[number]) => {
    hasPlaceholder = true;
    const value = values[name] ?? '';
    hasValue ||= value !== '';
    return value;
  });
  return hasPlaceholder && !hasValue ? null : text.trimEnd();
}

export function plainText(text: string): string {
  const plain = text
    .slice(0, 4 * MAX_VALUE)
    .replace(/[*_~`]/g, '')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length <= MAX_VALUE ? plain : [...plain].slice(0, MAX_VALUE).join('');
}

export function itemsText(items: readonly Item[]): string {
  const shown = items
    .slice(0, MAX_ITEMS)
    .map(({ name, quantity }) => (quantity === 1 ? plainText(name) : `${quantity}x ${plainText(name)}`));
  const more = items.length > MAX_ITEMS ? [`+${items.length - MAX_ITEMS}`] : [];
  return [...shown, ...more].join(', ');
}

/** Formats a price, such as `Rp 150.000` or `$19.90`. An unknown currency is shown by its code. */
export function priceText({ amount, currency }: Price): string | null {
  const value = Number(amount);
  if (!Number.isFinite(value)) return null;
  try {
    return formatOf(currency).format(value).replace(/\s/g, ' ');
  } catch {
    return `${plainText(currency)} ${value}`;
  }
}

/** Maximum number of cached formats, limited because a store may send any text as a currency. */
const MAX_FORMATS = 200;
const formats = new Map<string, Intl.NumberFormat>();

/** Throws RangeError for an invalid currency code. */
function formatOf(currency: string): Intl.NumberFormat {
  const known = formats.get(currency);
  if (known) return known;
  const locale = LOCALES[currency] ?? 'en-US';
  const made = new Intl.NumberFormat(locale, { style: 'currency', currency, trailingZeroDisplay: 'stripIfInteger' });
  if (formats.size >= MAX_FORMATS) formats.clear();
  formats.set(currency, made);
  return made;
}

const LOCALES: Readonly<Record<string, string>> = {
  IDR: 'id-ID',
  EUR: 'de-DE',
  BRL: 'pt-BR',
  INR: 'en-IN',
  SGD: 'en-SG',
  MYR: 'ms-MY',
  VND: 'vi-VN',
  THB: 'th-TH',
  PHP: 'en-PH',
  GBP: 'en-GB',
  AUD: 'en-AU',
  JPY: 'ja-JP',
};
