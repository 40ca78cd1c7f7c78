import { fairSlices } from '../../../../runtime/fair-slices.ts';
import type { JsonLimits } from '../../../../runtime/json-scan.ts';
import { memberOf } from '../../../../runtime/shapes.ts';
import { slicedJson } from '../../../../runtime/sliced-json.ts';
import { quantized } from '../retrieval/vectors.ts';

const MAX_DIMENSION = 4_096;

/** Limits for 32 vectors with full precision, plus the fields that servers add. */
const LIMITS: JsonLimits = { depth: 16, keys: 2_000, itemKeys: 1_000, values: 200_000, itemBytes: 512 * 1_024 };

export const parseEmbeddings = (bytes: Buffer): Promise<unknown> =>
  slicedJson(bytes, { limits: LIMITS, turn: () => fairSlices.turn('embeddings') });

/** Returns null if a vector is missing or zero, or if dimensions differ. Reads one vector per tick. */
export async function vectorsOf(answer: unknown, count: number): Promise<readonly Int8Array[] | null> {
  const data = memberOf(answer, 'data');
  if (!Array.isArray(data) || data.length !== count) return null;
  const vectors: (Int8Array | null)[] = Array.from({ length: count }, () => null);
  for (const one of data) {
    await fairSlices.turn('embeddings');
    const [index, embedding] = [memberOf(one, 'index'), memberOf(one, 'embedding')];
    if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0 || !isEmbedding(embedding)) return null;
    if (index < count) vectors[index] = quantized(embedding);
  }
  const known = vectors.filter((vector) => vector !== null);
  return known.length === count && new Set(known.map(({ length }) => length)).size === 1 ? known : null;
}

const isEmbedding = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length > 0 && value.length <= MAX_DIMENSION && value.every((one) => typeof one === 'number');
