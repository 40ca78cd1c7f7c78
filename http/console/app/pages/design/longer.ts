const longerText = (text: string): string => text.replace(/[aeiou]/gi, '$&$&');

export const longer = <T extends object>(texts: T): T =>
  new Proxy(texts, {
    get(table, name, self) {
      const value: unknown = Reflect.get(table, name, self);
      // Leaves inherited members unchanged, such as array methods, because they are not texts.
      return Object.hasOwn(table, name) ? inLonger(value) : value;
    },
    apply: (table, self, values) => inLonger(typeof table === 'function' ? Reflect.apply(table, self, values) : table),
  });

function inLonger(value: unknown): unknown {
  if (typeof value === 'string') return longerText(value);
  return (typeof value === 'object' && value !== null) || typeof value === 'function' ? longer(value) : value;
}
