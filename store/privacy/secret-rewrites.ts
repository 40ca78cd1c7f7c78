import type { Store } from '../port.ts';
import { replacing, type SecretRewrites } from '../secrets/secret-rewrites.ts';
import { type ErasureRow, erasuresSpec } from './erasures.ts';
import { type ExportRow, exportsSpec } from './exports.ts';

export function privacySecretRewritesIn(store: Store): Pick<SecretRewrites, 'all'> {
  const erasures = store.collection<ErasureRow>(erasuresSpec);
  const exports = store.collection<ExportRow>(exportsSpec);
  return {
    async *all() {
      for await (const { _id, tenant_id: group, subject } of erasures.find({ open: true }, { sort: { _id: 1 } }))
        if (subject) yield { group, about: `erasure ${_id}`, value: subject, replace: replacing(erasures, _id, 'subject', subject) };
      for await (const { _id, tenant_id: group, subject } of exports.find({ open: true }, { sort: { _id: 1 } }))
        if (subject) yield { group, about: `export ${_id}`, value: subject, replace: replacing(exports, _id, 'subject', subject) };
    },
  };
}
