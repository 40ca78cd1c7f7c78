/**
 * Goes on with a value: at once where it is there, otherwise when it is. An await of what is there already makes two
 * promises, and a request has dozens of these.
 */
export const whenThere = <A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> =>
  value instanceof Promise ? value.then(next) : next(value);
