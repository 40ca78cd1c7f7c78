import { randomBytes } from 'node:crypto';
import { newId } from '../../../runtime/ids.ts';
import { type Sealer, SecretUnreadable } from '../../../runtime/sealing/seal.ts';
import type { StoreHooks } from '../../../store/store-links/hooks.ts';
import type { Platform, StoreLinkPatch, StoreLinkRow, StoreLinks, TemplateKind, TemplateRow } from '../../../store/store-links/links.ts';
import type { StoreMemory } from '../../../store/store-links/memory.ts';
import { beyondPlan, type Plan, type Plans } from '../../domain/plans.ts';
import { refusal } from '../../domain/refusals.ts';
import { storeMessageId } from '../../store-link/behaviour/message-id.ts';
import { DEFAULT_TEMPLATES } from './default-texts.ts';
import { tokenHash } from './receive.ts';

/**
 * Manages store links, which are in `store_links`. Their secret and token are encrypted. A link is
 * found by the hash of its token.
 */

export interface StoreDeps {
  readonly links: StoreLinks;
  readonly hooks: StoreHooks;
  readonly memory: StoreMemory;
  readonly sealer: Sealer;
  readonly plans: Plans;
  takeBack(tenantId: string, id: string): Promise<void>;
}

export interface NewStore {
  readonly platform: Platform;
  readonly name: string;
  readonly session_id?: string | null;
  readonly secret?: string;
}

export interface StoreChange {
  readonly name?: string;
  readonly session_id?: string | null;
  readonly secret?: string;
  readonly enabled?: boolean;
  readonly templates?: Readonly<Partial<Record<TemplateKind, Partial<TemplateRow>>>>;
  readonly abandoned_delay_min?: number;
  readonly abandoned_only_marketing?: boolean;
}

const FORMER_SECRET_MS = 86_400_000;
const DEFAULT_DELAY_MIN = 60;
const STORES = { en: 'stores', id: 'toko' };
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';
const SECRET_LENGTH = 40;

export async function connectStore(
  { links, sealer, plans }: StoreDeps,
  tenant: { readonly id: string; readonly locale: 'en' | 'id'; readonly plan: Plan },
  { platform, name, session_id = null, secret }: NewStore,
  now: number,
): Promise<{ readonly link: StoreLinkRow; readonly madeSecret: string | null }> {
  const _id = newId(now);
  const madeSecret = platform === 'platform_b' ? newSecret() : null;
  const saved = madeSecret ?? secret ?? null;
  const token = randomBytes(24).toString('base64url');
  const link: StoreLinkRow = {
    _id,
    tenant_id: tenant.id,
    platform,
    name,
    session_id,
    enabled: true,
    secret: saved === null ? null : sealer.seal(_id, 'store secret', saved),
    former_secret: null,
    token: sealer.seal(_id, 'store token', token),
    token_hash: tokenHash(token),
    templates: DEFAULT_TEMPLATES[tenant.locale],
    abandoned_delay_min: DEFAULT_DELAY_MIN,
    abandoned_only_marketing: false,
    shop_domain: null,
    last_event_at: null,
    last_error: null,
    unreadable_at: null,
    created_at: now,
    epoch: 0,
    node: null,
  };
  if (!(await links.createWithin(link, tenant.plan.stores))) throw beyondPlan(plans, tenant.plan, 'stores', STORES);
  return { link, madeSecret };
}

/** Changes a link. An empty secret keeps the current one. */
export async function changeStore(
  { links, sealer }: StoreDeps,
  link: StoreLinkRow,
  change: StoreChange,
  now: number,
): Promise<StoreLinkRow> {
  const { secret, templates, ...plain } = change;
  const patch: StoreLinkPatch = {
    ...plain,
    ...(secret && {
      secret: sealer.seal(link._id, 'store secret', secret),
      ...(link.secret !== null && { former_secret: { secret: link.secret, until: now + FORMER_SECRET_MS } }),
    }),
    ...(templates && { templates: mergedTemplates(link.templates, templates) }),
  };
  const changed = await links.change(link.tenant_id, link._id, patch);
  if (!changed) throw refusal('NOT_FOUND');
  return changed;
}

/** Queued order messages are still sent. The link is removed last, so this can be repeated. */
export async function disconnectStore(deps: StoreDeps, link: StoreLinkRow): Promise<void> {
  await deps.links.change(link.tenant_id, link._id, { enabled: false });
  await forgetPurchases(deps, link);
  await deps.links.remove(link.tenant_id, link._id);
  // A webhook may have been stored during the first pass, so run it again.
  await forgetPurchases(deps, link);
}

async function forgetPurchases({ hooks, memory, takeBack }: StoreDeps, { _id: linkId, tenant_id }: StoreLinkRow): Promise<void> {
  for (const id of await memory.checkoutIds(linkId)) await takeBack(tenant_id, storeMessageId({ linkId }, 'abandoned_checkout', id));
  await memory.removeAll(linkId);
  await hooks.removeAll(linkId);
}

/** Returns null if the token can no longer be decrypted. The store may still use it. */
export function tokenOf({ sealer }: Pick<StoreDeps, 'sealer'>, { _id, token }: StoreLinkRow): string | null {
  try {
    return sealer.open(_id, 'store token', token);
  } catch (cause) {
    if (cause instanceof SecretUnreadable) return null;
    throw cause;
  }
}

function mergedTemplates(before: StoreLinkRow['templates'], change: NonNullable<StoreChange['templates']>): StoreLinkRow['templates'] {
  const merged = (kind: TemplateKind): TemplateRow => ({ ...before[kind], ...change[kind] });
  return {
    order_created: merged('order_created'),
    order_paid: merged('order_paid'),
    order_shipped: merged('order_shipped'),
    abandoned_checkout: merged('abandoned_checkout'),
  };
}

/** Only letters and digits, because the platform alters some other characters. */
function newSecret(): string {
  let secret = '';
  while (secret.length < SECRET_LENGTH)
    for (const byte of randomBytes(SECRET_LENGTH)) if (byte < 4 * LETTERS.length) secret += LETTERS[byte % LETTERS.length] ?? '';
  return secret.slice(0, SECRET_LENGTH);
}
