import { editDistance } from '../../runtime/edit-distance.ts';

const SHORT = 8;

export function misspelled(env: Readonly<Record<string, string | undefined>>, known: readonly string[]): string[] {
  return Object.keys(env)
    .filter((name) => !known.includes(name))
    .flatMap((name) => {
      const meant = known.find((one) => isClose(name, one, one.length < SHORT ? 1 : 2));
      return meant ? [`The environment variable ${name} is not read: did you mean ${meant}?`] : [];
    });
}

const isClose = (name: string, one: string, most: number): boolean =>
  Math.abs(name.length - one.length) <= most && editDistance(name, one) <= most;
