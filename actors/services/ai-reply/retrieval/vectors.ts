/** The direction of a vector, for which one byte per dimension is enough. */
export type Vector = Int8Array;

const LARGEST = 127;

export function quantized(numbers: readonly number[]): Vector | null {
  let largest = 0;
  for (const one of numbers) largest = Math.max(largest, Math.abs(one));
  if (!Number.isFinite(largest) || largest === 0) return null;
  const vector = new Int8Array(numbers.length);
  for (const [at, one] of numbers.entries()) vector[at] = Math.round((one / largest) * LARGEST);
  return vector;
}

export function cosine(one: Vector, other: Vector): number {
  let [dot, ofOne, ofOther] = [0, 0, 0];
  for (const [at, value] of one.entries()) {
    const beside = other[at] ?? 0;
    dot += value * beside;
    ofOne += value * value;
    ofOther += beside * beside;
  }
  return dot / Math.sqrt(ofOne * ofOther);
}

export const toText = (vector: Vector): string => Buffer.from(vector.buffer, vector.byteOffset, vector.length).toString('base64');
export const fromText = (text: string): Vector => new Int8Array(Buffer.from(text, 'base64'));

const SMOOTHING = 60;

/** Reciprocal rank fusion of words and vectors. Without a comparable vector, words count twice. */
export function fused<T>(candidates: readonly T[], question: Vector, vectorOf: (candidate: T) => Vector | undefined): readonly T[] {
  const placed = candidates.map((candidate, byWords) => {
    const vector = vectorOf(candidate);
    const likeness = vector?.length === question.length ? cosine(vector, question) : null;
    return { candidate, byWords, likeness };
  });
  const byLikeness = placed.filter(({ likeness }) => likeness !== null).toSorted((a, b) => (b.likeness ?? 0) - (a.likeness ?? 0));
  const places = new Map(byLikeness.map((one, place) => [one, place]));
  const share = (place: number): number => 1 / (SMOOTHING + place + 1);
  return placed
    .map((one) => ({ ...one, sum: share(one.byWords) + share(places.get(one) ?? one.byWords) }))
    .toSorted((a, b) => b.sum - a.sum || (b.likeness ?? -1) - (a.likeness ?? -1))
    .map(({ candidate }) => candidate);
}
