import { isRecord, memberOf } from '../../runtime/shapes.ts';

/**
 * Templates of the vendor's platform. Body variables keep their name (`1`, `first_name`). Header
 * variables are `header.<name>`, and button variables `button.<index>`. All are derived from the
 * components that the platform lists, so faults are found before sending.
 */

export type Components = readonly Readonly<Record<string, unknown>>[];

const HEADER_FILES = ['image', 'video', 'document'] as const;
export type HeaderFile = (typeof HEADER_FILES)[number];

type Part = Readonly<Record<string, unknown>>;
export type Variables = ReadonlyMap<string, string>;

const VARIABLE = /\{\{\s*(\w+)\s*\}\}/g;
const PLACE = ['latitude', 'longitude', 'name', 'address'] as const;

const textIn = (value: unknown, name: string): string => {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text : '';
};
const typeOf = (part: Part): string => textIn(part, 'type').toUpperCase();
const partOf = (components: Components, type: string): Part | null => components.find((part) => typeOf(part) === type) ?? null;
const namesIn = (text: string): readonly string[] => [...new Set([...text.matchAll(VARIABLE)].map(([, name = '']) => name))];

export const bodyOf = (components: Components): string => textIn(partOf(components, 'BODY'), 'text');

export const isNamed = (components: Components): boolean =>
  [...namesIn(bodyOf(components)), ...namesIn(headerText(components))].some((name) => !/^\d+$/.test(name));

const headerText = (components: Components): string => textIn(partOf(components, 'HEADER'), 'text');

const headerFormat = (components: Components): string => textIn(partOf(components, 'HEADER'), 'format').toLowerCase();

export function headerFileOf(components: Components): HeaderFile | null {
  const format = headerFormat(components);
  return HEADER_FILES.find((one) => one === format) ?? null;
}

function buttonsOf(components: Components): readonly Part[] {
  const buttons = memberOf(partOf(components, 'BUTTONS'), 'buttons');
  return Array.isArray(buttons) ? buttons.filter(isRecord) : [];
}

function buttonKind(button: Part): 'url' | 'copy_code' | null {
  const type = typeOf(button);
  if (type === 'COPY_CODE') return 'copy_code';
  return type === 'URL' && namesIn(textIn(button, 'url')).length > 0 ? 'url' : null;
}

const isOneTimeCode = (button: Part): boolean =>
  typeOf(button) === 'OTP' || /^https:\/\/www\.whatsapp\.com\/otp\//.test(textIn(button, 'url'));

export function variablesOf(components: Components): readonly string[] {
  const header = headerFormat(components) === 'location' ? PLACE : namesIn(headerText(components));
  const buttons = buttonsOf(components).flatMap((button, nth) =>
    !isOneTimeCode(button) && buttonKind(button) !== null ? [`button.${nth}`] : [],
  );
  return [...namesIn(bodyOf(components)), ...header.map((name) => `header.${name}`), ...buttons];
}

const filledText = (text: string, given: (name: string) => string | undefined): string =>
  text.replace(VARIABLE, (whole, name: string) => given(name) ?? whole);

export const shownText = (components: Components, values: Variables): string => filledText(bodyOf(components), (name) => values.get(name));

export function templateObject(
  { name, language, components }: { readonly name: string; readonly language: string; readonly components: Components },
  values: Variables,
): Part {
  const named = isNamed(components);
  const text = (variable: string, key: string): Part => ({
    type: 'text',
    ...(named && { parameter_name: variable }),
    text: values.get(key) ?? '',
  });
  const body = namesIn(bodyOf(components)).map((variable) => text(variable, variable));
  const parts: Part[] = [
    ...headerPart(components, values, text),
    ...(body.length > 0 ? [{ type: 'body', parameters: body }] : []),
    ...buttonsOf(components).flatMap((button, nth) => buttonPart(button, nth, components, values)),
  ];
  return { name, language: { code: language }, ...(parts.length > 0 && { components: parts }) };
}

function headerPart(components: Components, values: Variables, text: (variable: string, key: string) => Part): readonly Part[] {
  if (headerFormat(components) === 'location') {
    const location = Object.fromEntries(PLACE.map((name) => [name, values.get(`header.${name}`) ?? '']));
    return [{ type: 'header', parameters: [{ type: 'location', location }] }];
  }
  const names = namesIn(headerText(components));
  return names.length === 0 ? [] : [{ type: 'header', parameters: names.map((name) => text(name, `header.${name}`)) }];
}

function buttonPart(button: Part, nth: number, components: Components, values: Variables): readonly Part[] {
  const part = { type: 'button', index: String(nth) };
  if (isOneTimeCode(button)) {
    const [code = ''] = namesIn(bodyOf(components));
    return [{ ...part, sub_type: 'url', parameters: [{ type: 'text', text: values.get(code) ?? '' }] }];
  }
  const value = values.get(`button.${nth}`) ?? '';
  switch (buttonKind(button)) {
    case 'url':
      return [{ ...part, sub_type: 'url', parameters: [{ type: 'text', text: value }] }];
    case 'copy_code':
      return [{ ...part, sub_type: 'copy_code', parameters: [{ type: 'coupon_code', coupon_code: value }] }];
    default:
      return [];
  }
}
