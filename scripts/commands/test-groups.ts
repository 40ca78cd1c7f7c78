/** Folders whose files share a process: none of them changes anything of it for good, or measures it. */
const TOGETHER: readonly string[] = [
  'test/actors/campaign/',
  'test/actors/device/',
  'test/actors/domain/',
  'test/actors/network/sandbox/',
  'test/actors/services/accounts/',
  'test/actors/services/agents/',
  'test/actors/services/contacts/',
  'test/actors/services/messaging/',
  'test/actors/services/onboarding/',
  'test/actors/services/privacy/',
  'test/actors/services/push/',
  'test/actors/services/scheduling/',
  'test/actors/services/statuses/',
  'test/actors/services/stores/',
  'test/http/console/app/',
  'test/http/limits/',
  'test/http/mcp/',
  'test/http/server/',
  'test/runtime/actor-system/',
  'test/runtime/placement/',
  'test/stories/',
];
/** Files of these folders that have an `await` outside their tests, or make ids of a time after which no earlier one is given. */
const ALONE: ReadonlySet<string> = new Set([
  'test/http/console/app/state/session.test.ts',
  'test/actors/services/messaging/receipt-storm.property.test.ts',
]);
const LARGEST = 12;
const SMALLEST = 3;
/** Groups that remain for each process when they become smaller, so that all processes end at about the same time. */
const LAST = 2;

export interface Groups {
  /** Each in a process of its own. */
  readonly alone: readonly string[];
  /** One process for each of these. */
  readonly shared: readonly (readonly string[])[];
}

/** Which test files share a process: neighbours do, for they load much the same. */
export function groupsOf(files: readonly string[], processes: number): Groups {
  const sorted = [...files].sort();
  const isShared = (file: string): boolean => !ALONE.has(file) && TOGETHER.some((folder) => file.startsWith(folder));
  const together = sorted.filter(isShared);
  const shared: string[][] = [];
  for (let at = 0; at < together.length; ) {
    const size = Math.min(LARGEST, Math.max(SMALLEST, Math.ceil((together.length - at) / (processes * LAST))));
    shared.push(together.slice(at, at + size));
    at += size;
  }
  return { alone: sorted.filter((file) => !isShared(file)), shared };
}
