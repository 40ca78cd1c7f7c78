/**
 * Applies `next` to a value: at once if it is available, otherwise when its promise resolves.
 * Awaiting an available value would create two promises, and a request has dozens of these.
 */
export const whenThere = <A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> =>
  value instanceof Promise ? value.then(next) : next(value);
