import { type Sealer, SecretUnreadable } from '../../../runtime/sealing/seal.ts';
import type { CredentialRewrites } from '../../../store/devices/credential-rewrites.ts';
import type { CredentialHeadRow, KeyEntry, KeyRow } from '../../../store/devices/credentials.ts';
import { aboutOf } from './sealed-credentials.ts';

export interface Resealed {
  readonly fresh: number;
  readonly resealed: number;
  /** Number of secrets that devices changed during this pass. They need another pass. */
  readonly overtaken: number;
  readonly unreadable: number;
}

type Counts = { -readonly [K in keyof Resealed]: Resealed[K] };

/** Needs all nodes of a running cluster to use the current key. Can be interrupted and repeated. */
export async function reseal(rewrites: CredentialRewrites, sealer: Sealer): Promise<Resealed> {
  const counts: Counts = { fresh: 0, resealed: 0, overtaken: 0, unreadable: 0 };
  const note = (isDone: boolean, secrets: number): void => {
    counts[isDone ? 'resealed' : 'overtaken'] += secrets;
  };
  for await (const rows of rewrites.heads()) {
    await Promise.all(rows.map((row) => resealHead(rewrites, sealer, row, counts, note)));
  }
  for await (const rows of rewrites.kept()) {
    await Promise.all(rows.map((row) => resealKept(rewrites, sealer, row, counts, note)));
  }
  return counts;
}

type Note = (isDone: boolean, secrets: number) => void;

async function resealHead(rewrites: CredentialRewrites, sealer: Sealer, row: CredentialHeadRow, counts: Counts, note: Note): Promise<void> {
  const fresh = row.fresh.map((entry) => sealedAnew(sealer, row.generation, entry, counts));
  const changed = fresh.filter((entry, nth) => entry !== row.fresh[nth]).length;
  if (changed > 0) note(await rewrites.rewriteHead(row, fresh), changed);
}

async function resealKept(rewrites: CredentialRewrites, sealer: Sealer, row: KeyRow, counts: Counts, note: Note): Promise<void> {
  const { _id, generation, rev, value } = row;
  const entry = { name: _id.slice(generation.length + 1), rev, value };
  const anew = sealedAnew(sealer, generation, entry, counts);
  if (anew !== entry) note(await rewrites.rewriteKept(row, anew.value!), 1);
}

function sealedAnew(sealer: Sealer, generation: string, entry: KeyEntry, counts: Counts): KeyEntry {
  const { name, rev, value } = entry;
  if (value === null) return entry;
  if (sealer.isFresh(value)) {
    counts.fresh += 1;
    return entry;
  }
  try {
    const about = aboutOf(name, rev);
    return { name, rev, value: sealer.seal(generation, about, sealer.open(generation, about, value)) };
  } catch (cause) {
    if (!(cause instanceof SecretUnreadable)) throw cause;
    counts.unreadable += 1;
    return entry;
  }
}
