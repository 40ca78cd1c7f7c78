/** Whether this is a nightly run (`npm run check:night` sets NIGHT), which has time for longer tests. */
export const isNight = Boolean(process.env['NIGHT']);

/** Declares tests for the nightly run. Other runs only print the title. */
export function atNight(title: string, tell: () => void): void {
  if (isNight) tell();
  else console.log(`Left to npm run check:night: ${title}.`);
}
