/** Checked access to what must be there by construction: a bug ends here, with a reason, not as an `undefined` somewhere later. */

/** The element at `index`; -1 is the last one. Throws a RangeError when the list has none there. */
export function at<T>(list: ArrayLike<T>, index: number): T {
  const found = list[index < 0 ? list.length + index : index];
  if (found === undefined) throw new RangeError(`no element ${index} in a list of ${list.length}`);
  return found;
}

/** The value of `key`. Throws an Error when there is none. */
export function entry<K, V>(map: { get(key: K): V | undefined }, key: K): V {
  const found = map.get(key);
  if (found === undefined) throw new Error(`no entry of ${String(key)}`);
  return found;
}

/** `value` itself. Throws an Error that names `what` when it is missing. */
export function present<T>(value: T, what: string): NonNullable<T> {
  if (value === null || value === undefined) throw new Error(`${what} is missing`);
  return value;
}

/** The text before the first `mark`, or all of it. */
export function before(text: string, mark: string): string {
  const end = text.indexOf(mark);
  return end < 0 ? text : text.slice(0, end);
}
