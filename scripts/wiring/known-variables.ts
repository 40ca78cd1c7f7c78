import { editDistance } from '../../runtime/edit-distance.ts';

const SHORT = 8;

/** Returns a sentence for each variable that resembles a known one but is not read (`MONGO_URL`). */
export function misspelled(env: Readonly<Record<string, string | undefined>>, known: readonly string[]): string[] {
  return Object.keys(env)
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = known.find((one) => isClose(name, one, one.length < SHORT ? 1 : 2));
      return meant ? [`The environment variable ${name} is not read: did you mean ${meant}?`] : [];
    });
}

/** Compares lengths first, because every start compares all variables with all known ones. */
const isClose = (name: string, one: string, most: number): boolean =>
  Math.abs(name.length - one.length) <= most && editDistance(name, one) <= most;
