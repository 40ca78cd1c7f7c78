import { type ChildProcesses, openChildProcesses } from '../../../runtime/child-processes/child-processes.ts';
import type { Host } from '../../../runtime/child-processes/confine.ts';
import { aDirectory, type Scope } from '../../support/stores.ts';

interface Options {
  readonly host?: Host;
  readonly cpuMsAnHour?: number;
  readonly now?: () => number;
}

export interface SomeChildren extends ChildProcesses {
  /** Stands for the node's data: no child may see it. */
  readonly data: string;
}

/** A runner of its own, gone with the test. */
export async function someChildren(scope: Scope, { host, cpuMsAnHour = 3_600_000, now = Date.now }: Options = {}): Promise<SomeChildren> {
  const data = aDirectory(scope);
  const folder = `${data}/jobs`;
  const children = await openChildProcesses({ folder, hidden: [data], cpuMsAnHour, clock: { now }, ...(host && { host }) });
  scope.after(() => children.close());
  return { ...children, data };
}
