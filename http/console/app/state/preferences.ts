import { effect, signal } from '@preact/signals';
import { keep, kept } from './kept.ts';

export const LANGUAGES = ['en', 'id'] as const;
export type Language = (typeof LANGUAGES)[number];

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const oneOf = <T extends string>(known: readonly T[], value: string | null | undefined): T | undefined =>
  known.find((one) => one === value);

export const language = signal<Language>(
  oneOf(LANGUAGES, kept('language')) ?? oneOf(LANGUAGES, navigator.language.slice(0, 2).toLowerCase()) ?? 'en',
);

export const theme = signal<Theme>(oneOf(THEMES, kept('theme')) ?? 'system');

export function chooseLanguage(value: string): void {
  language.value = oneOf(LANGUAGES, value) ?? 'en';
  keep('language', language.value);
}

export function chooseTheme(value: string): void {
  theme.value = oneOf(THEMES, value) ?? 'system';
  keep('theme', theme.value);
}

effect(() => {
  document.documentElement.lang = language.value;
});

effect(() => {
  if (theme.value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
});
