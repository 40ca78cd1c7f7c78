import { buildBundle } from '../../../http/console/bundle.ts';

const { weights, files } = await buildBundle({ isDevelopment: false });
const kib = (bytes: number): number => bytes / 1_024;
for (const [page, bytes] of [...weights].toSorted(([, one], [, other]) => other - one))
  console.log(`${page}: ${kib(bytes).toFixed(1)} KiB`);
const signIn = [...weights].find(([page]) => page.includes('/sign-in/'))?.[1] ?? Number.NaN;
const style = files.get('style.css')?.gzip.length ?? Number.NaN;
console.log(JSON.stringify({ heaviestKb: kib(Math.max(...weights.values())), signInKb: kib(signIn), styleKb: kib(style) }));
