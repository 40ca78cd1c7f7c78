import { language } from '../state/preferences.ts';

/** Texts in both languages; the second has exactly what the first one has, or it does not compile. */
interface Table<T> {
  readonly en: T;
  readonly id: NoInfer<T>;
}

/** Gives the texts in the language chosen now. A component that asks is drawn again when another one is chosen. */
export const wordsOf =
  <T>(table: Table<T>): (() => T) =>
  () =>
    table[language.value];
