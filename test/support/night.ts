/** Whether this is a run of the night (`npm run check:night` sets NIGHT), which has time for what a run for each change has not. */
export const isNight = Boolean(process.env['NIGHT']);

/** Tells what is left to the night, and prints its title in a run that leaves it out. */
export function atNight(title: string, tell: () => void): void {
  if (isNight) tell();
  else console.log(`Left to npm run check:night: ${title}.`);
}
