import type { Presence } from '../../network/port.ts';
import type { CHAT_PRESENCE, TEST_EVENT } from '../events/types.ts';

type CampaignCounts = { readonly blast_id: string; readonly sent: number; readonly failed: number; readonly skipped: number };

/** Events for streams only. Webhooks and pull readers do not receive them. */
export type StreamOnly =
  | { readonly type: 'blast.progress'; readonly data: CampaignCounts & { readonly total: number } }
  | { readonly type: 'blast.waiting'; readonly data: { readonly blast_id: string; readonly resumes_at: number } }
  | { readonly type: 'blast.paused'; readonly data: { readonly blast_id: string; readonly reason: string } }
  | { readonly type: 'blast.completed'; readonly data: CampaignCounts }
  | { readonly type: 'scheduled.sent'; readonly data: { readonly scheduled_id: string; readonly message_id: string } }
  | {
      readonly type: typeof CHAT_PRESENCE;
      readonly data: { readonly chat_id: string; readonly phone: string | null; readonly lid: string | null; readonly state: Presence };
    }
  | {
      readonly type: 'recurring.executed';
      readonly data: { readonly recurring_id: string; readonly sent: number; readonly failed: number; readonly next_run_at: number | null };
    };

export type Unrecorded =
  | StreamOnly
  | { readonly type: typeof TEST_EVENT; readonly data: { readonly webhook_id: string; readonly message: string } };
