/**
 * Checked access to values that must exist. If a bug breaks that assumption, the error is thrown
 * here, with a clear message.
 */

/** Returns the element at an index; -1 is the last. Throws a RangeError if it does not exist. */
export function at<T>(list: ArrayLike<T>, index: number): T {
  const found = list[index < 0 ? list.length + index : index];
  if (found === undefined) throw new RangeError(`no element ${index} in a list of ${list.length}`);
  return found;
}

export function entry<K, V>(map: { get(key: K): V | undefined }, key: K): V {
  const found = map.get(key);
  if (found === undefined) throw new Error(`no entry of ${String(key)}`);
  return found;
}

export function present<T>(value: T, what: string): NonNullable<T> {
  if (value === null || value === undefined) throw new Error(`${what} is missing`);
  return value;
}

export function before(text: string, mark: string): string {
  const end = text.indexOf(mark);
  return end < 0 ? text : text.slice(0, end);
}
