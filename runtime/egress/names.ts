import { lookup, Resolver } from 'node:dns/promises';
import { codeOf } from '../errors.ts';
import { FairSlots } from '../fair-slots.ts';
import type { Resolve, Resolved } from './connector.ts';

/** As the operating system has it, on a thread: Node works on two such questions at once, all others of the process wait behind them. */
export const resolveBySystem: Resolve = (hostname) => lookup(hostname, { all: true, verbatim: true });

/** Asks name servers for one type of address. */
export type NameServers = Pick<Resolver, 'resolve4' | 'resolve6'>;

export interface NameOptions {
  /** Those of the system as it is configured now. */
  servers(): NameServers;
  readonly system: Resolve;
}

/** Names that wait for the system. */
const MAX_WAITING = 1_000;
/** The servers of the name, or those that are asked for it, are silent: the system would hear no more, and hold its thread for as long as it tries. */
const SILENT: ReadonlySet<unknown> = new Set(['ETIMEOUT', 'ESERVFAIL']);

/**
 * Resolves names that callers chose. Whoever owns a name can let its servers be silent, so they are asked first without a thread; the system (its
 * hosts file, its search list) only about names that they say do not exist, one at a time, so that a thread is always left for others. All who ask for
 * a name at the same time share one question.
 */
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
/** Together within the time that a request has. */
const PATIENCE = { timeout: 2_000, tries: 2 };

export const resolveForCallers: Resolve = createCallerResolver({ servers: () => new Resolver(PATIENCE), system: resolveBySystem });
