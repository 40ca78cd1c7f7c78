import { HOOKS_PER_MS, type StoreHookRow } from '../../../store/store-links/hooks.ts';
import type { StoreLinkRow } from '../../../store/store-links/links.ts';
import type { UnstoredHook } from '../../store-link/protocol.ts';

const KEPT_MS = 30 * 86_400_000;

/** `body` is sealed; null if the webhook is stored together with its result. */
export const hookRowOf = (
  { _id: link_id, tenant_id }: StoreLinkRow,
  { topic, shopDomain, arrivedAt }: Pick<UnstoredHook, 'topic' | 'shopDomain' | 'arrivedAt'>,
  body: string | null,
): Omit<StoreHookRow, '_id'> => ({
  tenant_id,
  link_id,
  no: arrivedAt * HOOKS_PER_MS,
  topic,
  body,
  shop_domain: shopDomain,
  pending: true,
  ref: null,
  outcome: null,
  detail: null,
  created_at: arrivedAt,
  expires_at: arrivedAt + KEPT_MS,
});
