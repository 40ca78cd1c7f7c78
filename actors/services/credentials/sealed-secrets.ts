import { isSealed, type Sealer, SecretUnreadable } from '../../../runtime/sealing/seal.ts';
import type { PushStore } from '../../../store/push/push.ts';
import type { KeptSecret, SecretRewrites } from '../../../store/secrets/secret-rewrites.ts';
import type { OpenedWebhook, WebhookPatch, WebhookRow, Webhooks } from '../../../store/webhooks/webhooks.ts';
import type { Resealed } from './reseal.ts';

export const GROUP = 'webhooks and push';

/** Rejects unsealed values. Otherwise, write access to the store would be enough to set a secret. */
function opened(sealer: Sealer, about: string, value: string, group = GROUP): string {
  if (!isSealed(value)) throw new SecretUnreadable(`the secret of ${about} is not sealed`);
  return sealer.open(group, about, value);
}

function openedOrNull(sealer: Sealer, about: string, value: string): string | null {
  try {
    return opened(sealer, about, value);
  } catch (cause) {
    if (cause instanceof SecretUnreadable) return null;
    throw cause;
  }
}

export function sealedWebhooks(webhooks: Webhooks, sealer: Sealer): Webhooks<OpenedWebhook> {
  const aboutOf = (id: string): string => `webhook ${id}`;
  const open = ({ retired, ...row }: WebhookRow): OpenedWebhook => {
    const former = retired && openedOrNull(sealer, aboutOf(row._id), retired.secret);
    return {
      ...row,
      secret: openedOrNull(sealer, aboutOf(row._id), row.secret),
      ...(retired && former && { retired: { ...retired, secret: former } }),
    };
  };
  const sealed = <T extends WebhookPatch>(id: string, fields: T): T => ({
    ...fields,
    ...(fields.secret !== undefined && { secret: sealer.seal(GROUP, aboutOf(id), fields.secret) }),
    ...(fields.retired && { retired: { ...fields.retired, secret: sealer.seal(GROUP, aboutOf(id), fields.retired.secret) } }),
  });
  return {
    ...webhooks,
    create: (row, limit) => webhooks.create(sealed(row._id, row), limit),
    list: async (tenantId) => (await webhooks.list(tenantId)).map(open),
    async find(tenantId, id) {
      const row = await webhooks.find(tenantId, id);
      return row && open(row);
    },
    async change(tenantId, id, patch) {
      const row = await webhooks.change(tenantId, id, sealed(id, patch));
      return row && open(row);
    },
  };
}

export function sealedPush(push: PushStore, sealer: Sealer): PushStore {
  return {
    ...push,
    async keys(make) {
      const { publicKey, privateKey } = await push.keys(() => {
        const made = make();
        return { ...made, privateKey: sealer.seal(GROUP, 'push', made.privateKey) };
      });
      return { publicKey, privateKey: opened(sealer, 'push', privateKey) };
    },
  };
}

/** Runs only once, because unsealed secrets are rejected afterwards. Can be repeated if interrupted. */
export async function sealBareSecrets(rewrites: SecretRewrites, sealer: Sealer): Promise<void> {
  if (await rewrites.areSealed()) return;
  for await (const { about, value, replace } of rewrites.all()) if (!isSealed(value)) await replace(sealer.seal(GROUP, about, value));
  await rewrites.noteSealed();
}

export async function resealSecrets(rewrites: Pick<SecretRewrites, 'all'>, sealer: Sealer): Promise<Resealed> {
  const counts = { fresh: 0, resealed: 0, overtaken: 0, unreadable: 0 };
  for await (const secret of rewrites.all()) counts[await resealed(secret, sealer)] += 1;
  return counts;
}

async function resealed({ group = GROUP, about, value, replace }: KeptSecret, sealer: Sealer): Promise<keyof Resealed> {
  if (sealer.isFresh(value)) return 'fresh';
  try {
    return (await replace(sealer.seal(group, about, opened(sealer, about, value, group)))) ? 'resealed' : 'overtaken';
  } catch (cause) {
    if (!(cause instanceof SecretUnreadable)) throw cause;
    return 'unreadable';
  }
}
