/**
 * What the test files of one process share (together.ts): resources that are costly to start stay open for the next
 * file and are closed when all files have ended. A file with a process of its own closes them itself.
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
