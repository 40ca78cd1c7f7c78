/** Counts UTF-16 units. Characters are never split, because stores may reject half a character. */
export function cut(text: string, length: number): string {
  const isHalf = text.length > length && /[\uD800-\uDBFF]/.test(text.charAt(length - 1));
  return text.slice(0, isHalf ? length - 1 : length).toWellFormed();
}
