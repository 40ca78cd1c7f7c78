import type { DocumentRow, Documents } from '../../../store/ai-reply/documents.ts';
import type { JobPatch } from '../../../store/jobs/jobs.ts';
import { type Embedder, MAX_TOGETHER } from './engine/embedder.ts';
import type { KnowledgeService } from './knowledge/knowledge-service.ts';
import { toText } from './retrieval/vectors.ts';

export interface DocumentVectorsDeps {
  readonly documents: Pick<Documents, 'passagesWithout' | 'addVectors' | 'embedded'>;
  readonly knowledge: Pick<KnowledgeService, 'changing'>;
  readonly embedder: Embedder;
}

/** Calls per step. A low number limits other tenants' waits and the work lost in a crash. */
const CALLS = 8;

/** Returns an empty patch if passages remain for another step. Partial vectors do not affect ranking. */
export async function embedSome({ documents, knowledge, embedder }: DocumentVectorsDeps, row: DocumentRow): Promise<JobPatch> {
  const { tenant_id, _id, version } = row;
  if (version === null || row.vectors_model === embedder.model) return DONE;
  // A short text shows the dimension of the endpoint's vectors. A change invalidates all vectors.
  const [probe] = (await embedder.passages(tenant_id, [row.name || 'document'])) ?? [];
  if (!probe) return DONE;
  const vectorOf = `${embedder.model}/${probe.length}`;
  let after = -1;
  for (let call = 0; call < CALLS; call += 1) {
    const passages = await documents.passagesWithout(_id, version, vectorOf, after, MAX_TOGETHER);
    const last = passages.at(-1);
    if (!last) {
      // If this step computed vectors, check all passages again: another node may have changed some.
      if (after >= 0) return {};
      await knowledge.changing(tenant_id, () => documents.embedded(tenant_id, _id, version, embedder.model));
      return DONE;
    }
    const vectors = await embedder.passages(
      tenant_id,
      passages.map(({ heading, text }) => `${row.name}\n${heading}\n${text}`),
    );
    if (!vectors || vectors.some(({ length }) => length !== probe.length)) return DONE;
    const pairs = passages.flatMap((passage, at) => {
      const vector = vectors[at];
      return vector ? [{ _id: passage._id, vector: toText(vector) }] : [];
    });
    await documents.addVectors(vectorOf, pairs);
    after = last.number;
  }
  return {};
}

const DONE: JobPatch = { status: 'done' };
