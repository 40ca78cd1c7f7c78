/**
 * Resolves names that callers chose. The owner of a name can make its name servers hang, so the
 * name servers are queried first, without a thread. The system resolver (hosts file, search list)
 * is used only for names that the name servers report as missing, one at a time, so that one thread
 * always stays free. Concurrent lookups of a name share one query.
 */

import { lookup, Resolver } from 'node:dns/promises';
import { codeOf } from '../errors.ts';
import { FairSlots } from '../fair-slots.ts';
import type { Resolve, Resolved } from './connector.ts';

/** Uses a thread of the operating system. Node runs only two such lookups at a time. */
export const resolveBySystem: Resolve = (hostname) => lookup(hostname, { all: true, verbatim: true });

export type NameServers = Pick<Resolver, 'resolve4' | 'resolve6'>;

export interface NameOptions {
  servers(): NameServers;
  readonly system: Resolve;
}

const MAX_WAITING = 1_000;
/** Error codes for silent name servers, for which the system resolver would block its thread. */
const SILENT: ReadonlySet<unknown> = new Set(['ETIMEOUT', 'ESERVFAIL']);

export function createCallerResolver({ servers, system }: NameOptions): Resolve {
  const asked = new Map<string, Promise<readonly Resolved[]>>();
  const full = (): Error => Object.assign(new Error('too many names wait to be resolved'), { code: 'EAI_AGAIN' });
  const bySystem = new FairSlots({ slots: 1, share: 1, waiting: MAX_WAITING, full });

  async function resolve(hostname: string): Promise<readonly Resolved[]> {
    const resolver = servers();
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = answers.flatMap((answer, nth) =>
      answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: nth === 0 ? 4 : 6 })) : [],
    );
    if (found.length > 0) return found;
    for (const answer of answers) if (answer.status === 'rejected' && SILENT.has(codeOf(answer.reason))) throw answer.reason;
    return bySystem.run(EVERYBODY, () => system(hostname));
  }

  return (hostname) => {
    const known = asked.get(hostname);
    if (known) return known;
    const asking = resolve(hostname).finally(() => asked.delete(hostname));
    asked.set(hostname, asking);
    return asking;
  };
}

const EVERYBODY = '';
/** Both attempts together fit within a request's time limit. */
const PATIENCE = { timeout: 2_000, tries: 2 };

export const resolveForCallers: Resolve = createCallerResolver({ servers: () => new Resolver(PATIENCE), system: resolveBySystem });
