/** `length` is in UTF-16 units. Never splits a surrogate pair, because a store may reject the text. */
export function cut(text: string, length: number): string {
  const isHalf = text.length > length && /[\uD800-\uDBFF]/.test(text.charAt(length - 1));
  return text.slice(0, isHalf ? length - 1 : length).toWellFormed();
}
