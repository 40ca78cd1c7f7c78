/**
 * Resources that the test files of one process share (together.ts). A costly resource stays open for the next file,
 * and is closed after the last one. A file that has its own process closes its resources itself.
 */

/** Whether this process runs several test files. */
export const isShared = process.env['TEST_FILES'] !== undefined;

const endings: (() => unknown)[] = [];

/** Registers what to close after the last file of a shared process. */
export function atEndOfProcess(end: () => unknown): void {
  endings.push(end);
}

export async function endProcess(): Promise<void> {
  for (const end of endings.splice(0).toReversed()) await end();
}
