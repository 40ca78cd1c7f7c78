/**
 * Builds the vendor's template components from a person's input. Invariant: each variable has an
 * example, because the vendor rejects templates without them. The functions have no side effects.
 */

export interface TemplateText {
  readonly header: string;
  readonly body: string;
  readonly footer: string;
  readonly buttons: string;
  readonly samples: Readonly<Record<string, string>>;
}

const MAX_BUTTONS = 10;

const VARIABLE = /\{\{\s*([a-z0-9_]+)\s*\}\}/gi;

export const variablesIn = (text: string): readonly string[] => [...new Set([...text.matchAll(VARIABLE)].map(([, name = '']) => name))];

export const buttonsIn = (lines: string): readonly string[] =>
  lines
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, MAX_BUTTONS);

export const filled = (text: string, samples: TemplateText['samples']): string =>
  text.replace(VARIABLE, (whole, name: string) => samples[name] || whole);

type Component = Readonly<Record<string, unknown>>;

export function componentsOf({ header, body, footer, buttons, samples }: TemplateText): Component[] {
  const replies = buttonsIn(buttons).map((text) => ({ type: 'QUICK_REPLY', text }));
  return [
    ...(header === '' ? [] : [{ type: 'HEADER', format: 'TEXT', text: header, ...exampleOf('header_text', variablesIn(header), samples) }]),
    { type: 'BODY', text: body, ...exampleOf('body_text', variablesIn(body), samples) },
    ...(footer === '' ? [] : [{ type: 'FOOTER', text: footer }]),
    ...(replies.length === 0 ? [] : [{ type: 'BUTTONS', buttons: replies }]),
  ];
}

/** The vendor expects nested lists for the body, a list for the title, and pairs for named variables. */
function exampleOf(name: 'header_text' | 'body_text', variables: readonly string[], samples: TemplateText['samples']): Component {
  if (variables.length === 0) return {};
  const isNamed = variables.some((one) => !/^\d+$/.test(one));
  if (isNamed) return { example: { [`${name}_named_params`]: variables.map((one) => ({ param_name: one, example: samples[one] ?? '' })) } };
  const values = variables.toSorted((one, other) => Number(one) - Number(other)).map((one) => samples[one] ?? '');
  return { example: { [name]: name === 'body_text' ? [values] : values } };
}
