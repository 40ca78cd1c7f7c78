import { readdirSync, readFileSync } from 'node:fs';
import type { Host } from '../../../runtime/child-processes/confine.ts';
import { examineHost } from '../../../runtime/child-processes/host.ts';

export { type SomeChildren, someChildren } from './some-children.ts';

const full = await examineHost(['/tmp']);
const { sh, mount } = full.tools;

/** Nothing of the host is used, as where it has nothing to give. */
export const BARE: Host = {
  tools: { unshare: null, setpriv: null, choom: null, prlimit: null, mount, sh },
  namespaces: null,
  proc: full.proc,
};

/** As where parts of `/proc` are masked. */
export const WITHOUT_PROC: Host | null = full.namespaces && { ...full, namespaces: 'no-proc' };

/** What this host gives, and the same without namespaces, as in most containers. */
export const HOSTS: readonly (readonly [name: string, host: Host])[] = [
  ...(full.namespaces ? [['in namespaces', full] as const] : []),
  ['without namespaces', { ...full, namespaces: null }],
];

if (!full.namespaces) console.log('This host gives no namespaces: the runs in them are left out.');

/** Ids of a process and its descendants that are alive. */
export function familyOf(pid: number): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const children = threads.flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
    return [pid, ...children.flatMap(familyOf)];
  } catch {
    return [];
  }
}

/** Whether a process is there and not a zombie. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
