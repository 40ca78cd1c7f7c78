import type { Collection, Doc, Store } from '../port.ts';
import { type CredentialHeadRow, headSpec, type KeyEntry, type KeyRow, keySpec } from './credentials.ts';

export interface CredentialRewrites {
  heads(): AsyncIterable<readonly CredentialHeadRow[]>;
  kept(): AsyncIterable<readonly KeyRow[]>;
  rewriteHead(row: CredentialHeadRow, fresh: readonly KeyEntry[]): Promise<boolean>;
  rewriteKept(row: KeyRow, value: string): Promise<boolean>;
}

const PAGE = 200;

export function credentialRewritesIn(store: Store): CredentialRewrites {
  const heads: Collection<CredentialHeadRow> = store.collection<CredentialHeadRow>(headSpec);
  const keys: Collection<KeyRow> = store.collection<KeyRow>(keySpec);

  return {
    heads: () => pages(heads),
    kept: () => pages(keys),

    async rewriteHead({ _id, generation, commits = null }, fresh) {
      const { matchedCount } = await heads.updateOne({ _id, generation, commits }, { $set: { fresh }, $inc: { commits: 1 } });
      return matchedCount === 1;
    },

    async rewriteKept({ _id, rev, value: before }, value) {
      return (await keys.updateOne({ _id, rev, value: before }, { $set: { value } })).matchedCount === 1;
    },
  };
}

async function* pages<T extends Doc>(collection: Collection<T>): AsyncGenerator<readonly T[]> {
  for (let last = ''; ; ) {
    const page = await collection.find({ _id: { $gt: last } }, { sort: { _id: 1 }, limit: PAGE }).toArray();
    const end = page.at(-1);
    if (!end) return;
    yield page;
    last = end._id;
  }
}
