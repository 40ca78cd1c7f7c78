/** Runs before the first paint, so that a page never appears in the wrong theme or language. */
const kept = (name: string): string | null => {
  try {
    return localStorage.getItem(`console.${name}`);
  } catch {
    return null;
  }
};
const root = document.documentElement;
const theme = kept('theme');
if (theme === 'light' || theme === 'dark') root.dataset['theme'] = theme;
const language = kept('language') ?? navigator.language;
root.lang = /^id\b/i.test(language) ? 'id' : 'en';
