import { signal } from '@preact/signals';
import { language } from '../state/preferences.ts';

/** Texts in both languages. TypeScript enforces that both have the same keys. */
interface Table<T extends object> {
  readonly en: T;
  readonly id: NoInfer<T>;
}

/** Transforms English texts, for example to longer ones; null to leave them unchanged. Set by the design page. */
export const dressed = signal<{ readonly dress: <T extends object>(texts: T) => T } | null>(null);

/** A component that calls the returned function is rendered again when the language changes. */
export const wordsOf =
  <T extends object>(table: Table<T>): (() => T) =>
  () =>
    dressed.value?.dress(table.en) ?? table[language.value];
