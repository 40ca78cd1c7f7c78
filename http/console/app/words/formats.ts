import { language } from '../state/preferences.ts';

/** A day and a time, in words of the language chosen now. `at`: epoch ms. */
export const whenText = (at: number): string =>
  new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short' }).format(at);

/** A number with the marks of the language chosen now. */
export const numberText = (value: number): string => new Intl.NumberFormat(language.value).format(value);

/** The time of a message of today, else its day. `at`: epoch ms. */
export function timeText(at: number): string {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return new Intl.DateTimeFormat(language.value, isToday ? { timeStyle: 'short' } : { dateStyle: 'short' }).format(at);
}
