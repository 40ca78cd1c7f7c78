import { signal } from '@preact/signals';
import { language } from '../state/preferences.ts';

/** Texts in both languages; the second has exactly what the first one has, or it does not compile. */
interface Table<T extends object> {
  readonly en: T;
  readonly id: NoInfer<T>;
}

/** The English texts in a dress, such as that of a longer language; null: as they are. The design page sets it. */
export const dressed = signal<{ readonly dress: <T extends object>(texts: T) => T } | null>(null);

/** Gives the texts in the language chosen now. A component that asks is drawn again when another one is chosen. */
export const wordsOf =
  <T extends object>(table: Table<T>): (() => T) =>
  () =>
    dressed.value?.dress(table.en) ?? table[language.value];
