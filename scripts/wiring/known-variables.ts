import { editDistance } from '../../runtime/edit-distance.ts';

const SHORT = 8;

/** Variables that are close to one of ours and are none, as a sentence each: `MONGO_URL` was meant as `MONGODB_URL`, and is not read. */
export function misspelled(env: Readonly<Record<string, string | undefined>>, known: readonly string[]): string[] {
  return Object.keys(env)
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = known.find((one) => isClose(name, one, one.length < SHORT ? 1 : 2));
      return meant ? [`The environment variable ${name} is not read: did you mean ${meant}?`] : [];
    });
}

/** Lengths are compared first: a start compares all variables with all of ours. */
const isClose = (name: string, one: string, most: number): boolean =>
  Math.abs(name.length - one.length) <= most && editDistance(name, one) <= most;
