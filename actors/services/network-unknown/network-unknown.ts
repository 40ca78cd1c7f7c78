import type { Clock } from '../../../runtime/clock.ts';
import {
  type FieldShape,
  MAX_SAMPLES,
  type NetworkUnknown,
  type UnknownNames,
  type UnknownSample,
} from '../../../store/devices/network-unknown.ts';

/**
 * Counts network data that this gateway does not understand, by the names of fields and stanzas.
 * Each sweep adds a node's counts to the cluster's row for the day, so a crash loses only the
 * counts since the last sweep. Seven days are shown. Names are untrusted, so at most 64 names
 * of each kind are kept, and all others are counted as `other`. For some messages, the structure
 * (field numbers, wire types and lengths) is kept, so that developers can add support. Content is
 * never kept.
 */

export interface UnknownCounts {
  note(kind: keyof UnknownNames, name: string, fields?: readonly FieldShape[]): void;
  continueAll(now: number): Promise<void>;
  view(now: number): Promise<UnknownNames>;
  samples(now: number): Promise<readonly UnknownSample[]>;
}

const MAX_NAMES = 64;
const OTHER = 'other';
/** Maximum number of samples per name, sweep and node. A low number leaves space for rare names. */
const SAMPLES_OF_A_NAME = 3;
const DAY_MS = 86_400_000;
const DAYS = 7;
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,47}$/;

const dayAt = (at: number): string => new Date(at).toISOString().slice(0, 10);

export function createUnknownCounts(rows: NetworkUnknown, clock: Pick<Clock, 'now'>): UnknownCounts {
  let pending: Record<keyof UnknownNames, Map<string, number>> = { contents: new Map(), stanzas: new Map() };
  let samples: UnknownSample[] = [];
  let forgotten = '';

  async function stored(now: number): Promise<UnknownNames> {
    const days = await rows.since(dayAt(now - (DAYS - 1) * DAY_MS));
    return { contents: summed(days.map((day) => day.contents)), stanzas: summed(days.map((day) => day.stanzas)) };
  }

  async function flush(now: number): Promise<void> {
    if (pending.contents.size + pending.stanzas.size === 0) return;
    const [counted, sampled] = [pending, samples];
    pending = { contents: new Map(), stanzas: new Map() };
    samples = [];
    const known = await stored(now);
    const within = (kind: keyof UnknownNames) => Object.fromEntries(bounded(counted[kind], Object.keys(known[kind])));
    await rows.add(dayAt(now), { contents: within('contents'), stanzas: within('stanzas') }, sampled);
  }

  function sample(name: string, fields: readonly FieldShape[]): void {
    if (samples.length < MAX_SAMPLES && samples.filter((one) => one.name === name).length < SAMPLES_OF_A_NAME)
      samples.push({ at: clock.now(), name, fields });
  }

  return {
    note(kind, text, fields) {
      const given = text.replaceAll(':', '_');
      const names = pending[kind];
      const isKept = NAME.test(given) && (names.has(given) || names.size < MAX_NAMES);
      const name = isKept ? given : OTHER;
      names.set(name, (names.get(name) ?? 0) + 1);
      if (fields) sample(name, fields);
    },

    async continueAll(now) {
      await flush(now);
      const first = dayAt(now - (DAYS - 1) * DAY_MS);
      if (first === forgotten) return;
      await rows.forget(first);
      forgotten = first;
    },

    async view(now) {
      await flush(now);
      return stored(clock.now());
    },

    async samples(now) {
      await flush(now);
      const all = await rows.samplesSince(dayAt(now - (DAYS - 1) * DAY_MS));
      return all.toSorted((one, other) => other.at - one.at).slice(0, MAX_SAMPLES);
    },
  };
}

function bounded(counts: ReadonlyMap<string, number>, known: readonly string[]): ReadonlyMap<string, number> {
  const names = new Set(known);
  const kept = new Map<string, number>();
  for (const [given, n] of counts) {
    const name = names.has(given) || names.size < MAX_NAMES ? given : OTHER;
    names.add(name);
    kept.set(name, (kept.get(name) ?? 0) + n);
  }
  return kept;
}

/** Keeps only the most frequent names, because nodes may have added different ones. */
function summed(days: readonly (Readonly<Record<string, number>> | undefined)[]): Readonly<Record<string, number>> {
  const sums = new Map<string, number>();
  for (const day of days) for (const [name, n] of Object.entries(day ?? {})) sums.set(name, (sums.get(name) ?? 0) + n);
  const ordered = [...sums].filter(([name]) => name !== OTHER).toSorted(([, one], [, other]) => other - one);
  const rest = ordered.slice(MAX_NAMES).reduce((sum, [, n]) => sum + n, sums.get(OTHER) ?? 0);
  return Object.fromEntries([...ordered.slice(0, MAX_NAMES), ...(rest > 0 ? [[OTHER, rest] as const] : [])]);
}
