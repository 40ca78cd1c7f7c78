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

/** Why whoever is still pending is skipped; null: nobody is. */
export function skipReason({ status, error }: { readonly status: CampaignStatus; readonly error: string | null }): string | null {
  if (status === 'failed') return error ?? status;
  return status === 'cancelled' ? status : null;
}

export const campaignMove = movesOf(CAMPAIGN_TRANSITIONS);
