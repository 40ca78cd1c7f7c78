import { signal } from '@preact/signals';
import { language } from '../state/preferences.ts';

interface Table<T extends object> {
  readonly en: T;
  readonly id: NoInfer<T>;
}

/** Set by the design page, for example to show longer texts. */
export const dressed = signal<{ readonly dress: <T extends object>(texts: T) => T } | null>(null);

/** If a component calls the returned function, it renders again when the language changes. */
export const wordsOf =
  <T extends object>(table: Table<T>): (() => T) =>
  () =>
    dressed.value?.dress(table.en) ?? table[language.value];
