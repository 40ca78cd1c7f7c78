/** Applies `next` immediately if the value is available, because awaiting would create two promises. */
export const whenThere = <A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> =>
  value instanceof Promise ? value.then(next) : next(value);
