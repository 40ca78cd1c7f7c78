import { createFetcher } from '../../actors/services/media/fetcher.ts';
import { createLinkPreviews, type LinkPreviews, WITHIN_MS } from '../../actors/services/media/previews/link-previews.ts';
import type { Egress } from '../../runtime/egress/egress.ts';
import type { ActorParts } from './shared-deps.ts';

const PER_MINUTE = 60;
const MINUTE_MS = 60_000;
const HEADERS = { 'user-agent': 'gateway-link-preview/1', accept: 'text/html,application/xhtml+xml;q=0.9,image/*;q=0.8' };

export interface PreviewServices {
  readonly linkPreviews: LinkPreviews;
}

type Parts = Pick<ActorParts, 'clock' | 'converter' | 'limits'>;

export function startLinkPreviews({ clock, converter, limits }: Parts, egress: Egress): PreviewServices {
  const fetcher = createFetcher({ egress, clock, headers: HEADERS, withinMs: WITHIN_MS, waiting: 2 * PER_MINUTE });
  const mayFetch = async (tenantId: string): Promise<boolean> =>
    (await limits.take(`link-previews:${tenantId}`, PER_MINUTE, MINUTE_MS, clock.now())).ok;
  return { linkPreviews: createLinkPreviews({ fetcher, converter, clock, mayFetch }) };
}
