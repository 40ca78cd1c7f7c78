import { movesOf } from '../patterns/transitions.ts';

export type CampaignStatus = 'draft' | 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';

/**
 *   draft ──start──▶ running ──pause──▶ paused
 *     │               │ │ ▲                │ │
 *     │               │ │ └────resume──────┘ │
 *     │               │ └──▶ completed: every recipient has an outcome
 *     │               └────▶ failed: no audience or no device is left
 *     └────cancel─────┴──────▶ cancelled ◀───┘ cancel
 */
export const CAMPAIGN_TRANSITIONS = {
  draft: ['running', 'cancelled'],
  running: ['paused', 'completed', 'failed', 'cancelled'],
  paused: ['running', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
} as const satisfies Readonly<Record<CampaignStatus, readonly CampaignStatus[]>>;

export const skipsPending = (status: CampaignStatus): boolean => status === 'cancelled' || status === 'failed';

export function skipReason({ status, error }: { readonly status: CampaignStatus; readonly error: string | null }): string | null {
  if (!skipsPending(status)) return null;
  return status === 'failed' ? (error ?? status) : status;
}

export const campaignMove = movesOf(CAMPAIGN_TRANSITIONS);
