import type { Store } from '../port.ts';
import { type KeptSecret, replacing, type SecretRewrites } from '../secrets/secret-rewrites.ts';
import { type StoreHookRow, storeHooksSpec } from './hooks.ts';
import { type StoreLinkRow, storeLinksSpec } from './links.ts';
import { type StoreMemoryRow, storeMemorySpec } from './memory.ts';

export function storeSecretRewritesIn(store: Store): Pick<SecretRewrites, 'all'> {
  const links = store.collection<StoreLinkRow>(storeLinksSpec);
  const memory = store.collection<StoreMemoryRow>(storeMemorySpec);
  const hooks = store.collection<StoreHookRow>(storeHooksSpec);
  const ofLink = (group: string, about: string, path: string, value: string): KeptSecret => ({
    group,
    about,
    value,
    replace: replacing(links, group, path, value),
  });

  return {
    async *all() {
      for await (const { _id, secret, former_secret, token } of links.find({}, { sort: { _id: 1 } })) {
        yield ofLink(_id, 'store token', 'token', token);
        if (secret !== null) yield ofLink(_id, 'store secret', 'secret', secret);
        if (former_secret) yield ofLink(_id, 'store secret', 'former_secret.secret', former_secret.secret);
      }
      for await (const { _id, link_id, sealed } of memory.find({}, { sort: { _id: 1 } }))
        yield { group: link_id, about: _id, value: sealed, replace: replacing(memory, _id, 'sealed', sealed) };
      for await (const { _id, link_id, body } of hooks.find({ pending: true }, { sort: { link_id: 1, no: 1 } }))
        if (body !== null) yield { group: link_id, about: 'store webhook', value: body, replace: replacing(hooks, _id, 'body', body) };
    },
  };
}
