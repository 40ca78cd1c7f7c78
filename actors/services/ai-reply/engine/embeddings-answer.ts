import Joi from 'joi';
import { quantized } from '../retrieval/vectors.ts';

const MAX_DIMENSION = 4_096;

interface EmbeddingsAnswer {
  readonly data: readonly { readonly index: number; readonly embedding: readonly number[] }[];
}

const schema = Joi.object<EmbeddingsAnswer>({
  data: Joi.array()
    .items(
      Joi.object({
        index: Joi.number().integer().min(0).required(),
        embedding: Joi.array().items(Joi.number().unsafe()).min(1).max(MAX_DIMENSION).required(),
      }).unknown(),
    )
    .required(),
})
  .unknown()
  .options({ convert: false });

/** The vectors of an answer in the order of the texts; null: it has not one for each, they differ in dimension, or one of them says nothing. */
export function vectorsOf(answer: unknown, count: number): readonly Int8Array[] | null {
  const { error, value } = schema.validate(answer);
  if (error || value.data.length !== count) return null;
  const vectors: (Int8Array | null)[] = Array.from({ length: count }, () => null);
  for (const { index, embedding } of value.data) if (index < count) vectors[index] = quantized(embedding);
  const known = vectors.filter((vector) => vector !== null);
  return known.length === count && new Set(known.map(({ length }) => length)).size === 1 ? known : null;
}
