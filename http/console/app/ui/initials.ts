export function initialsOf(name: string): string {
  const words = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word));
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase();
}

/** Returns, for example, `K2` for `Kasir 2`. */
export function markOf(name: string): string {
  const signs = [...name].filter((sign) => /[\p{L}\p{N}]/u.test(sign));
  const [first = '?'] = signs;
  return (first + (signs.length > 1 ? (signs.at(-1) ?? '') : '')).toUpperCase();
}
