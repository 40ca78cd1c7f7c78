/** At most so many UTF-16 units of a text, from its beginning, without half a character: a store or a reader of JSON may take none. */
export function cut(text: string, length: number): string {
  const isHalf = text.length > length && /[\uD800-\uDBFF]/.test(text.charAt(length - 1));
  return text.slice(0, isHalf ? length - 1 : length).toWellFormed();
}
