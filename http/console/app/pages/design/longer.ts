/** As long as a wordy language would have it, by about 40 per cent: each vowel stands twice. */
const longerText = (text: string): string => text.replace(/[aeiou]/gi, '$&$&');

/** All texts of a table, and what its functions give, in longer words. */
export const longer = <T extends object>(texts: T): T =>
  new Proxy(texts, {
    get(table, name, self) {
      const value: unknown = Reflect.get(table, name, self);
      // What each array can do is not a text.
      return Object.hasOwn(table, name) ? inLonger(value) : value;
    },
    apply: (table, self, values) => inLonger(typeof table === 'function' ? Reflect.apply(table, self, values) : table),
  });

function inLonger(value: unknown): unknown {
  if (typeof value === 'string') return longerText(value);
  return (typeof value === 'object' && value !== null) || typeof value === 'function' ? longer(value) : value;
}
