/**
 * Tests in these folders and files can share a process, because they neither change it
 * permanently nor measure it.
 */
const TOGETHER: readonly string[] = [
  'test/actors/campaign/',
  'test/actors/device/',
  'test/actors/domain/',
  'test/actors/jobs/',
  'test/actors/network/',
  'test/actors/services/accounts/',
  'test/actors/services/agents/',
  'test/actors/services/ai-reply/',
  'test/actors/services/analytics/',
  'test/actors/services/audit/',
  'test/actors/services/auto-reply/',
  'test/actors/services/billing/',
  'test/actors/services/calls/',
  'test/actors/services/campaigns/',
  'test/actors/services/channels/',
  'test/actors/services/claims.test.ts',
  'test/actors/services/client-build/',
  'test/actors/services/consent/',
  'test/actors/services/contacts/',
  'test/actors/services/conversations/',
  'test/actors/services/events/',
  'test/actors/services/facts/',
  'test/actors/services/identities/',
  'test/actors/services/live/',
  'test/actors/services/media/',
  'test/actors/services/messaging/',
  'test/actors/services/network-unknown/',
  'test/actors/services/official/',
  'test/actors/services/onboarding/',
  'test/actors/services/people/',
  'test/actors/services/privacy/',
  'test/actors/services/push/',
  'test/actors/services/scheduling/',
  'test/actors/services/statuses/',
  'test/actors/services/stores/',
  'test/actors/services/webhooks/',
  'test/actors/store-link/',
  'test/actors/tenant/',
  'test/http/areas/',
  'test/http/auth/',
  'test/http/compat/',
  'test/http/console/',
  'test/http/core/',
  'test/http/limits/',
  'test/http/mcp/',
  'test/http/openapi/',
  'test/http/server/',
  'test/isolation/',
  'test/network-peer/',
  'test/runtime/',
  'test/scripts/bench/growth.test.ts',
  'test/scripts/bridge/',
  'test/scripts/chaos/verdict.test.ts',
  'test/scripts/commands/completion.test.ts',
  'test/scripts/commands/listen.test.ts',
  'test/scripts/commands/test-groups.test.ts',
  'test/scripts/commands/webhook-verify.test.ts',
  'test/scripts/endurance/verdict.test.ts',
  'test/scripts/faults/verdict.test.ts',
  'test/scripts/licences/',
  'test/scripts/wiring/',
  'test/simulation/hashes.test.ts',
  'test/simulation/merging.test.ts',
  'test/store/',
  'test/stories/',
];
const ALONE: Readonly<Record<string, string>> = {
  'test/actors/network/whatsapp/content-kinds.test.ts': 'awaits the client library before its tests start',
  'test/actors/network/whatsapp/contract.test.ts': 'takes a long time',
  'test/actors/network/whatsapp/features.test.ts': 'takes a long time',
  'test/actors/network/whatsapp/memory.test.ts': 'measures the memory of its process',
  'test/actors/network/whatsapp/noise-handler.test.ts': 'leaves a handler in the client library that no other test can use',
  'test/actors/services/ai-reply/engine/claims.test.ts': 'measures the CPU of a tick, which the garbage of other files would add to',
  'test/actors/services/ai-reply/reading/speaks-to-machines.test.ts': 'measures the CPU of a tick',
  'test/actors/services/ai-reply/retrieval/vectors.test.ts': 'measures the CPU of a tick',
  'test/actors/services/ai-reply/reading/exploding.test.ts': 'checks what the host offers before its tests start',
  'test/actors/services/ai-reply/reading/reading.test.ts': 'checks what the host offers before its tests start',
  'test/actors/services/ai-reply/reading/stopped-reader.test.ts': 'checks what the host offers before its tests start',
  'test/actors/services/auto-reply/regex-check.test.ts': 'gives a thread real seconds for a pattern',
  'test/actors/services/contacts/import/reader.test.ts': 'checks what the host offers before its tests start',
  'test/actors/services/messaging/receipt-storm.property.test.ts':
    'creates ids of a later time, after which no id can have an earlier time',
  'test/http/console/pages.test.ts': 'takes a long time',
  'test/http/console/app/state/session.test.ts': 'awaits its imports before its tests start',
  'test/runtime/child-processes/killed.test.ts': 'checks what the host offers before its tests start',
  'test/actors/services/media/convert/killed.test.ts': 'checks what the host offers before its tests start',
  'test/actors/services/media/convert/judges.test.ts': 'checks what the host offers before its tests start',
  'test/runtime/child-processes/node-jobs.test.ts': 'checks what the host offers before its tests start',
  'test/runtime/child-processes/programs.test.ts': 'checks what the host offers before its tests start',
  'test/runtime/cluster/model/guards.test.ts': 'takes a long time',
  'test/runtime/cluster/model/lease-protocol.test.ts': 'takes a long time',
  'test/store/engines/embedded-file.test.ts': 'starts processes and counts the queries of all embedded stores',
  'test/store/engines/log-size.test.ts': 'starts processes',
  'test/store/engines/survives-kill.test.ts': 'starts processes',
  'test/stories/isolation.test.ts': 'checks what the host offers before its tests start',
};
/** These files start first, so that the run does not end with one busy process. */
const LONG: ReadonlySet<string> = new Set([
  'test/actors/network/whatsapp/contract.test.ts',
  'test/http/console/pages.test.ts',
  'test/runtime/cluster/model/guards.test.ts',
  'test/scripts/bench/bench-runs.test.ts',
  'test/scripts/chaos/campaign.test.ts',
  'test/scripts/chaos/chaos.test.ts',
  'test/scripts/endurance/endurance.test.ts',
  'test/scripts/extension/extension.test.ts',
  'test/scripts/faults/guards.test.ts',
  'test/scripts/faults/whatsapp.test.ts',
  'test/scripts/guard/guard.test.ts',
  'test/simulation/simulate.test.ts',
]);
/**
 * Maximum number of files per process. It is high, because each process loads a gateway (2 s of CPU
 * time).
 */
const LARGEST = 24;
const SMALLEST = 4;

export interface Groups {
  readonly long: readonly string[];
  readonly alone: readonly string[];
  readonly shared: readonly (readonly string[])[];
}

/** Neighboring files load similar modules. The last groups are smaller, to balance the processes. */
export function groupsOf(files: readonly string[], processes: number): Groups {
  const sorted = [...files].sort();
  const isShared = (file: string): boolean => !Object.hasOwn(ALONE, file) && TOGETHER.some((folder) => file.startsWith(folder));
  const together = sorted.filter(isShared);
  const shared: string[][] = [];
  for (let at = 0; at < together.length; ) {
    const size = Math.min(LARGEST, Math.max(SMALLEST, Math.ceil((together.length - at) / processes)));
    shared.push(together.slice(at, at + size));
    at += size;
  }
  const own = sorted.filter((file) => !isShared(file));
  return { long: own.filter((file) => LONG.has(file)), alone: own.filter((file) => !LONG.has(file)), shared };
}
