/** Checked access to values that exist by construction: a bug fails here, with a reason. */

/** Returns the element at `index`; -1 is the last one. Throws a RangeError. */
export function at<T>(list: ArrayLike<T>, index: number): T {
  const found = list[index < 0 ? list.length + index : index];
  if (found === undefined) throw new RangeError(`no element ${index} in a list of ${list.length}`);
  return found;
}

/** Returns the value of `key`. Throws an Error if the key does not exist. */
export function entry<K, V>(map: { get(key: K): V | undefined }, key: K): V {
  const found = map.get(key);
  if (found === undefined) throw new Error(`no entry of ${String(key)}`);
  return found;
}

/** Returns `value`. Throws an Error that names `what` if `value` is null or undefined. */
export function present<T>(value: T, what: string): NonNullable<T> {
  if (value === null || value === undefined) throw new Error(`${what} is missing`);
  return value;
}

/** Returns the text before the first `mark`, or the whole text if it does not contain `mark`. */
export function before(text: string, mark: string): string {
  const end = text.indexOf(mark);
  return end < 0 ? text : text.slice(0, end);
}
