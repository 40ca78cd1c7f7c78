/**
 * Goes on with a value: at once where it is there, otherwise when it is. A promise for what is there already costs a request more than most of
 * what is done with it.
 */
export const whenThere = <A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> =>
  value instanceof Promise ? value.then(next) : next(value);
